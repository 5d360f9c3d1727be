//! Groups of statements: a transaction is a sequence of them, each on one table.

use contract::Dialect;

use super::options::SysbenchOptions;

/// The statements that a group repeats on its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    PointSelects,
    SimpleRanges,
    SumRanges,
    OrderRanges,
    DistinctRanges,
    IndexUpdates,
    NonIndexUpdates,
    DeleteInserts,
    Deletes,
    Inserts,
    RandomPoints,
    RandomRanges,
}

/// What the statements of a group take as parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The id of one row.
    Key,
    /// The first and the last id of a range.
    Range,
    /// A new text, and the id of the row that gets it.
    Text,
    /// The id of a row to delete; then the row to put in its place.
    Replacement,
    /// A new row, to which the server gives an id.
    NewRow,
    /// A new row with an id that no other has.
    NewRowWithId,
    /// So many values of k.
    Points(u64),
    /// So many ranges of values of k, each of a length beyond its first.
    Ranges { count: u64, delta: u64 },
}

impl Group {
    /// The texts of one repetition; `{table}` stands for the name of the table.
    pub(super) fn statements(self, options: &SysbenchOptions, dialect: Dialect) -> Vec<String> {
        let one = |text: &str| vec![text.to_owned()];
        match self {
            Self::PointSelects => one("SELECT c FROM {table} WHERE id=?"),
            Self::SimpleRanges => one("SELECT c FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::SumRanges => one("SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::OrderRanges => one("SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c"),
            Self::DistinctRanges => {
                one("SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::IndexUpdates => one("UPDATE {table} SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdates => one("UPDATE {table} SET c=? WHERE id=?"),
            Self::Deletes => one(DELETE),
            Self::DeleteInserts => vec![DELETE.into(), INSERT.into()],
            Self::Inserts if !options.auto_inc => one(INSERT),
            Self::Inserts => one(match dialect {
                // As sysbench has it: 0 stands for the next number.
                Dialect::MySql => "INSERT INTO {table} (id, k, c, pad) VALUES (0, ?, ?, ?)",
                Dialect::Sqlite | Dialect::PostgreSql => {
                    "INSERT INTO {table} (k, c, pad) VALUES (?, ?, ?)"
                }
            }),
            Self::RandomPoints => {
                let points = repeated("?", ", ", options.random_points);
                vec![format!("SELECT id, k, c, pad FROM {{table}} WHERE k IN ({points})")]
            }
            Self::RandomRanges => {
                let ranges = repeated("k BETWEEN ? AND ?", " OR ", options.number_of_ranges);
                vec![format!("SELECT count(k) FROM {{table}} WHERE {ranges}")]
            }
        }
    }

    /// How many statements one repetition has.
    pub(super) fn statement_count(self) -> usize {
        if self == Self::DeleteInserts { 2 } else { 1 }
    }

    /// What one repetition takes as parameters.
    pub(super) fn shape(self, options: &SysbenchOptions) -> Shape {
        match self {
            Self::PointSelects | Self::IndexUpdates | Self::Deletes => Shape::Key,
            Self::SimpleRanges | Self::SumRanges | Self::OrderRanges | Self::DistinctRanges => {
                Shape::Range
            }
            Self::NonIndexUpdates => Shape::Text,
            Self::DeleteInserts => Shape::Replacement,
            Self::Inserts if options.auto_inc => Shape::NewRow,
            Self::Inserts => Shape::NewRowWithId,
            Self::RandomPoints => Shape::Points(options.random_points),
            Self::RandomRanges => {
                Shape::Ranges { count: options.number_of_ranges, delta: options.delta }
            }
        }
    }
}

const DELETE: &str = "DELETE FROM {table} WHERE id=?";
const INSERT: &str = "INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)";

fn repeated(part: &str, separator: &str, times: u64) -> String {
    (0..times).map(|_| part).collect::<Vec<_>>().join(separator)
}
