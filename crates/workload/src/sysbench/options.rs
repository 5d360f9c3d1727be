//! The options of a script: sysbench's names and defaults, and what they may be.

use random::{DistributionKind, Skew};
use serde::Deserialize;
use thiserror::Error;

use super::script::Script;

/// The largest id: sysbench's column is a 32-bit integer.
const HIGHEST_ID: u64 = 2_147_483_647;

/// Far more tables than any server is tested with; beyond it a number is a slip of the finger.
const MOST_TABLES: u64 = 10_000;

/// Servers take no more parameters in a statement, two for each range.
const MOST_VALUES: u64 = 10_000;

/// Far beyond the exponents that anything is like; nearly all accesses go to one row.
const MOST_SKEWED: f64 = 10.0;

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
    /// The exponent of the distribution `zipfian`.
    #[serde(default = "zipfian_exponent")]
    pub zipfian_exponent: f64,
    /// The parameter h of the distribution `pareto`.
    #[serde(default = "pareto_h")]
    pub pareto_h: f64,
    /// The hot share of rows of the distribution `special`, in percent.
    #[serde(default = "special_percent")]
    pub special_percent: f64,
    /// The share of accesses that goes there, in percent.
    #[serde(default = "special_residual")]
    pub special_residual: f64,
    /// Whether hot rows are scattered over the table; sysbench has them side by side.
    #[serde(default)]
    pub scrambled: bool,
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
    /// Values of k in the one statement of `select_random_points`.
    #[serde(default = "ten")]
    pub random_points: u64,
    /// Ranges of k in the one statement of `select_random_ranges`.
    #[serde(default = "ten")]
    pub number_of_ranges: u64,
    /// The difference between the last and the first value of such a range.
    #[serde(default = "five")]
    pub delta: u64,
    /// On: every row that is read goes into a hash, which is among the trial's facts.
    #[serde(default)]
    pub read_hash: bool,
    /// On: no BEGIN and COMMIT around the statements. Two clients may then both have deleted a row,
    /// and the second to insert it finds a duplicate key.
    #[serde(default)]
    pub skip_trx: bool,
    /// Whether the id column numbers itself. The rows are the same.
    #[serde(default = "on")]
    pub auto_inc: bool,
    /// On: the id has an ordinary index in place of the primary key.
    #[serde(default)]
    pub secondary: bool,
    /// Whether the column k has an index.
    #[serde(default = "on")]
    pub create_secondary: bool,
    /// The storage engine of the tables, in the dialect of `MySQL`.
    #[serde(default = "innodb")]
    pub mysql_storage_engine: String,
    /// What follows the closing parenthesis of CREATE TABLE.
    #[serde(default)]
    pub create_table_options: String,
}

fn on() -> bool {
    true
}

fn one() -> u64 {
    1
}

fn five() -> u64 {
    5
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

fn zipfian_exponent() -> f64 {
    Skew::default().zipfian_exponent
}

fn pareto_h() -> f64 {
    Skew::default().pareto_h
}

fn special_percent() -> f64 {
    Skew::default().special_percent
}

fn special_residual() -> f64 {
    Skew::default().special_residual
}

fn innodb() -> String {
    "InnoDB".into()
}

/// What the tables hold when they have been loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The rows, 1 to `table_size`.
    Rows,
    /// None: the ids that the script gives might be there already.
    NoRows,
    /// None, and the tables are those of `bulk_insert`.
    BulkTables,
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
    /// What the tables hold at first.
    pub(super) fn content(&self) -> Content {
        match self.script {
            Script::BulkInsert => Content::BulkTables,
            Script::OltpInsert if !self.auto_inc => Content::NoRows,
            _ => Content::Rows,
        }
    }

    /// How uneven the distribution is.
    pub(super) fn skew(&self) -> Skew {
        Skew {
            zipfian_exponent: self.zipfian_exponent,
            pareto_h: self.pareto_h,
            special_percent: self.special_percent,
            special_residual: self.special_residual,
            scrambled: self.scrambled,
        }
    }

    /// Find the first option that can't be run.
    pub(super) fn check(&self) -> Result<(), InvalidOption> {
        check_range("tables", self.tables, 1, MOST_TABLES)?;
        check_range("table_size", self.table_size, 1, HIGHEST_ID)?;
        check_range("range_size", self.range_size, 1, HIGHEST_ID)?;
        check_range("random_points", self.random_points, 1, MOST_VALUES)?;
        check_range("number_of_ranges", self.number_of_ranges, 1, MOST_VALUES)?;
        check_range("delta", self.delta, 0, HIGHEST_ID)?;
        self.check_skew()?;
        self.check_slices()?;
        self.check_storage_engine()
    }

    fn check_skew(&self) -> Result<(), InvalidOption> {
        for (field, value, is_right, expected) in [
            (
                "zipfian_exponent",
                self.zipfian_exponent,
                (0.0..=MOST_SKEWED).contains(&self.zipfian_exponent),
                "give a number from 0 to 10",
            ),
            (
                "pareto_h",
                self.pareto_h,
                self.pareto_h > 0.0 && self.pareto_h < 1.0,
                "give a number between 0 and 1",
            ),
            (
                "special_percent",
                self.special_percent,
                self.special_percent > 0.0 && self.special_percent <= 100.0,
                "give a number above 0 and up to 100",
            ),
            (
                "special_residual",
                self.special_residual,
                (0.0..=100.0).contains(&self.special_residual),
                "give a number from 0 to 100",
            ),
        ] {
            if !is_right {
                let (value, expected) = (value.to_string(), expected.into());
                return Err(InvalidOption { field, value, expected });
            }
        }
        Ok(())
    }

    /// These scripts know one table only.
    fn check_slices(&self) -> Result<(), InvalidOption> {
        if self.tables == 1 || !self.script.draws_from_slices() {
            return Ok(());
        }
        let expected = format!("the script {} runs on one table; set 1", self.script.name());
        Err(InvalidOption { field: "tables", value: self.tables.to_string(), expected })
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
