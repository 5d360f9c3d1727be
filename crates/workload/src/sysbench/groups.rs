//! Groups of statements: a transaction is a sequence of them, each on one table.

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
}

impl Group {
    /// The texts of one repetition; `{table}` stands for the name of the table.
    pub(super) fn statements(self) -> &'static [&'static str] {
        match self {
            Self::PointSelects => &["SELECT c FROM {table} WHERE id=?"],
            Self::SimpleRanges => &["SELECT c FROM {table} WHERE id BETWEEN ? AND ?"],
            Self::SumRanges => &["SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?"],
            Self::OrderRanges => &["SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c"],
            Self::DistinctRanges => {
                &["SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c"]
            }
            Self::IndexUpdates => &["UPDATE {table} SET k=k+1 WHERE id=?"],
            Self::NonIndexUpdates => &["UPDATE {table} SET c=? WHERE id=?"],
            Self::DeleteInserts => &[
                "DELETE FROM {table} WHERE id=?",
                "INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)",
            ],
        }
    }

    /// What one repetition takes as parameters.
    pub(super) fn shape(self) -> Shape {
        match self {
            Self::PointSelects | Self::IndexUpdates => Shape::Key,
            Self::SimpleRanges | Self::SumRanges | Self::OrderRanges | Self::DistinctRanges => {
                Shape::Range
            }
            Self::NonIndexUpdates => Shape::Text,
            Self::DeleteInserts => Shape::Replacement,
        }
    }
}
