//! Loads rows: with COPY, or with INSERT where that is wished for.

use contract::{BulkMethod, Discard, ErrorClass, Executed, RowSource, SqlError, Verb};

use super::PostgresConnection;
use super::message::{Answer, Malformed};
use crate::network;
use crate::sql::{Quote, TextRows, put_columns, put_name};

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
        BulkMethod::Insert => {
            let inserted = network::insert(connection, source, Quote::Double, usize::MAX).await;
            (inserted, BulkMethod::Insert)
        }
        BulkMethod::Auto | BulkMethod::Native => {
            (copy(connection, source).await, BulkMethod::Native)
        }
    };
    let rows = loaded.map_err(|error| error.while_doing(&format!("loading the table {table}")))?;
    Ok((rows, method))
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
    let PostgresConnection { exchange, columns, .. } = connection;
    let Answer::Done(reply) =
        exchange.receive(columns, &mut Discard, exchange.limits.statement).await?
    else {
        return Err(Malformed("it asks for rows twice").into());
    };
    check_rows_taken(sent, connection.done(Verb::Other, reply)?)?;
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
        connection.exchange.send(&packet)?;
        connection.exchange.make_room().await?;
    }
    connection.exchange.send(COPY_DONE)?;
    Ok(sent)
}

fn put_copy_data(packet: &mut Vec<u8>, rows: &[u8]) {
    packet.clear();
    packet.push(COPY_DATA);
    let length = i32::try_from(rows.len() + 4).unwrap_or(i32::MAX);
    packet.extend_from_slice(&length.to_be_bytes());
    packet.extend_from_slice(rows);
}

/// The server must have taken every row.
pub(super) fn check_rows_taken(sent: u64, executed: Executed) -> Result<(), SqlError> {
    match executed {
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
