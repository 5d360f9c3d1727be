//! The options of a script: sysbench's names and defaults, and what they may be.

use random::DistributionKind;
use serde::Deserialize;
use thiserror::Error;

use super::scripts::{Body, Script};

/// The largest id: sysbench's column is a 32-bit integer.
const HIGHEST_ID: u64 = 2_147_483_647;

/// Far more tables than any server is tested with; beyond it a number is a slip of the finger.
const MOST_TABLES: u64 = 10_000;

/// Far longer than any transaction that is meant; all its inputs are held in memory.
const MOST_STATEMENTS: u64 = 10_000;

/// Options as an experiment file or a trial plan gives them, not yet checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
// These are switches of sysbench's command line, each independent of the others.
#[allow(clippy::struct_excessive_bools)]
pub struct SysbenchOptions {
    /// Which transaction is run.
    pub script: Script,
    /// How many tables there are: `sbtest1` to `sbtestN`.
    #[serde(default = "one")]
    pub tables: u64,
    /// Rows in each table.
    #[serde(default = "ten_thousand")]
    pub table_size: u64,
    /// How ids are drawn, and the column k when the tables are filled.
    #[serde(default)]
    pub distribution: DistributionKind,
    /// Rows in each range that is selected.
    #[serde(default = "hundred")]
    pub range_size: u64,
    /// Selects by primary key in a transaction.
    #[serde(default = "ten")]
    pub point_selects: u64,
    /// Off: no range is selected, whatever the four numbers that follow.
    #[serde(default = "on")]
    pub range_selects: bool,
    /// Selects of a range in a transaction.
    #[serde(default = "one")]
    pub simple_ranges: u64,
    /// Sums over a range in a transaction.
    #[serde(default = "one")]
    pub sum_ranges: u64,
    /// Sorted selects of a range in a transaction.
    #[serde(default = "one")]
    pub order_ranges: u64,
    /// Selects of the distinct values of a range in a transaction.
    #[serde(default = "one")]
    pub distinct_ranges: u64,
    /// Updates of the indexed column in a transaction.
    #[serde(default = "one")]
    pub index_updates: u64,
    /// Updates of a column without index in a transaction.
    #[serde(default = "one")]
    pub non_index_updates: u64,
    /// Rows that are deleted and inserted again in a transaction.
    #[serde(default = "one")]
    pub delete_inserts: u64,
    /// On: no BEGIN and COMMIT around the statements. Two clients may then both have deleted a row,
    /// and the second to insert it finds a duplicate key.
    #[serde(default)]
    pub skip_trx: bool,
    /// Whether the id column numbers itself. The rows are the same.
    #[serde(default = "on")]
    pub auto_inc: bool,
    /// Whether the column k has an index.
    #[serde(default = "on")]
    pub create_secondary: bool,
    /// The storage engine of the tables, in the dialect of `MySQL`.
    #[serde(default = "innodb")]
    pub mysql_storage_engine: String,
}

fn on() -> bool {
    true
}

fn one() -> u64 {
    1
}

fn ten() -> u64 {
    10
}

fn hundred() -> u64 {
    100
}

fn ten_thousand() -> u64 {
    10_000
}

fn innodb() -> String {
    "InnoDB".into()
}

/// An option that can't be run as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("workload.sysbench.{field} is {value}: {expected}")]
pub struct InvalidOption {
    /// The option's name.
    pub field: &'static str,
    /// What it is.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl SysbenchOptions {
    /// Find the first option that can't be run.
    pub(super) fn check(&self) -> Result<(), InvalidOption> {
        check_range("tables", self.tables, 1, MOST_TABLES)?;
        check_range("table_size", self.table_size, 1, HIGHEST_ID)?;
        check_range("range_size", self.range_size, 1, HIGHEST_ID)?;
        self.check_storage_engine()?;
        self.check_statements()
    }

    /// The name becomes part of a statement, so it has to be a name.
    fn check_storage_engine(&self) -> Result<(), InvalidOption> {
        let name = &self.mysql_storage_engine;
        if !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            return Ok(());
        }
        Err(InvalidOption {
            field: "mysql_storage_engine",
            value: format!("{name:?}"),
            expected: "give the name of an engine, such as InnoDB".into(),
        })
    }

    fn check_statements(&self) -> Result<(), InvalidOption> {
        let statements = Body::statement_count(self);
        let expected = match statements {
            0 => {
                "it has no statements left; set one of its numbers (point_selects, simple_ranges, \
                  index_updates, …) above 0"
                    .into()
            }
            1..=MOST_STATEMENTS => return Ok(()),
            _ => format!(
                "its transaction would have {statements} statements; lower point_selects or the \
                 others to {MOST_STATEMENTS} together"
            ),
        };
        Err(InvalidOption { field: "script", value: self.script.name().into(), expected })
    }
}

fn check_range(
    field: &'static str,
    value: u64,
    lowest: u64,
    highest: u64,
) -> Result<(), InvalidOption> {
    if (lowest..=highest).contains(&value) {
        return Ok(());
    }
    let expected = format!("give an integer from {lowest} to {highest}");
    Err(InvalidOption { field, value: value.to_string(), expected })
}
