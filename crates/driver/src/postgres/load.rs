//! Loads rows: with COPY, or with INSERT where that is wished for.

use contract::{BulkMethod, Discard, ErrorClass, Executed, RowSource, SqlError, Verb};

use super::connection::{BACKSLASH, PostgresConnection, send};
use super::errors;
use super::message::{Answer, Malformed};
use crate::sql::{Inserts, Quote, TextRows, put_columns, put_name};

/// Rows are sent when so much has gathered.
const PACKET_BYTES: usize = 256 * 1024;

const COPY_DATA: u8 = b'd';
const COPY_DONE: &[u8; 5] = b"c\0\0\0\x04";

/// Sends all rows of a source.
pub(super) async fn load(
    connection: &mut PostgresConnection,
    source: &mut dyn RowSource,
    method: BulkMethod,
) -> Result<(u64, BulkMethod), SqlError> {
    let table = source.table().to_owned();
    let (loaded, method) = match method {
        BulkMethod::Insert => (insert(connection, source).await, BulkMethod::Insert),
        BulkMethod::Auto | BulkMethod::Native => {
            (copy(connection, source).await, BulkMethod::Native)
        }
    };
    let rows = loaded.map_err(|error| error.while_doing(&format!("loading the table {table}")))?;
    Ok((rows, method))
}

async fn insert(
    connection: &mut PostgresConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let mut inserts = Inserts::new(source, Quote::Double, BACKSLASH, usize::MAX);
    let mut total = 0;
    while let Some((sql, rows)) = inserts.next() {
        let answer = connection.ask(Verb::Insert, sql, &mut Discard).await?;
        verify(connection, Verb::Insert, answer, rows)?;
        total += rows;
    }
    Ok(total)
}

async fn copy(
    connection: &mut PostgresConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let sql = statement(source.table(), source.columns());
    match connection.ask(Verb::Other, &sql, &mut Discard).await? {
        Answer::RowsWanted => {}
        Answer::Done(_) => return Err(Malformed("COPY asked for no rows").into()),
    }
    let sent = send_rows(connection, source).await?;
    let answer = connection.receive_more(&mut Discard).await?;
    verify(connection, Verb::Other, answer, sent)?;
    Ok(sent)
}

/// Sends all rows. A server that refuses one says so now and takes no note of the others: that is
/// found when its answer is read.
async fn send_rows(
    connection: &mut PostgresConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let mut rows = TextRows::default();
    let mut packet = Vec::new();
    let mut sent = 0;
    let mut has_more = true;
    while has_more {
        rows.clear();
        while has_more && rows.bytes().len() < PACKET_BYTES {
            has_more = rows.append(source);
            sent += u64::from(has_more);
        }
        put_copy_data(&mut packet, rows.bytes());
        send(&mut connection.stream, &packet)?;
        flush(connection).await?;
    }
    send(&mut connection.stream, COPY_DONE)?;
    Ok(sent)
}

fn put_copy_data(packet: &mut Vec<u8>, rows: &[u8]) {
    packet.clear();
    packet.push(COPY_DATA);
    let length = i32::try_from(rows.len() + 4).unwrap_or(i32::MAX);
    packet.extend_from_slice(&length.to_be_bytes());
    packet.extend_from_slice(rows);
}

/// Waits until the server takes more, and lets the other connections of the loop have their turn.
async fn flush(connection: &mut PostgresConnection) -> Result<(), SqlError> {
    let limit = connection.limits.statement;
    let handle = connection.stream.handle().clone();
    let outcome = connection.stream.flush(handle.turn_time() + limit).await;
    handle.yield_now().await;
    outcome.map_err(|error| {
        let waited_for = format!("room for more rows within {} s", limit.as_secs_f64());
        errors::from_stream(&error, &waited_for)
    })
}

/// The server must have taken every row.
fn verify(
    connection: &mut PostgresConnection,
    verb: Verb,
    answer: Answer,
    sent: u64,
) -> Result<(), SqlError> {
    let Answer::Done(reply) = answer else {
        return Err(Malformed("it asks for rows twice").into());
    };
    match connection.done(verb, reply)? {
        Executed::Affected(taken) if taken == sent => Ok(()),
        other => {
            let message = format!("of {sent} rows the server took another number: {other:?}");
            Err(SqlError::driver(ErrorClass::Other, message))
        }
    }
}

fn statement(table: &str, columns: &[&str]) -> Vec<u8> {
    let mut sql = b"COPY ".to_vec();
    put_name(&mut sql, table, Quote::Double);
    sql.push(b' ');
    put_columns(&mut sql, columns, Quote::Double);
    sql.extend_from_slice(b" FROM STDIN");
    sql
}
