//! Loads rows: with LOAD DATA LOCAL INFILE where the server takes it, otherwise with INSERT.
//!
//! "Local file" is the protocol's name for it: the rows come from their source, never from a file of
//! this machine, and are sent only when the server asks for them in answer to this very statement.

use contract::{BulkMethod, Discard, ErrorClass, RowSource, SqlError, Verb};

use super::MysqlConnection;
use super::packet::{Answer, Format, HEADER_BYTES, finish};
use super::rows_taken::{check, largest_payload};
use crate::network;
use crate::sql::{Backslash, Quote, TextRows, put_columns, put_name, put_text};

/// Rows in one statement, and so in one transaction: enough that the statement costs nothing, few
/// enough that the server's undo log stays small.
const ROWS_PER_STATEMENT: u64 = 50_000;

/// Rows are sent when so much has gathered.
const PACKET_BYTES: usize = 256 * 1024;

/// Sends all rows of a source.
pub(super) async fn load(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
    method: BulkMethod,
) -> Result<(u64, BulkMethod), SqlError> {
    match method {
        BulkMethod::Insert => Ok((insert(connection, source).await?, method)),
        BulkMethod::Auto if !connection.state.takes_local_files => {
            Ok((insert(connection, source).await?, BulkMethod::Insert))
        }
        BulkMethod::Native | BulkMethod::Auto => {
            let packet_bytes = largest_payload(connection).await?.min(PACKET_BYTES);
            let sql = statement(source);
            match begin(connection, &sql).await {
                Err(error) if method == BulkMethod::Auto && is_refusal(&error) => {
                    connection.state.bulk_refusal = Some(error);
                    Ok((insert(connection, source).await?, BulkMethod::Insert))
                }
                Err(error) => Err(error),
                Ok(()) => {
                    let rows = load_data(connection, source, &sql, packet_bytes).await?;
                    Ok((rows, BulkMethod::Native))
                }
            }
        }
    }
}

async fn insert(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let limit_bytes = largest_payload(connection).await?;
    network::insert(connection, source, Quote::Backtick, limit_bytes).await
}

/// Whether LOAD DATA was refused before the first row was taken from the source. Servers may have it
/// switched off, and layers in front of them not know it, or not with these clauses.
fn is_refusal(error: &SqlError) -> bool {
    let class = error.class();
    !class.ends_connection() && !class.is_retryable()
}

/// Has the server ask for rows.
async fn begin(connection: &mut MysqlConnection, sql: &[u8]) -> Result<(), SqlError> {
    match connection.ask(Verb::Other, sql, &mut Discard).await? {
        Answer::RowsWanted => Ok(()),
        // The server took it for done without a single row.
        Answer::Done(_) => Err(refused("LOAD DATA loaded no rows")),
    }
}

/// Sends all rows; the server has asked for the first.
async fn load_data(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
    sql: &[u8],
    packet_bytes: usize,
) -> Result<u64, SqlError> {
    let mut total = 0;
    loop {
        let sent = send_rows(connection, source, packet_bytes).await?;
        let limit = connection.exchange.limits.statement;
        match connection.exchange.receive(&mut Vec::new(), &mut Discard, limit).await? {
            Answer::Done(reply) => {
                connection.done(Verb::Other, reply)?;
                check(connection, source.table(), sent, reply).await?;
            }
            Answer::RowsWanted => return Err(refused("LOAD DATA asked for its rows twice")),
        }
        total += sent;
        if sent < ROWS_PER_STATEMENT {
            return Ok(total);
        }
        begin(connection, sql).await?;
    }
}

/// Sends the rows of one statement, cut into packets wherever one is full, and the empty packet that
/// ends them.
async fn send_rows(
    connection: &mut MysqlConnection,
    source: &mut dyn RowSource,
    packet_bytes: usize,
) -> Result<u64, SqlError> {
    let mut rows = TextRows::default();
    let mut packet = Vec::new();
    let mut sent = 0;
    let mut sequence = connection.exchange.reader.sequence();
    let mut has_more = true;
    while has_more {
        rows.clear();
        while has_more && rows.bytes().len() < packet_bytes {
            has_more = sent < ROWS_PER_STATEMENT && rows.append(source);
            sent += u64::from(has_more);
        }
        assert!(
            rows.bytes().is_ascii() || !source.is_ascii(),
            "the server was told that the rows of {} are ASCII",
            source.table()
        );
        for piece in rows.bytes().chunks(packet_bytes) {
            sequence = send_packet(connection, &mut packet, piece, sequence)?;
            connection.exchange.make_room().await?;
        }
    }
    sequence = send_packet(connection, &mut packet, &[], sequence)?;
    connection.exchange.reader.start(Format::Text, sequence);
    Ok(sent)
}

fn send_packet(
    connection: &mut MysqlConnection,
    packet: &mut Vec<u8>,
    payload: &[u8],
    sequence: u8,
) -> Result<u8, SqlError> {
    packet.clear();
    packet.resize(HEADER_BYTES, 0);
    packet.extend_from_slice(payload);
    let next = finish(packet, sequence);
    connection.exchange.send(packet)?;
    Ok(next)
}

fn refused(message: &str) -> SqlError {
    SqlError::driver(ErrorClass::Other, message)
}

/// What the server takes the rows' bytes for. ASCII is read as latin1, of which every byte is a
/// character: that is the fastest, and has the same meaning.
fn character_set(source: &dyn RowSource) -> &'static str {
    if source.is_ascii() { "latin1" } else { "utf8mb4" }
}

/// The separators are given in hexadecimal, which means the same whatever a backslash means.
fn statement(source: &dyn RowSource) -> Vec<u8> {
    statement_for(source.table(), source.columns(), character_set(source))
}

fn statement_for(table: &str, columns: &[&str], character_set: &str) -> Vec<u8> {
    let mut sql = b"LOAD DATA LOCAL INFILE ".to_vec();
    // The name comes back in the server's request and has no other use.
    put_text(&mut sql, "rows", Backslash::Escapes);
    sql.extend_from_slice(b" INTO TABLE ");
    put_name(&mut sql, table, Quote::Backtick);
    sql.extend_from_slice(b" CHARACTER SET ");
    sql.extend_from_slice(character_set.as_bytes());
    sql.extend_from_slice(
        b" FIELDS TERMINATED BY x'09' ESCAPED BY x'5c' \
           LINES TERMINATED BY x'0a' ",
    );
    put_columns(&mut sql, columns, Quote::Backtick);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_separators_need_no_backslash() {
        let sql = String::from_utf8(statement_for("t`x", &["a", "b"], "utf8mb4")).unwrap();
        assert_eq!(
            sql,
            "LOAD DATA LOCAL INFILE 'rows' INTO TABLE `t``x` CHARACTER SET utf8mb4 \
             FIELDS TERMINATED BY x'09' ESCAPED BY x'5c' LINES TERMINATED BY x'0a' (`a`,`b`)"
        );
    }
}
