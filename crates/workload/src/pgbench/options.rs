//! What a file says of pgbench scripts, not yet checked.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::script::{Check, Constant, SetupStep, WrittenError};

/// A workload of pgbench scripts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PgbenchOptions {
    /// The scripts.
    pub scripts: Vec<ScriptOptions>,
    /// How many branches the tables have: each has 100,000 accounts.
    #[serde(default = "one")]
    pub scale: u64,
    /// How full `PostgreSQL` fills its pages, in percent.
    #[serde(default)]
    pub fillfactor: Option<u64>,
    /// Whether the tables refer to each other.
    #[serde(default)]
    pub foreign_keys: bool,
    /// Whether values stand in the text of statements, as in pgbench's mode `simple`.
    #[serde(default)]
    pub variables_in_text: bool,
    /// Variables with a value from the beginning.
    #[serde(default)]
    pub variables: BTreeMap<String, Constant>,
    /// Errors that are no failure.
    #[serde(default)]
    pub expected_errors: Vec<WrittenError>,
    /// What makes the tables, in place of pgbench's own.
    #[serde(default)]
    pub setup: Option<Vec<SetupStep>>,
    /// What removes them.
    #[serde(default)]
    pub teardown: Option<Vec<String>>,
    /// What holds before each trial and after it.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// A script: one of pgbench's own, or its text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptOptions {
    /// One of pgbench's own.
    #[serde(default)]
    pub builtin: Option<String>,
    /// The file that the text was read from.
    #[serde(default)]
    pub file: Option<String>,
    /// The text.
    #[serde(default)]
    pub text: Option<String>,
    /// How often it is chosen, relative to the others.
    #[serde(default = "one")]
    pub weight: u64,
}

fn one() -> u64 {
    1
}
