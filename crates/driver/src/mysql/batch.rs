//! Several statements in one round trip: one text, with semicolons between them.
//!
//! The server carries them out one after another and stops at the first error. It answers each, and
//! says with each answer whether another follows.

use contract::{ErrorClass, Request, RowSink, SqlError, Verb};

use super::MysqlConnection;
use super::packet::{Format, ReplyReader, finish};
use super::wire::{Mysql, QUERY};
use crate::network::{Batch, Form, Progress, WireFormat, ready_statement};
use crate::sql::{Queued, Sent, up_to_failure};

/// Puts a request behind those that were queued.
pub(super) fn queue(
    connection: &mut MysqlConnection,
    request: Request<'_>,
) -> Result<(), SqlError> {
    let backslash = Mysql::backslash(&connection.state);
    let MysqlConnection { batch, statements, session, .. } = connection;
    if matches!(request, Request::Begin(_)) && !session.autocommit {
        return Ok(());
    }
    let packet = &mut batch.packet;
    packet.extend_from_slice(if batch.queued.is_empty() { &QUERY } else { b";" });
    let queued = match request {
        Request::Begin(_) => {
            packet.extend_from_slice(b"BEGIN");
            Queued::Command(Verb::Begin)
        }
        Request::Commit => {
            packet.extend_from_slice(b"COMMIT");
            Queued::Command(Verb::Commit)
        }
        Request::Execute { statement, parameters } => {
            let ready = ready_statement(statements, statement, parameters.len())?;
            let Form::Text(template) = &ready.form else {
                return Err(SqlError::not_prepared(statement));
            };
            template.write(parameters, backslash, packet)?;
            Queued::Statement(statement)
        }
    };
    batch.queued.push(queued);
    Ok(())
}

/// Sends what was queued; nothing behind the first error is carried out.
pub(super) async fn exchange<S: RowSink>(
    connection: &mut MysqlConnection,
    sink: &mut S,
) -> Result<(), SqlError> {
    let MysqlConnection { exchange, statements, state, batch, .. } = connection;
    let Batch { packet, queued, executed, outcomes } = batch;
    let mut status = state.transaction.status();
    executed.clear();
    let mut sent = Sent { queued, statements };
    let answer = finish(packet, 0);
    exchange.reader.start(Format::Text, answer);
    let read = |reader: &mut ReplyReader, bytes: &[u8]| {
        let outcome = reader.feed_batch(bytes, &mut sent, sink, executed, &mut status);
        Progress { outcome, answers: executed.len(), missing_bytes: 1 }
    };
    let outcome = exchange.exchange_several(packet, 1, read).await;
    let outcome = outcome.and_then(|()| check_answers(queued.len(), executed.len()));
    let transaction = &mut state.transaction;
    match (queued.first(), queued.last()) {
        (_, Some(Queued::Command(Verb::Commit))) if outcome.is_ok() => transaction.ended(status),
        (Some(Queued::Command(Verb::Begin)), _) if !executed.is_empty() => {
            transaction.began(status);
        }
        _ => transaction.answered(status),
    }
    if outcome.is_err() {
        transaction.failed();
    }
    outcomes.extend(up_to_failure(executed, outcome.is_err()));
    outcome
}

/// What returns several results, and is no plain CALL, shifts the answers behind it: nothing in them says
/// where those to one statement end.
fn check_answers(statements: usize, answers: usize) -> Result<(), SqlError> {
    if statements == answers {
        return Ok(());
    }
    let message = format!(
        "{statements} statements were sent together, and {answers} answers came: a statement among them \
         returns several results; send each by itself (protocol prepared or text)"
    );
    Err(SqlError::driver(ErrorClass::Protocol, message))
}
