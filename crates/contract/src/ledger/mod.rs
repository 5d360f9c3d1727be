//! What clients were told is committed: to be held against what is stored once a trial is over.
//!
//! A client keeps an [`Account`] of amounts that only its transactions change (rows, orders, money),
//! and [`Writes`] of the last values that it wrote to some rows. The engine tells it what became of
//! each attempt; what nobody knows widens the range in which the stored amount may lie.

mod account;
mod question;
mod writes;

use std::collections::BTreeMap;

pub use account::{Account, Change};
pub use question::{Asked, Question, Questions, RowsAsked};
pub use writes::{RowKey, Writes};

/// What became of an attempt at a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server has said that it is committed.
    Acknowledged,
    /// It was rolled back, on purpose or for an error.
    Undone,
    /// Nobody knows: the connection was lost, or the error does not say.
    Unknown,
}

/// What clients know together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Amounts by their names.
    pub changes: BTreeMap<String, Change>,
    /// The last values of some rows, where the workload writes values.
    pub writes: Option<Writes>,
}

impl Ledger {
    /// Adds what another client knows.
    pub fn merge(&mut self, other: Self) {
        for (name, change) in other.changes {
            self.changes.entry(name).or_default().merge(change);
        }
        match (&mut self.writes, other.writes) {
            (Some(writes), Some(others)) => writes.merge(others),
            (writes @ None, others) => *writes = others,
            (Some(_), None) => {}
        }
    }
}
