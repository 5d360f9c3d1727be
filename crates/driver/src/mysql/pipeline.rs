//! Several prepared statements in one round trip: their packets one behind the other.
//!
//! A server reads one command after another, and answers each, whether or not the client has waited
//! for the last answer. It does not stop at an error: what follows it is carried out too. So
//! nothing may be sent like this that must not outlive an error. Without autocommit that is COMMIT
//! alone: should the error have ended the transaction, what comes behind it opens another, and the
//! ROLLBACK that follows takes it back.

use contract::{ErrorClass, Request, RowSink, SqlError};

use super::MysqlConnection;
use super::errors;
use super::packet::{Format, ReplyReader};
use crate::network::{Form, Progress, ready_statement};
use crate::sql::{Queued, Sent};

/// What to do about a connection that the server ended over several statements at once.
const ADVICE: &str = "several statements shared a round trip, which a layer in front of a server may \
                      not take: try pipelining: off (--pipelining off)";

/// The same error, with that advice where the server ended the connection in words of its own, which a
/// server that is gone has none of.
pub(super) fn with_advice(error: SqlError) -> SqlError {
    let is_gone = matches!(error.code(), 0 | errors::GONE_WHILE_ANSWERING);
    if error.class().ends_connection() && !is_gone { error.with_advice(ADVICE) } else { error }
}

/// Puts a statement behind those that were queued.
pub(super) fn queue(
    connection: &mut MysqlConnection,
    request: Request<'_>,
) -> Result<(), SqlError> {
    let Request::Execute { statement, parameters } = request else {
        let message = "BEGIN and COMMIT do not travel with statements that may fail";
        return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
    };
    let MysqlConnection { batch, statements, .. } = connection;
    let ready = ready_statement(statements, statement, parameters.len())?;
    let Form::Prepared(execute) = &mut ready.form else {
        return Err(SqlError::not_prepared(statement));
    };
    let (packet, _) = execute.encode(parameters);
    batch.packet.extend_from_slice(packet);
    batch.queued.push(Queued::Statement(statement));
    Ok(())
}

/// Sends what was queued; the first error is told when all answers are there.
pub(super) async fn exchange<S: RowSink>(
    connection: &mut MysqlConnection,
    sink: &mut S,
) -> Result<(), SqlError> {
    let MysqlConnection { exchange, statements, state, batch, .. } = connection;
    let (transaction, replies) = (&mut state.transaction, &mut state.replies);
    replies.expect(batch.queued.len());
    let mut status = transaction.status();
    let mut sent = Sent { queued: &batch.queued, statements };
    // Each command begins to count anew: every answer's first packet is number 1.
    exchange.reader.start(Format::Binary, 1);
    // The server sends each answer by itself, as soon as it has it.
    let missing_bytes = replies.missing_bytes();
    let read = |reader: &mut ReplyReader, bytes: &[u8]| {
        let outcome = reader.feed_pipeline(bytes, &mut sent, sink, replies, &mut status);
        let (answers, missing_bytes) = (replies.succeeded().len(), replies.missing_bytes());
        Progress { outcome, answers, missing_bytes }
    };
    let outcome = exchange.exchange_several(&batch.packet, missing_bytes, read).await;
    transaction.answered(status);
    if outcome.is_err() {
        transaction.failed();
    }
    batch.outcomes.extend_from_slice(replies.succeeded());
    // A server does not stop at an error: what was not answered was sent all the same.
    batch.outcomes.resize(batch.queued.len(), None);
    outcome
}
