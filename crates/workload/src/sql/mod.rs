//! A user's own SQL: named transactions with weights, each a list of statements with variables.

mod compile;
mod options;

use contract::Dialect;

use crate::script::{Mistake, ScriptWorkload};

pub use options::{SqlOptions, StatementOptions, TransactionOptions};

/// Reads transactions for servers of one dialect; the mistake names the place.
pub fn read(options: &SqlOptions, dialect: Dialect) -> Result<ScriptWorkload, Mistake> {
    compile::compile(options, dialect)
}
