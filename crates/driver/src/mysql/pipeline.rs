//! Several prepared statements in one round trip: their packets one behind the other.
//!
//! A server reads one command after another, and answers each, whether or not the client has waited
//! for the last answer. It does not stop at an error: what follows it is carried out too. So
//! nothing may be sent like this that must not outlive an error. Without autocommit that is COMMIT
//! alone: should the error have ended the transaction, what comes behind it opens another, and the
//! ROLLBACK that follows takes it back.

use std::ops::ControlFlow;

use contract::{ErrorClass, Executed, Request, RowSink, SqlError};

use super::connection::{MysqlConnection, lost_or_late, send};
use super::errors;
use super::packet::{Format, PipelineReplies};
use super::statement::Form;
use crate::sql::{Queued, Sent};
use crate::stream::AnswerClock;

/// What to do about a connection that the server ended over several statements at once.
const ADVICE: &str = "several statements shared a round trip, which a layer in front of a server may \
                      not take: try pipelining: off (--pipelining off)";

/// The same error, with that advice where the server ended the connection in words of its own, which a
/// server that is gone has none of.
pub(super) fn with_advice(error: SqlError) -> SqlError {
    let is_gone = matches!(error.code(), 0 | errors::GONE_WHILE_ANSWERING);
    if error.class().ends_connection() && !is_gone { error.with_advice(ADVICE) } else { error }
}

/// What is sent next.
#[derive(Default)]
pub(super) struct Pipeline {
    packets: Vec<u8>,
    queued: Vec<Queued>,
    replies: PipelineReplies,
}

impl Pipeline {
    /// Forgets what was queued and is not to be sent.
    pub fn forget(&mut self) {
        self.queued.clear();
    }
}

impl MysqlConnection {
    pub(super) fn queue_prepared(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        let written = self.write_prepared(request);
        if written.is_err() {
            // What stands before it must not be sent without it.
            self.pipeline.forget();
        }
        written
    }

    fn write_prepared(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        let Request::Execute { statement, parameters } = request else {
            let message = "BEGIN and COMMIT do not travel with statements that may fail";
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        };
        let Self { pipeline: Pipeline { packets, queued, .. }, statements, .. } = self;
        if queued.is_empty() {
            packets.clear();
        }
        let Some(ready) = statements.get_mut(statement) else {
            return Err(SqlError::not_prepared(statement));
        };
        let Form::Prepared(execute) = &mut ready.form else {
            return Err(SqlError::not_prepared(statement));
        };
        if parameters.len() != execute.parameters() {
            let wanted = execute.parameters();
            return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters.len()));
        }
        let (packet, _) = execute.encode(parameters);
        packets.extend_from_slice(packet);
        queued.push(Queued::Statement(statement));
        Ok(())
    }

    /// Sends what was queued; the first error is told when all answers are there.
    pub(super) async fn flush_pipeline<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        results.clear();
        if self.pipeline.queued.is_empty() {
            return Ok(());
        }
        let outcome = self.exchange_pipeline(sink).await;
        self.count_pipeline(results);
        outcome
    }

    async fn exchange_pipeline<S: RowSink>(&mut self, sink: &mut S) -> Result<(), SqlError> {
        let Self { stream, reader, statements, state, limits, pipeline, .. } = self;
        let Pipeline { packets, queued, replies } = pipeline;
        replies.expect(queued.len());
        let mut status = state.status();
        let mut sent = Sent { queued, statements };
        // Each command begins to count anew: every answer's first packet is number 1.
        reader.start(Format::Binary, 1);
        send(stream, packets)?;
        let (mut clock, deadline) = AnswerClock::start(stream, limits.statement);
        // The server sends each answer by itself, as soon as it has it.
        let missing = replies.missing_bytes();
        let feed = |bytes: &[u8]| {
            let fed =
                reader.feed_pipeline(bytes, &mut sent, sink, replies, &mut status).transpose();
            clock.answered(replies.succeeded().len());
            fed.map_or_else(|| ControlFlow::Continue(replies.missing_bytes()), ControlFlow::Break)
        };
        let outcome = match stream.receive_pieces(deadline, missing, feed).await {
            Ok(answers) => answers,
            Err(error) => Err(lost_or_late(reader, &error, limits.statement)),
        };
        state.answered(status);
        if outcome.is_err() {
            state.failed();
        }
        outcome
    }

    fn count_pipeline(&mut self, results: &mut Vec<Executed>) {
        let Self { pipeline, statements, by_verb, counters, .. } = self;
        // A server does not stop at an error: what was not answered was sent all the same.
        let answered = pipeline.replies.succeeded().iter().copied();
        let outcomes = answered.chain(std::iter::repeat(None));
        Sent { queued: &pipeline.queued, statements }.count(outcomes, by_verb, counters, results);
        pipeline.queued.clear();
    }
}
