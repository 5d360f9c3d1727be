//! Rows as INSERT statements, many rows each: what every server takes.

use contract::{RowSource, RowWriter};

use super::literal::{Backslash, Quote, put_columns, put_int, put_name, put_text};

/// A statement is complete when it has so many rows, or so many bytes.
const ROWS_PER_STATEMENT: u64 = 1000;
const STATEMENT_BYTES: usize = 512 * 1024;

/// The statements that insert all rows of a source, one after another.
pub(crate) struct Inserts<'a> {
    source: &'a mut dyn RowSource,
    limit_bytes: usize,
    sql: Vec<u8>,
    head_bytes: usize,
    /// The row that opens the next statement, if there is one.
    next: LiteralRow,
    has_next: bool,
}

impl<'a> Inserts<'a> {
    /// For a server that takes statements of at most `limit_bytes`, one row or more.
    pub fn new(
        source: &'a mut dyn RowSource,
        quote: Quote,
        backslash: Backslash,
        limit_bytes: usize,
    ) -> Self {
        let mut sql = b"INSERT INTO ".to_vec();
        put_name(&mut sql, source.table(), quote);
        sql.push(b' ');
        put_columns(&mut sql, source.columns(), quote);
        sql.extend_from_slice(b" VALUES ");
        let mut next = LiteralRow { bytes: Vec::new(), backslash };
        let has_next = next.read(source);
        let (limit_bytes, head_bytes) = (limit_bytes.min(STATEMENT_BYTES), sql.len());
        Self { source, limit_bytes, sql, head_bytes, next, has_next }
    }

    /// The table that the rows are for.
    pub fn table(&self) -> &str {
        self.source.table()
    }

    /// The next statement, and how many rows it inserts.
    pub fn next(&mut self) -> Option<(&[u8], u64)> {
        self.sql.truncate(self.head_bytes);
        let mut rows = 0;
        while self.has_next && (rows == 0 || self.fits(rows)) {
            if rows > 0 {
                self.sql.push(b',');
            }
            self.sql.extend_from_slice(&self.next.bytes);
            rows += 1;
            self.has_next = self.next.read(self.source);
        }
        (rows > 0).then_some((self.sql.as_slice(), rows))
    }

    fn fits(&self, rows: u64) -> bool {
        rows < ROWS_PER_STATEMENT && self.sql.len() + 1 + self.next.bytes.len() <= self.limit_bytes
    }
}

/// One row as SQL: `(1,'text',NULL)`.
struct LiteralRow {
    bytes: Vec<u8>,
    backslash: Backslash,
}

impl LiteralRow {
    /// Reads the source's next row; false where there is none.
    fn read(&mut self, source: &mut dyn RowSource) -> bool {
        self.bytes.clear();
        let read = source.next(self);
        self.bytes.push(b')');
        read
    }

    fn separate(&mut self) {
        self.bytes.push(if self.bytes.is_empty() { b'(' } else { b',' });
    }
}

impl RowWriter for LiteralRow {
    fn null(&mut self) {
        self.separate();
        self.bytes.extend_from_slice(b"NULL");
    }

    fn int(&mut self, value: i64) {
        self.separate();
        put_int(&mut self.bytes, value);
    }

    fn text(&mut self, value: &str) {
        self.separate();
        put_text(&mut self.bytes, value, self.backslash);
    }
}
