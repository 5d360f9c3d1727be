//! Several prepared statements in one round trip: their packets one behind the other.
//!
//! A server reads one command after another, and answers each, whether or not the client has waited
//! for the last answer. It does not stop at an error: what follows it is carried out too. So
//! nothing may be sent like this that must not outlive an error. Without autocommit that is COMMIT
//! alone: should the error have ended the transaction, what comes behind it opens another, and the
//! ROLLBACK that follows takes it back.

use std::ops::ControlFlow;

use contract::{Discard, ErrorClass, Executed, Request, RowSink, SqlError, Value};

use super::connection::{MysqlConnection, lost_or_late, send};
use super::packet::{Column, Format, PipelineReplies};
use super::statement::Form;

/// What is sent next.
#[derive(Default)]
pub(super) struct Pipeline {
    packets: Vec<u8>,
    queued: Vec<usize>,
    replies: PipelineReplies,
}

impl Pipeline {
    /// Whether nothing was queued.
    pub fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

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
        queued.push(statement);
        Ok(())
    }

    /// Sends what was queued; the first error is told when all answers are there.
    pub(super) async fn flush_pipeline(
        &mut self,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        results.clear();
        if self.pipeline.queued.is_empty() {
            return Ok(());
        }
        let outcome = self.exchange_pipeline(&mut Vec::new(), &mut Discard).await;
        self.count_pipeline(results);
        outcome
    }

    /// Sends what was queued and a statement behind it, of which the rows are wanted.
    pub(super) async fn execute_queued<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        self.queue_prepared(Request::Execute { statement, parameters })?;
        let mut columns = std::mem::take(&mut self.statements[statement].columns);
        let outcome = self.exchange_pipeline(&mut columns, sink).await;
        self.statements[statement].columns = columns;
        let mut results = Vec::new();
        self.count_pipeline(&mut results);
        outcome.map(|()| results.pop().unwrap_or(Executed::Affected(0)))
    }

    async fn exchange_pipeline<S: RowSink>(
        &mut self,
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<(), SqlError> {
        let Self { stream, reader, status, limits, pipeline, .. } = self;
        let Pipeline { packets, queued, replies } = pipeline;
        replies.expect(queued.len());
        // Each command begins to count anew: every answer's first packet is number 1.
        reader.start(Format::Binary, 1);
        send(stream, packets)?;
        let deadline = stream.handle().turn_time() + limits.statement;
        // The server sends each answer by itself, as soon as it has it.
        let missing = replies.missing_bytes();
        let feed = |bytes: &[u8]| {
            let fed = reader.feed_pipeline(bytes, columns, sink, replies, status).transpose();
            fed.map_or_else(|| ControlFlow::Continue(replies.missing_bytes()), ControlFlow::Break)
        };
        let outcome = match stream.receive_pieces(deadline, missing, feed).await {
            Ok(answers) => answers,
            Err(error) => Err(lost_or_late(reader, &error, limits.statement)),
        };
        if outcome.is_err() {
            *status = status.after_error();
        }
        outcome
    }

    fn count_pipeline(&mut self, results: &mut Vec<Executed>) {
        let Self { pipeline, statements, tally, .. } = self;
        let mut replies = pipeline.replies.succeeded().iter();
        for (index, statement) in pipeline.queued.iter().enumerate() {
            let ready = &mut statements[*statement];
            ready.count.sent();
            let Some(Some(executed)) = replies.next().copied() else { continue };
            ready.count.succeeded(executed);
            if index == 0 {
                tally.count(executed);
            } else {
                tally.count_fellow(executed);
            }
            results.push(executed);
        }
        pipeline.queued.clear();
    }
}
