//! What becomes of an attempt at a transaction, for those that are not simply done.

use contract::{
    Client, Connection, Driver, ErrorClass, Outcome, SqlError, StatementCounters, Workload,
};
use eventloop::Timestamp;
use random::Stream;

use crate::completion::Completion;
use crate::context::Context;
use crate::transaction_log::Line;

/// A transaction that a client has begun.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    pub client: usize,
    pub kind: usize,
    pub scheduled: Timestamp,
    pub start: Timestamp,
}

/// Commits a transaction that a workload has left open because there was no BEGIN.
pub(crate) async fn commit_if_left_open<C: Connection>(connection: &mut C) -> Result<(), SqlError> {
    if connection.in_transaction() { connection.commit().await } else { Ok(()) }
}

/// Cleans up after an attempt that failed, and waits before the next; what becomes of the
/// transaction where there is to be none.
pub(crate) async fn recover<D: Driver, W: Workload>(
    context: &Context<D, W>,
    connection: &mut D::Connection,
    backoff: &mut Stream,
    begun: &Begun,
    attempt: u32,
    error: &SqlError,
) -> Option<Result<Timestamp, ConnectionGone>> {
    // A server that takes no writes will take none the next time either; a new connection may lead to one
    // that does.
    let stays = error.class() != ErrorClass::ReadOnly || !connection.leave_host();
    let usable =
        stays && !error.class().ends_connection() && clean_up(context, connection, error).await;
    let policy = &context.options().retry;
    let is_survivable = policy.errors.contains(error);
    let retry =
        usable && is_survivable && attempt < policy.max_retries && !context.is_draining_out();
    attempt_failed(context, begun.kind, attempt, error, retry);
    if !retry {
        give_up(context, begun, attempt, error, connection.take_counters());
        if !is_survivable {
            context.failed_for_good(error);
        }
        // An error that the driver finds needs no answer: without this, a client that meets nothing
        // else would never let the loop look at the time.
        context.handle().yield_now().await;
        return Some(if usable { Ok(Timestamp::now()) } else { Err(ConnectionGone) });
    }
    let pause = policy.backoff(attempt, backoff.unit());
    context.handle().clear_deadline();
    context.handle().sleep_until(Timestamp::now() + pause).await;
    None
}

/// What became of an attempt on the server that ended in an error. Where the connection is gone, the
/// COMMIT may have been carried out whose answer never came; a server that takes no writes has carried
/// out none.
pub(crate) fn outcome_of_failure(
    error: &SqlError,
    given_up: Option<&Result<Timestamp, ConnectionGone>>,
) -> Outcome {
    let is_gone =
        matches!(given_up, Some(Err(ConnectionGone))) && error.class() != ErrorClass::ReadOnly;
    if is_gone || !error.class().undoes() { Outcome::Unknown } else { Outcome::Undone }
}

pub(crate) fn attempt_failed<D: Driver, W: Workload>(
    context: &Context<D, W>,
    kind: usize,
    attempt: u32,
    error: &SqlError,
    retry: bool,
) {
    let now = Timestamp::now();
    let mut recorder = context.recorder();
    recorder.error(error, now);
    if attempt == 0 {
        recorder.first_attempt_abort(kind, now);
    }
    if retry {
        recorder.retry(kind, now);
    }
}

/// Writes a transaction down that ended well, where a log is kept.
#[cold]
pub(crate) fn log_completed<D: Driver, W: Workload>(
    context: &Context<D, W>,
    completion: &Completion,
    retries: u32,
    carried_out_by: &W::Client,
) {
    let Completion { client, kind, ending, scheduled, start, end, handled } = *completion;
    let mut note = String::new();
    carried_out_by.note(&mut note);
    let (client, start, ending) = (Some(client), Some(start), ending.name());
    let phase = context.recorder().phase_at(end);
    let note = note.as_str();
    let line = Line { client, kind, scheduled, start, end, handled, ending, phase, retries, note };
    context.log(&line);
}

/// Counts a transaction that is given up, and writes it down where a log is kept: both have the same
/// end, so that both are of the same phase.
#[cold]
pub(crate) fn give_up<D: Driver, W: Workload>(
    context: &Context<D, W>,
    begun: &Begun,
    retries: u32,
    error: &SqlError,
    counters: StatementCounters,
) {
    let Begun { client, kind, scheduled, start } = *begun;
    let end = Timestamp::now();
    context.transaction_failed((kind, scheduled), end, counters);
    let (client, start, phase) = (Some(client), Some(start), context.recorder().phase_at(end));
    let (ending, note) = ("failed", error.class().name());
    let handled = end;
    let line = Line { client, kind, scheduled, start, end, handled, ending, phase, retries, note };
    context.log(&line);
}

/// Rolls back, and has statements that were lost prepared anew. Whether the connection can be used
/// afterwards.
async fn clean_up<D: Driver, W: Workload>(
    context: &Context<D, W>,
    connection: &mut D::Connection,
    error: &SqlError,
) -> bool {
    let mut result = connection.rollback().await;
    // Galera answers a rollback with a deadlock where another node's write has ended the transaction
    // meanwhile. It is over then, and so it is for the next rollback.
    if let Err(refusal) = &result
        && refusal.class() == ErrorClass::Deadlock
    {
        context.recorder().error(refusal, Timestamp::now());
        result = connection.rollback().await;
    }
    if result.is_ok() && error.class() == ErrorClass::StatementLost {
        result = connection.prepare_anew().await;
    }
    if let Err(error) = &result {
        context.recorder().error(error, Timestamp::now());
    }
    result.is_ok()
}

/// The connection can't be used any more; what that did to the transaction has been recorded.
pub(crate) struct ConnectionGone;
