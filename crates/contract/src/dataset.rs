//! What a workload's data are, for the loader.

use crate::statement::Dialect;

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkMethod {
    /// The fastest that the server offers.
    Auto,
    /// The server's own bulk format: LOAD DATA LOCAL INFILE, COPY.
    Native,
    /// INSERT with many rows.
    Insert,
}

impl BulkMethod {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Insert => "insert",
        }
    }
}

/// A piece of one table that is loaded in one go, by one connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chunk {
    /// Which table, in the dataset's own numbering.
    pub table: usize,
    /// First row, in the dataset's own numbering.
    pub first: u64,
    /// How many rows.
    pub rows: u64,
}

/// Takes the fields of one row in the order of the columns.
pub trait RowWriter {
    /// SQL NULL.
    fn null(&mut self);
    /// Any integer.
    fn int(&mut self, value: i64);
    /// Text, and exact decimals in text form.
    fn text(&mut self, value: &str);
}

/// The rows of one chunk, one after another.
pub trait RowSource {
    /// The table's name.
    fn table(&self) -> &str;
    /// Its columns, in the order in which fields are written.
    fn columns(&self) -> &[&'static str];
    /// Whether all text is ASCII. A server that is told so need not look for characters of several
    /// bytes, which is a quarter of `MariaDB`'s work on such rows.
    fn is_ascii(&self) -> bool {
        false
    }
    /// Writes the next row; false after the last.
    fn next(&mut self, row: &mut dyn RowWriter) -> bool;
}

/// A question whose answer shows whether a table holds what this dataset would have put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The table.
    pub table: String,
    /// A query with one row as answer.
    pub sql: String,
    /// The fields of that row in text form.
    pub expected: Vec<String>,
}

/// What a workload's tables hold. The same seed gives the same rows, however many connections load.
pub trait Dataset: Send + Sync {
    /// Workload, scale, seed, schema and distribution in words: equal for equal data.
    fn fingerprint(&self) -> String;
    /// The tables' names.
    fn tables(&self) -> Vec<String>;
    /// Whether a load that was cut short can be taken up again. The loader then keeps, in a table
    /// `dbdyno_loading` beside the dataset's own, what is there already. The tables need an engine
    /// with transactions, the same fingerprint must mean the same chunks, and a statement of
    /// [`create`](Self::create) or [`finish`](Self::finish) must either do no harm a second time or
    /// fail because what it makes is there.
    fn is_resumable(&self) -> bool {
        false
    }
    /// Whether [`create`](Self::create) makes the tables; otherwise they are there, and empty.
    fn makes_tables(&self) -> bool {
        true
    }
    /// Statements before the rows; each may run beside the others.
    fn create(&self, dialect: Dialect) -> Vec<String>;
    /// All rows, in pieces: table by table, and in each table in the order of its key.
    fn chunks(&self) -> Vec<Chunk>;
    /// The rows of one piece.
    fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource>;
    /// The table that a piece is of.
    fn table_of(&self, chunk: &Chunk) -> String {
        self.rows(chunk).table().to_owned()
    }
    /// Statements after the rows (indexes, statistics), in stages, one after another: each has lists
    /// that may run beside one another, each list in its own order on one connection.
    fn finish(&self, dialect: Dialect) -> Vec<Vec<Vec<String>>>;
    /// Statements that remove everything again.
    fn drop(&self, dialect: Dialect) -> Vec<String>;
    /// Questions that tell this dataset from another.
    fn verifications(&self, dialect: Dialect) -> Vec<Verification>;
    /// Questions that look at a sample of large tables; where there are none, the same.
    fn sampled_verifications(&self, dialect: Dialect) -> Vec<Verification> {
        self.verifications(dialect)
    }
}
