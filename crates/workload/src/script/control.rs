//! Statements that begin and end transactions, which go through the connection's own methods.

use contract::{Dialect, Verb, Wording};

/// What a statement does to the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Opens one, with nothing said about it.
    Begin,
    /// Opens one with options (READ ONLY, ISOLATION LEVEL …): it is sent as it is written.
    BeginWithOptions,
    /// Commits it.
    Commit,
    /// Rolls it back.
    Rollback,
    /// Nothing, or what is sent as it is written within a transaction or without one.
    None,
}

impl Control {
    /// What a statement does.
    pub fn of(sql: &str, dialect: Dialect) -> Self {
        match Verb::and_wording(sql, dialect) {
            (Verb::Begin, Wording::Plain) => Self::Begin,
            (Verb::Begin, Wording::WithOptions) => Self::BeginWithOptions,
            (Verb::Commit, Wording::Plain) => Self::Commit,
            (Verb::Rollback, Wording::Plain) => Self::Rollback,
            _ => Self::None,
        }
    }
}
