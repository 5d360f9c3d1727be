//! Loads rows with INSERT, many rows a statement: what every server takes.

use contract::{Discard, ErrorClass, RowSource, RowWriter, SqlError, Verb};

use super::connection::MysqlConnection;
use super::literal::{Backslash, put_int, put_name, put_text};
use super::load::{largest_payload, put_columns, verify};
use super::packet::Answer;

/// A statement is sent when it has so many rows, or so many bytes.
const ROWS_PER_STATEMENT: u64 = 1000;
const STATEMENT_BYTES: usize = 512 * 1024;

/// Inserts all rows of a source.
pub(super) async fn insert(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let limit = largest_payload(connection).await?.min(STATEMENT_BYTES);
    let mut row = LiteralRow { bytes: Vec::new(), backslash: connection.backslash() };
    let mut sql = head(source);
    let head_bytes = sql.len();
    let (mut rows, mut total) = (0, 0);
    while row.read(source) {
        if rows == ROWS_PER_STATEMENT || rows > 0 && sql.len() + 1 + row.bytes.len() > limit {
            send(connection, source.table(), &sql, rows).await?;
            sql.truncate(head_bytes);
            rows = 0;
        }
        if rows > 0 {
            sql.push(b',');
        }
        sql.extend_from_slice(&row.bytes);
        rows += 1;
        total += 1;
    }
    if rows > 0 {
        send(connection, source.table(), &sql, rows).await?;
    }
    Ok(total)
}

fn head(source: &dyn RowSource) -> Vec<u8> {
    let mut sql = b"INSERT INTO ".to_vec();
    put_name(&mut sql, source.table());
    sql.push(b' ');
    put_columns(&mut sql, source.columns());
    sql.extend_from_slice(b" VALUES ");
    sql
}

async fn send(
    connection: &mut MysqlConnection,
    table: &str,
    sql: &[u8],
    rows: u64,
) -> Result<(), SqlError> {
    let write = |packet: &mut Vec<u8>| packet.extend_from_slice(sql);
    match connection.ask(Verb::Insert, write, &mut Discard).await? {
        Answer::Done(reply) => {
            connection.done(Verb::Insert, reply);
            verify(connection, table, rows, reply).await
        }
        Answer::RowsWanted => {
            let message = "the server answered an INSERT with the request for a file";
            Err(SqlError::driver(ErrorClass::Protocol, message))
        }
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
