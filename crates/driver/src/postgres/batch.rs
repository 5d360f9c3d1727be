//! Several statements in one round trip: Bind and Execute for each, and one Sync behind the last.
//!
//! The server carries them out one after another; after an error it skips what is left up to Sync.
//! The same way a BEGIN travels with the first statement of a transaction where autocommit is off.

use contract::{Request, RowSink, SqlError, Value, Verb};

use super::PostgresConnection;
use super::first::opens_transaction;
use super::message::{ReplyReader, put_command, put_sync};
use crate::network::{Batch, Form, Progress, ready_statement};
use crate::sql::{Queued, Sent, up_to_failure};

/// Puts a request behind those that were queued.
pub(super) fn queue(
    connection: &mut PostgresConnection,
    request: Request<'_>,
) -> Result<(), SqlError> {
    let is_first = connection.batch.queued.is_empty();
    if is_first {
        connection.state.returns_rows.clear();
    }
    match request {
        Request::Begin(_) if !connection.session.autocommit => {}
        Request::Begin(_) => put(connection, Verb::Begin, "BEGIN"),
        Request::Commit => put(connection, Verb::Commit, "COMMIT"),
        Request::Execute { statement, parameters } => {
            if is_first && opens_transaction(connection) {
                put(connection, Verb::Begin, "BEGIN");
            }
            put_statement(connection, statement, parameters)?;
        }
    }
    Ok(())
}

fn put(connection: &mut PostgresConnection, verb: Verb, sql: &str) {
    put_command(&mut connection.batch.packet, sql);
    connection.batch.queued.push(Queued::Command(verb));
    connection.state.returns_rows.push(false);
}

fn put_statement(
    connection: &mut PostgresConnection,
    index: usize,
    parameters: &[Value<'_>],
) -> Result<(), SqlError> {
    let ready = ready_statement(&mut connection.statements, index, parameters.len())?;
    let Form::Prepared(prepared) = &mut ready.form else {
        return Err(SqlError::not_prepared(index));
    };
    connection.batch.packet.extend_from_slice(prepared.bind.encode_without_sync(parameters));
    connection.batch.queued.push(Queued::Statement(index));
    connection.state.returns_rows.push(prepared.returns_rows);
    Ok(())
}

/// Sends what was queued; nothing behind the first error is carried out.
pub(super) async fn exchange<S: RowSink>(
    connection: &mut PostgresConnection,
    sink: &mut S,
) -> Result<(), SqlError> {
    let PostgresConnection { exchange, statements, state, batch, .. } = connection;
    let Batch { packet, queued, executed, outcomes } = batch;
    executed.clear();
    let mut sent = Sent { queued, statements };
    put_sync(packet);
    exchange.reader.start(false);
    let read = |reader: &mut ReplyReader, bytes: &[u8]| {
        let returns_rows = &state.returns_rows;
        let outcome = reader.feed_batch(bytes, returns_rows, &mut sent, sink, executed);
        Progress { outcome, answers: executed.len(), missing_bytes: 1 }
    };
    let outcome = exchange.exchange_several(packet, 1, read).await;
    outcomes.extend(up_to_failure(executed, outcome.is_err()));
    outcome
}
