//! The scripts, all of one family: a transaction's body is a sequence of groups.

use std::rc::Rc;

use contract::{Access, Dialect, Statement};
use serde::Deserialize;

use super::groups::Group::{
    self, DeleteInserts, Deletes, DistinctRanges, IndexUpdates, Inserts, NonIndexUpdates,
    OrderRanges, PointSelects, RandomPoints, RandomRanges, SimpleRanges, SumRanges,
};
use super::options::SysbenchOptions;
use super::schema::table_name;

/// A script of sysbench's, by its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// Selects by key and range, updates, one delete and one insert: 20 statements.
    OltpReadWrite,
    /// The selects of `oltp_read_write`: 16 statements.
    OltpReadOnly,
    /// The writes of `oltp_read_write`: 6 statements.
    OltpWriteOnly,
    /// One select by key.
    OltpPointSelect,
    /// One update of the indexed column.
    OltpUpdateIndex,
    /// One update of a column without index.
    OltpUpdateNonIndex,
    /// One insert of a row.
    OltpInsert,
    /// One delete by key. Rows do not come back: the tables drain.
    OltpDelete,
    /// One row more; rows are sent many at a time, to a table for each client.
    BulkInsert,
    /// One select of all rows with one of some values of k.
    SelectRandomPoints,
    /// One count of the rows with k in one of some ranges.
    SelectRandomRanges,
}

/// What happens to the rows that were loaded, as far as a look at the tables can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// They stay as they are.
    Kept,
    /// All their ids stay.
    Changed,
    /// More come.
    Joined,
    /// Some go.
    Removed,
}

const READS: [Group; 5] = [PointSelects, SimpleRanges, SumRanges, OrderRanges, DistinctRanges];
const WRITES: [Group; 3] = [IndexUpdates, NonIndexUpdates, DeleteInserts];

impl Script {
    /// The name in experiment files and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::OltpReadWrite => "oltp_read_write",
            Self::OltpReadOnly => "oltp_read_only",
            Self::OltpWriteOnly => "oltp_write_only",
            Self::OltpPointSelect => "oltp_point_select",
            Self::OltpUpdateIndex => "oltp_update_index",
            Self::OltpUpdateNonIndex => "oltp_update_non_index",
            Self::OltpInsert => "oltp_insert",
            Self::OltpDelete => "oltp_delete",
            Self::BulkInsert => "bulk_insert",
            Self::SelectRandomPoints => "select_random_points",
            Self::SelectRandomRanges => "select_random_ranges",
        }
    }

    /// What it does to the rows that were loaded.
    pub(super) fn fate_of_rows(self) -> Fate {
        match self {
            Self::OltpReadOnly
            | Self::OltpPointSelect
            | Self::SelectRandomPoints
            | Self::SelectRandomRanges => Fate::Kept,
            Self::OltpReadWrite
            | Self::OltpWriteOnly
            | Self::OltpUpdateIndex
            | Self::OltpUpdateNonIndex => Fate::Changed,
            Self::OltpInsert | Self::BulkInsert => Fate::Joined,
            Self::OltpDelete => Fate::Removed,
        }
    }

    /// Whether each client keeps to a part of the table of its own.
    pub(super) fn draws_from_slices(self) -> bool {
        matches!(self, Self::SelectRandomPoints | Self::SelectRandomRanges)
    }

    /// The groups of its body, in order.
    fn groups(self) -> Vec<Group> {
        match self {
            Self::OltpReadWrite => [READS.as_slice(), &WRITES].concat(),
            Self::OltpReadOnly => READS.to_vec(),
            Self::OltpWriteOnly => WRITES.to_vec(),
            Self::OltpPointSelect => vec![PointSelects],
            Self::OltpUpdateIndex => vec![IndexUpdates],
            Self::OltpUpdateNonIndex => vec![NonIndexUpdates],
            Self::OltpInsert => vec![Inserts],
            Self::OltpDelete => vec![Deletes],
            Self::SelectRandomPoints => vec![RandomPoints],
            Self::SelectRandomRanges => vec![RandomRanges],
            // Its rows are written into the statement's text.
            Self::BulkInsert => Vec::new(),
        }
    }

    /// The transaction around the body; all scripts but these are single statements without one.
    fn transaction(self) -> Option<Access> {
        match self {
            Self::OltpReadWrite | Self::OltpWriteOnly => Some(Access::ReadWrite),
            Self::OltpReadOnly => Some(Access::ReadOnly),
            _ => None,
        }
    }

    /// How often the body repeats the statements of a group.
    fn repetitions(self, group: Group, options: &SysbenchOptions) -> u64 {
        let ranges = u64::from(options.range_selects);
        match group {
            // This script is one select, whatever the option says for the others.
            PointSelects if self == Self::OltpPointSelect => 1,
            PointSelects => options.point_selects,
            SimpleRanges => ranges * options.simple_ranges,
            SumRanges => ranges * options.sum_ranges,
            OrderRanges => ranges * options.order_ranges,
            DistinctRanges => ranges * options.distinct_ranges,
            IndexUpdates => options.index_updates,
            NonIndexUpdates => options.non_index_updates,
            DeleteInserts => options.delete_inserts,
            Deletes | Inserts | RandomPoints | RandomRanges => 1,
        }
    }
}

/// A group in its place in a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) group: Group,
    /// How often its statements are repeated.
    pub(super) repetitions: usize,
    /// The number of its first statement among those of one table.
    pub(super) first_statement: usize,
}

/// What one transaction of a script does, the same for all clients.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The transaction around the statements, if there is one.
    pub(super) transaction: Option<Access>,
    /// The groups that are repeated at least once.
    pub(super) parts: Vec<Part>,
    /// Prepared statements of one table. Those of table t begin at t times this number.
    pub(super) statements_per_table: usize,
}

impl Body {
    /// The body that options describe. They were checked.
    pub(super) fn new(options: &SysbenchOptions) -> Self {
        let mut parts = Vec::new();
        let mut statements_per_table = 0;
        for group in options.script.groups() {
            let repetitions = usize::try_from(options.script.repetitions(group, options))
                .expect("the number of statements was checked");
            if repetitions > 0 {
                parts.push(Part { group, repetitions, first_statement: statements_per_table });
                statements_per_table += group.statement_count();
            }
        }
        let transaction = options.script.transaction().filter(|_| !options.skip_trx);
        Self { transaction, parts, statements_per_table }
    }

    /// How many statements options describe, BEGIN and COMMIT left out.
    pub(super) fn statement_count(options: &SysbenchOptions) -> u64 {
        let script = options.script;
        script.groups().into_iter().fold(0, |count: u64, group| {
            let statements = group.statement_count() as u64;
            count.saturating_add(script.repetitions(group, options).saturating_mul(statements))
        })
    }

    /// The statements that a connection prepares: for each table those that the body uses.
    pub(super) fn statements(
        &self,
        options: &SysbenchOptions,
        dialect: Dialect,
    ) -> Rc<[Statement]> {
        let texts: Vec<String> =
            self.parts.iter().flat_map(|part| part.group.statements(options, dialect)).collect();
        (0..options.tables)
            .flat_map(|table| texts.iter().map(move |text| (table_name(table), text)))
            .map(|(name, text)| Statement { sql: text.replace("{table}", &name) })
            .collect()
    }
}
