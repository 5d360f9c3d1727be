//! What can be chosen, and what it may be.

use contract::Dialect;
use serde::Deserialize;
use thiserror::Error;

use super::choices::{DeliveryMode, Home, Isolations, Pacing, Weights};
use super::schema::{ChosenIndex, SchemaName};

/// Far beyond any test; tpcc-mysql's tables end earlier.
const MOST_WAREHOUSES: u64 = 1_000_000;
const MOST_WAREHOUSES_TPCC_MYSQL: u64 = 32_767;

const MOST_PARTITIONS: u64 = 8192;

/// A think time of so many times the specification's is 33 hours at the longest.
const MOST_TIMES: f64 = 1000.0;

/// C of `NURand` for last names where nothing else is known of the load.
pub(super) const C_LOAD: u64 = 157;

/// Options as an experiment file or a trial plan gives them, not yet checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TpccOptions {
    /// How many there are.
    pub warehouses: u64,
    /// Whose tables.
    #[serde(default)]
    pub schema: SchemaName,
    /// Whether the tables have the ten foreign keys.
    #[serde(default)]
    pub foreign_keys: bool,
    /// Indexes besides the primary keys: names of the schema's, or `table (column, …)`. Without
    /// it, all that the schema has.
    #[serde(default)]
    pub indexes: Option<Vec<String>>,
    /// What follows the closing parenthesis of CREATE TABLE.
    #[serde(default)]
    pub table_options: String,
    /// The statements that make the tables, in place of the schema's own, with their keys and indexes;
    /// an empty list where the tables are there already.
    #[serde(default)]
    pub create: Option<Vec<String>>,
    /// The first and the last warehouse that are loaded; without it, all.
    #[serde(default)]
    pub load_range: Option<[u64; 2]>,
    /// Into how many partitions by warehouse each table is cut; 0 is none.
    #[serde(default)]
    pub partitions: u64,
    /// How often each kind of transaction is drawn.
    #[serde(default)]
    pub mix: Weights,
    /// Whether kinds are dealt from a shuffled deck of 23 cards (clause 5.2.4.2) in place of `mix`.
    #[serde(default)]
    pub deck: bool,
    /// Where a terminal's home is.
    #[serde(default)]
    pub home_warehouse: Home,
    /// The first and the last home warehouse; without it, all.
    #[serde(default)]
    pub home_range: Option<[u64; 2]>,
    /// Keying and think times.
    #[serde(default)]
    pub pacing: Pacing,
    /// The isolation of each kind, where it is not the session's.
    #[serde(default)]
    pub isolation: Isolations,
    /// When a Delivery is carried out.
    #[serde(default)]
    pub delivery: DeliveryMode,
    /// New-Orders that name an item that there is not, in percent.
    #[serde(default = "one")]
    pub rollback_percent: f64,
    /// C of `NURand` for last names with which the tables were loaded.
    #[serde(default = "c_load")]
    pub c_last_load: u64,
    /// A file whose words fill the texts of the tables; without it, letters are drawn.
    #[serde(default)]
    pub text: Option<String>,
    /// Whether the texts of items, stock and customers are the wide ones of Terark's tpcc-mysql.
    #[serde(default)]
    pub wide_texts: bool,
}

fn one() -> f64 {
    1.0
}

fn c_load() -> u64 {
    C_LOAD
}

/// An option that can't be run as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("workload.tpcc.{field} is {value}: {expected}")]
pub struct InvalidTpccOption {
    /// The option's name.
    pub field: &'static str,
    /// What it is.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl TpccOptions {
    /// The home warehouses, first and last.
    pub(super) fn homes(&self) -> (u64, u64) {
        self.range_or_all(self.home_range)
    }

    /// The warehouses that are loaded, first and last.
    pub(super) fn loaded(&self) -> (u64, u64) {
        self.range_or_all(self.load_range)
    }

    fn range_or_all(&self, range: Option<[u64; 2]>) -> (u64, u64) {
        range.map_or((1, self.warehouses), |[first, last]| (first, last))
    }

    /// The indexes that are made.
    pub(super) fn chosen_indexes(&self) -> Vec<ChosenIndex> {
        let schema = self.schema.schema();
        match &self.indexes {
            None => schema.indexes.iter().map(ChosenIndex::from).collect(),
            Some(written) => {
                written.iter().filter_map(|text| ChosenIndex::read(text, schema).ok()).collect()
            }
        }
    }

