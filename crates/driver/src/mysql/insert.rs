//! Loads rows with INSERT.

use contract::{Discard, ErrorClass, RowSource, SqlError, Verb};

use super::connection::MysqlConnection;
use super::load::{largest_payload, verify};
use super::packet::Answer;
use crate::sql::{Inserts, Quote};

/// Inserts all rows of a source.
pub(super) async fn insert(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let limit_bytes = largest_payload(connection).await?;
    let mut inserts = Inserts::new(source, Quote::Backtick, connection.backslash(), limit_bytes);
    let table = inserts.table().to_owned();
    let mut total = 0;
    while let Some((sql, rows)) = inserts.next() {
        send(connection, &table, sql, rows).await?;
        total += rows;
    }
    Ok(total)
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
