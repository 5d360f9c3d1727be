//! How many rows there are of each kind: TPC-C, clause 4.3.3.1.

/// Items, which do not grow with the number of warehouses; and so the stock rows of a warehouse.
pub(super) const ITEMS: u64 = 100_000;

/// Districts of a warehouse.
pub(super) const DISTRICT_COUNT: usize = 10;
pub(super) const DISTRICTS: u64 = DISTRICT_COUNT as u64;

/// Customers of a district. Each has one row of history and one order at first.
pub(super) const CUSTOMERS: u64 = 3000;

/// The oldest order of a district that is not delivered yet at first.
pub(super) const FIRST_NEW_ORDER: u64 = 2101;

/// Orders of a district that are not delivered yet at first.
pub(super) const NEW_ORDERS: u64 = CUSTOMERS - FIRST_NEW_ORDER + 1;

/// The fewest and the most lines of an order.
pub(super) const FEWEST_LINES: usize = 5;
pub(super) const MOST_LINES: usize = 15;
