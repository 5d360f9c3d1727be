//! Which customer is meant: by number, or by last name.

use std::fmt::Display;

use contract::SqlError;

use crate::tpcc::reading::missing;

/// A customer as a terminal's user names him.
#[derive(Clone, Debug, Default)]
pub(in crate::tpcc) struct Who {
    pub by_name: bool,
    pub id: i64,
    pub last_name: String,
}

/// The place of the customer that is meant among those of the same name, in the order of their first
/// names: number ceil(n / 2), counted from 1 (clauses 2.5.2.2 and 2.6.2.2).
pub(super) fn middle(count: usize) -> usize {
    count.div_ceil(2)
}

impl Who {
    /// Tells that there is no such customer in this warehouse and district.
    pub(super) fn missing(&self, place: (i64, i64)) -> SqlError {
        if self.by_name {
            missing_customer(&self.last_name, place)
        } else {
            missing_customer(&self.id, place)
        }
    }
}

/// Tells that no customer in this warehouse and district has this number or last name.
pub(super) fn missing_customer(who: &dyn Display, (warehouse, district): (i64, i64)) -> SqlError {
    missing(&format!("customer {who} in district {district} of warehouse {warehouse}"))
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_middle_of_a_name_is_rounded_up() {
        assert_eq!([1, 2, 3, 4, 5].map(middle), [1, 1, 2, 2, 3]);
    }
}
