//! The first statement of a transaction where autocommit is off: a BEGIN that nobody asked for travels
//! with it.

use contract::{Connection, Executed, Request, RowSink, SqlError, Value, Verb};

use super::PostgresConnection;
use super::wire::Postgres;
use crate::network::{Form, WireFormat, expect_done, ready_statement};

/// Whether the next statement is the first of a transaction that nobody opens by BEGIN.
#[inline]
pub(super) fn opens_transaction(connection: &PostgresConnection) -> bool {
    !connection.session.autocommit && !connection.exchange.reader.in_transaction()
}

/// Executes a statement with a BEGIN before it, in one round trip.
#[cold]
pub(super) async fn execute<S: RowSink>(
    connection: &mut PostgresConnection,
    index: usize,
    parameters: &[Value<'_>],
    sink: &mut S,
) -> Result<Executed, SqlError> {
    if let Some(Form::Text(_)) = connection.statements.get(index).map(|ready| &ready.form) {
        return query(connection, index, parameters, sink).await;
    }
    connection.batch.forget();
    connection.queue(Request::Execute { statement: index, parameters })?;
    let mut results = Vec::new();
    connection.flush(sink, &mut results).await?;
    Ok(results.pop().unwrap_or(Executed::Affected(0)))
}

/// The same in the text protocol, where the two are one text.
async fn query<S: RowSink>(
    connection: &mut PostgresConnection,
    index: usize,
    parameters: &[Value<'_>],
    sink: &mut S,
) -> Result<Executed, SqlError> {
    let PostgresConnection { exchange, state, statements, outgoing, by_verb, counters, .. } =
        connection;
    let ready = ready_statement(statements, index, parameters.len())?;
    let Form::Text(template) = &ready.form else { return Err(SqlError::not_prepared(index)) };
    Postgres::put_query(outgoing, &mut exchange.reader, |packet| {
        packet.extend_from_slice(b"BEGIN;");
        template.write(parameters, Postgres::backslash(state), packet)
    })?;
    exchange.send(outgoing)?;
    by_verb.of(Verb::Begin).sent();
    ready.count.sent();
    let answer = exchange.receive(&mut ready.columns, sink, exchange.limits.statement).await?;
    let executed = Postgres::answered(state, Verb::Other, expect_done::<Postgres>(answer)?)?;
    ready.count.succeeded(executed);
    counters.count_of(Verb::Begin, Executed::Affected(0));
    counters.count_fellow(executed);
    Ok(executed)
}
