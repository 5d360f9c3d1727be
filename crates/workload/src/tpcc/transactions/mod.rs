//! The five transactions, clause 2, one file each: their statements, how their input is drawn, and
//! what is done with it.

mod customer;
mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

use contract::{Dialect, Probe};

pub(super) use customer::Who;
pub(super) use delivery::Delivery;
pub(super) use new_order::NewOrder;
pub(super) use order_status::OrderStatus;
pub(super) use payment::Payment;
pub(super) use stock_level::StockLevel;

use super::options::TpccOptions;
use super::schema::{Schema, Table};

/// What statements are written with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing<'a> {
    pub options: &'a TpccOptions,
    pub dialect: Dialect,
}

impl Writing<'_> {
    fn schema(self) -> &'static Schema {
        self.options.schema.schema()
    }

    fn name(self, table: Table) -> &'static str {
        self.schema().name(table)
    }

    /// What keeps others from changing the rows that are read; `SQLite` lets one writer in at a time.
    fn for_update(self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => "",
            Dialect::MySql | Dialect::PostgreSql => " FOR UPDATE",
        }
    }

    /// A parameter that is an exact decimal, as an operand. `MySQL` calculates with texts as floats.
    fn decimal(self) -> &'static str {
        match self.dialect {
            Dialect::MySql => "CAST(? AS DECIMAL(12,2))",
            Dialect::Sqlite | Dialect::PostgreSql => "?",
        }
    }
}

/// The statements of all transactions, one transaction's behind another's, and where each begins.
pub(super) fn statements(writing: Writing<'_>) -> (Vec<String>, StatementOffsets) {
    let mut all = new_order::statements(writing);
    let payment = all.len();
    all.extend(payment::statements(writing));
    let order_status = all.len();
    all.extend(order_status::statements(writing));
    let delivery = all.len();
    all.extend(delivery::statements(writing));
    let stock_level = all.len();
    all.extend(stock_level::statements(writing));
    (all, StatementOffsets { new_order: 0, payment, order_status, delivery, stock_level })
}

/// Queries whose answers can't be mistaken for each other.
pub(super) fn probes() -> Vec<Probe> {
    new_order::probes()
}

/// Where the statements of each transaction begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatementOffsets {
    pub new_order: usize,
    pub payment: usize,
    pub order_status: usize,
    pub delivery: usize,
    pub stock_level: usize,
}

/// Writes an amount of cents as a decimal.
fn put_cents(text: &mut String, cents: i64) {
    use std::fmt::Write;
    text.clear();
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    // Writing to a String can't fail.
    let _ = write!(text, "{sign}{}.{:02}", cents / 100, cents % 100);
}

/// A count as a parameter.
fn to_int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
