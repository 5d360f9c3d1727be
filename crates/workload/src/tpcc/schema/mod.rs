//! The tables as different tools make them: the same columns in tables of other names, with other
//! types and keys, so that what one tool has loaded another can run on.

mod benchmarksql;
mod columns;
mod ddl;
mod foreign_keys;
mod go_tpc;
mod index;
mod spec;
mod sysbench_tpcc;
mod tpcc_mysql;

use serde::Deserialize;

use columns::Types;
pub(super) use ddl::Ddl;
pub(super) use foreign_keys::FOREIGN_KEYS;
pub(super) use index::ChosenIndex;

/// Whose tables they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaName {
    /// The names and types of the specification, clause 1.3.
    #[default]
    Spec,
    /// `BenchmarkSQL` 5.0.
    Benchmarksql,
    /// tpcc-mysql.
    #[serde(alias = "tpcc-mysql")]
    TpccMysql,
    /// go-tpc.
    #[serde(alias = "go-tpc")]
    GoTpc,
    /// sysbench-tpcc; the first of its sets of tables.
    #[serde(alias = "sysbench-tpcc")]
    SysbenchTpcc,
}

/// What a table holds. The order is one in which rows can be loaded: what others refer to is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Table {
    Config,
    Item,
    Warehouse,
    District,
    Stock,
    Customer,
    History,
    Orders,
    NewOrder,
    OrderLine,
}

impl Table {
    /// All of them; each stands at its own number.
    pub const ALL: [Self; 10] = [
        Self::Config,
        Self::Item,
        Self::Warehouse,
        Self::District,
        Self::Stock,
        Self::Customer,
        Self::History,
        Self::Orders,
        Self::NewOrder,
        Self::OrderLine,
    ];
}

/// A table of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableOf {
    pub table: Table,
    pub name: &'static str,
    pub columns: &'static [&'static str],
    /// The primary key; empty where there is none.
    pub key: &'static [&'static str],
}

/// An index besides the primary keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexOf {
    pub name: &'static str,
    pub table: Table,
    pub columns: &'static [&'static str],
    pub unique: bool,
}

/// A tool's tables and indexes.
#[derive(Debug)]
pub(super) struct Schema {
    pub tables: &'static [TableOf],
    /// Types of the SQL standard, and `MySQL`'s small integers.
    types: Types,
    /// The columns outside keys that can't be null.
    required: &'static [&'static str],
    pub indexes: &'static [IndexOf],
}

impl IndexOf {
    const fn on(table: Table, name: &'static str, columns: &'static [&'static str]) -> Self {
        Self { name, table, columns, unique: false }
    }
}

impl SchemaName {
    /// The name in plans and results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Benchmarksql => "benchmarksql",
            Self::TpccMysql => "tpcc_mysql",
            Self::GoTpc => "go_tpc",
            Self::SysbenchTpcc => "sysbench_tpcc",
        }
    }

    /// Whether its integers and rates are as narrow as tpcc-mysql's.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Self::TpccMysql | Self::SysbenchTpcc)
    }

    pub(super) fn schema(self) -> &'static Schema {
        match self {
            Self::Spec => &spec::SCHEMA,
            Self::Benchmarksql => &benchmarksql::SCHEMA,
            Self::TpccMysql => &tpcc_mysql::SCHEMA,
            Self::GoTpc => &go_tpc::SCHEMA,
            Self::SysbenchTpcc => &sysbench_tpcc::SCHEMA,
        }
    }
}

impl Schema {
    /// The table that holds this; every schema has all of them but the configuration.
    pub(super) fn table(&self, table: Table) -> &'static TableOf {
        let found = self.tables.iter().find(|candidate| candidate.table == table);
        found.unwrap_or_else(|| unreachable!("the schema has no table for {table:?}"))
    }

    /// Its name.
    pub(super) fn name(&self, table: Table) -> &'static str {
        self.table(table).name
    }
}
