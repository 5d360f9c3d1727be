//! How the amounts of a ledger are asked of a server, by whoever compares.

/// What a workload's clients keep account of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// One for each amount.
    pub amounts: Vec<Question>,
    /// The tables whose rows are remembered, by their numbers in [`RowKey`](super::RowKey).
    pub rows: Option<RowsAsked>,
    /// Why something that is written is not accounted for.
    pub left_out: Vec<String>,
    /// Whether the workload writes at all.
    pub writes: bool,
}

/// One amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name in the ledger.
    pub name: String,
    /// What changes it, in words.
    pub title: String,
    /// Where it is stored, in words.
    pub source: String,
    /// How it is asked.
    pub asked: Asked,
    /// The tables that are read in whole for it: nobody should ask where they are large.
    pub reads_whole: Vec<String>,
}

/// How an amount is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The sum of the numbers that these queries give.
    Sum(Vec<String>),
    /// Rows that have come, of each of these tables, by a key that grows with each.
    Newer {
        /// The tables.
        tables: Vec<String>,
        /// The key's column.
        key: String,
    },
}

/// Where rows are found that are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsAsked {
    /// By number.
    pub tables: Vec<String>,
    /// The key's column.
    pub key: String,
    /// The column that was written.
    pub value: String,
}
