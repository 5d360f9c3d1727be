//! The script `bulk_insert`: every transaction adds a row, and the rows are sent when there are
//! many of them, in one statement.

use std::io::Write;

use contract::{Connection, Discard, SqlError};

use super::keys::Place;
use super::ledger::RowLedger;
use super::schema::table_name;

/// Rows are sent when their statement has so many bytes, as sysbench sends them.
const STATEMENT_BYTES: usize = 512 * 1024;

/// The rows of one client that have not been sent.
#[derive(Debug)]
pub(super) struct BulkRows {
    statement: Vec<u8>,
    head_bytes: usize,
    next_id: u64,
    step: u64,
    rows: u64,
}

impl BulkRows {
    /// Each client has a table of its own, as in sysbench; where there are fewer tables than
    /// clients, those that share one take turns with its ids.
    pub(super) fn new(tables: u64, place: Place) -> Self {
        let table = table_name(place.index % tables);
        let statement = format!("INSERT INTO {table} VALUES ").into_bytes();
        let head_bytes = statement.len();
        let sharing = place.clients.div_ceil(tables);
        Self { statement, head_bytes, next_id: 1 + place.index / tables, step: sharing, rows: 0 }
    }

    /// Adds a row.
    pub(super) fn add(&mut self) {
        let separator = if self.statement.len() > self.head_bytes { "," } else { "" };
        // Writing to memory does not fail.
        let _ = write!(self.statement, "{separator}({0},{0})", self.next_id);
        self.next_id += self.step;
        self.rows += 1;
    }

    /// Sends the rows if they are enough.
    pub(super) async fn send_if_full<C: Connection>(
        &mut self,
        connection: &mut C,
        ledger: &mut RowLedger,
    ) -> Result<(), SqlError> {
        if self.statement.len() < STATEMENT_BYTES {
            return Ok(());
        }
        self.send(connection, ledger).await
    }

    /// Sends the rows, if there are any.
    pub(super) async fn send<C: Connection>(
        &mut self,
        connection: &mut C,
        ledger: &mut RowLedger,
    ) -> Result<(), SqlError> {
        if self.statement.len() > self.head_bytes {
            ledger.inserts(self.rows);
            let sql = std::str::from_utf8(&self.statement).unwrap_or_default();
            let sent = connection.query(sql, &mut Discard).await;
            // Rows of a deadlock can be sent again. Others, such as those of a taken key, would fail for
            // ever, and all rows after them too.
            if !sent.as_ref().is_err_and(|error| error.class().is_retryable()) {
                self.statement.truncate(self.head_bytes);
                self.rows = 0;
            }
            sent?;
        }
        Ok(())
    }
}
