//! What a file says of a user's own SQL, not yet checked.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::script::{Check, NoRow, SetupStep, VariableOptions, WrittenError};

/// A workload of one's own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlOptions {
    /// The kinds of transactions, by name.
    pub transactions: BTreeMap<String, TransactionOptions>,
    /// Variables that all of them may use.
    #[serde(default)]
    pub variables: BTreeMap<String, VariableOptions>,
    /// Errors that are no failure in any of them.
    #[serde(default)]
    pub expected_errors: Vec<WrittenError>,
    /// What makes the tables and fills them.
    #[serde(default)]
    pub setup: Vec<SetupStep>,
    /// What removes them; without it, the tables that the set-up makes are dropped.
    #[serde(default)]
    pub teardown: Option<Vec<String>>,
    /// What holds before each trial and after it.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// One kind of transaction.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransactionOptions {
    /// How often it is chosen, relative to the others.
    #[serde(default = "one")]
    pub weight: u64,
    /// Its statements, in order.
    pub statements: Vec<StatementOptions>,
    /// Variables of its own.
    #[serde(default)]
    pub variables: BTreeMap<String, VariableOptions>,
    /// Errors that are no failure in it.
    #[serde(default)]
    pub expected_errors: Vec<WrittenError>,
}

fn one() -> u64 {
    1
}

/// A statement, and what is kept of its answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementOptions {
    /// Its text, with variables as `:name`.
    pub sql: String,
    /// The variables that take the columns of its first row.
    #[serde(default)]
    pub into: Vec<String>,
    /// What it means that there is no row.
    #[serde(default)]
    pub no_row: Option<NoRow>,
}