    /// Finds the first option that can't be run.
    pub(super) fn check(&self, dialect: Dialect) -> Result<(), InvalidTpccOption> {
        let most =
            if self.schema.is_narrow() { MOST_WAREHOUSES_TPCC_MYSQL } else { MOST_WAREHOUSES };
        check_range("warehouses", self.warehouses, 1, most)?;
        check_range("partitions", self.partitions, 0, MOST_PARTITIONS)?;
        check_range("c_last_load", self.c_last_load, 0, 255)?;
        self.check_numbers()?;
        self.check_range_of_warehouses("home_range", self.homes())?;
        self.check_range_of_warehouses("load_range", self.loaded())?;
        self.check_indexes()?;
        self.check_isolation(dialect)?;
        self.check_partitions(dialect)
    }

    fn check_numbers(&self) -> Result<(), InvalidTpccOption> {
        let is_size = |number: &f64| number.is_finite() && *number >= 0.0;
        let weights = self.mix.all();
        if !weights.iter().all(is_size) || weights.iter().sum::<f64>() <= 0.0 {
            let expected = "give weights from 0 up, not all of them 0";
            return Err(invalid("mix", format!("{weights:?}"), expected));
        }
        for (field, multiple) in
            [("pacing.keying", self.pacing.keying), ("pacing.think", self.pacing.think)]
        {
            if !(0.0..=MOST_TIMES).contains(&multiple) {
                let expected = "give a multiple from 0 to 1000; 1 is the specification's";
                return Err(invalid(field, multiple, expected));
            }
        }
        if (0.0..=100.0).contains(&self.rollback_percent) {
            return Ok(());
        }
        Err(invalid("rollback_percent", self.rollback_percent, "give a percentage from 0 to 100"))
    }

    fn check_range_of_warehouses(
        &self,
        field: &'static str,
        (first, last): (u64, u64),
    ) -> Result<(), InvalidTpccOption> {
        if 1 <= first && first <= last && last <= self.warehouses {
            return Ok(());
        }
        let expected =
            format!("give the first and the last of the warehouses 1 to {}", self.warehouses);
        Err(invalid(field, format!("[{first}, {last}]"), expected))
    }

    fn check_indexes(&self) -> Result<(), InvalidTpccOption> {
        let schema = self.schema.schema();
        for text in self.indexes.iter().flatten() {
            if let Err(expected) = ChosenIndex::read(text, schema) {
                return Err(invalid("indexes", format!("{text:?}"), expected));
            }
        }
        Ok(())
    }

    fn check_isolation(&self, dialect: Dialect) -> Result<(), InvalidTpccOption> {
        if let Some(level) = self.isolation.unknown() {
            let expected = "give read_uncommitted, read_committed, repeatable_read or serializable";
            return Err(invalid("isolation", format!("{level:?}"), expected));
        }
        if dialect == Dialect::Sqlite && self.isolation != Isolations::default() {
            let expected = "SQLite's transactions are serializable; leave it out";
            return Err(invalid("isolation", "set for a kind of transaction", expected));
        }
        Ok(())
    }

    fn check_partitions(&self, dialect: Dialect) -> Result<(), InvalidTpccOption> {
        let expected = match dialect {
            _ if self.partitions == 0 => return Ok(()),
            Dialect::Sqlite => "SQLite has no partitions; leave it out",
            Dialect::MySql if self.foreign_keys => {
                "MySQL's partitioned tables can't have foreign keys; leave one of the two out"
            }
            Dialect::PostgreSql if self.schema == SchemaName::Benchmarksql => {
                "on PostgreSQL the unique index bmsql_oorder_idx1 and the key of the history rule \
                 out partitions; leave it out"
            }
            Dialect::MySql | Dialect::PostgreSql => return Ok(()),
        };
        Err(invalid("partitions", self.partitions, expected))
    }
}

fn check_range(
    field: &'static str,
    value: u64,
    lowest: u64,
    highest: u64,
) -> Result<(), InvalidTpccOption> {
    if (lowest..=highest).contains(&value) {
        return Ok(());
    }
    Err(invalid(field, value, format!("give an integer from {lowest} to {highest}")))
}

fn invalid(
    field: &'static str,
    value: impl std::fmt::Display,
    expected: impl Into<String>,
) -> InvalidTpccOption {
    InvalidTpccOption { field, value: value.to_string(), expected: expected.into() }
}
