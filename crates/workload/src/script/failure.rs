//! What makes a transaction fail that no server has refused.

use contract::{ErrorClass, SqlError};

#[cold]
pub(super) fn unset(name: &str) -> SqlError {
    other(format!("the variable {name} has no value yet"))
}

#[cold]
pub(super) fn left_open(name: &str) -> SqlError {
    other(format!("{name} ends inside a transaction that it opened; it must COMMIT or ROLLBACK"))
}

#[cold]
pub(super) fn several_rows(rows: u64, sql: &str) -> SqlError {
    other(format!("one row is needed and there are {rows}: {sql}"))
}

#[cold]
pub(super) fn no_row(sql: &str) -> SqlError {
    other(format!("a row is needed and there is none: {sql}"))
}

#[cold]
pub(super) fn other(message: String) -> SqlError {
    SqlError::driver(ErrorClass::Other, message)
}
