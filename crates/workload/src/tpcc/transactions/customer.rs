//! Which customer is meant: by number, or by last name.

use contract::{Connection, RowSink, SqlError, Value};

use crate::tpcc::exchange::Exchange;
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

/// Reads all customers of a name in a district, of whom there is one at least.
pub(super) async fn read_by_name<C: Connection, S: RowSink>(
    exchange: &mut Exchange<'_, C>,
    statement: usize,
    (warehouse, district): (i64, i64),
    last_name: &str,
    sink: &mut S,
) -> Result<(), SqlError> {
    let parameters = [Value::Int(warehouse), Value::Int(district), Value::Text(last_name)];
    match exchange.read(statement, &parameters, sink).await? {
        contract::Executed::Rows(0) | contract::Executed::Affected(_) => Err(missing(&format!(
            "customer {last_name} in district {district} of warehouse {warehouse}"
        ))),
        contract::Executed::Rows(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_middle_of_a_name_is_rounded_up() {
        assert_eq!([1, 2, 3, 4, 5].map(middle), [1, 1, 2, 2, 3]);
    }
}
