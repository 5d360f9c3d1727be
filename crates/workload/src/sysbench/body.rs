//! What a script's transactions do: all are of one family, and the body is a sequence of groups.

use std::rc::Rc;

use contract::{Access, Dialect, Statement};

use super::groups::Group::{
    self, DeleteInserts, Deletes, DistinctRanges, IndexUpdates, Inserts, NonIndexUpdates,
    OrderRanges, PointSelects, RandomPoints, RandomRanges, SimpleRanges, SumRanges,
};
use super::options::{InvalidOption, SysbenchOptions};
use super::schema::table_name;
use super::script::Script;

/// Far longer than any transaction that is meant; all its inputs are held in memory.
const MOST_STATEMENTS: u64 = 10_000;

const READS: [Group; 5] = [PointSelects, SimpleRanges, SumRanges, OrderRanges, DistinctRanges];
const WRITES: [Group; 3] = [IndexUpdates, NonIndexUpdates, DeleteInserts];

impl Script {
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
    /// The body that options describe; each by itself was checked.
    pub(super) fn new(options: &SysbenchOptions) -> Result<Self, InvalidOption> {
        Self::check_statements(options)?;
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
        Ok(Self { transaction, parts, statements_per_table })
    }

    /// Checks that there are some, and not too many for a connection.
    fn check_statements(options: &SysbenchOptions) -> Result<(), InvalidOption> {
        if options.script == Script::BulkInsert {
            return Ok(());
        }
        let statements = Self::statement_count(options);
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
        Err(InvalidOption { field: "script", value: options.script.name().into(), expected })
    }

    /// How many statements options describe, BEGIN and COMMIT left out.
    fn statement_count(options: &SysbenchOptions) -> u64 {
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
