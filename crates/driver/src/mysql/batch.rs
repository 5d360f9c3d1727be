//! Several statements in one round trip: one text, with semicolons between them.
//!
//! The server carries them out one after another and stops at the first error. It answers each, and
//! says with each answer whether another follows.

use contract::{Executed, Request, RowSink, SqlError, Verb};

use super::connection::{MysqlConnection, lost_or_late, send};
use super::packet::{Format, command, finish};
use super::statement::Form;
use crate::sql::{Queued, Sent, up_to_failure};
use crate::stream::AnswerClock;

/// What is sent next.
#[derive(Default)]
pub(super) struct Batch {
    /// The packet so far, with room for its header.
    packet: Vec<u8>,
    queued: Vec<Queued>,
    /// What was carried out of the last batch.
    results: Vec<Executed>,
}

impl Batch {
    /// Forgets what was queued and is not to be sent.
    pub fn forget(&mut self) {
        self.queued.clear();
    }
}

impl MysqlConnection {
    pub(super) fn queue_request(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        if self.batch.queued.is_empty() {
            self.batch.packet.clear();
            self.batch.packet.extend_from_slice(&[0, 0, 0, 0, command::QUERY]);
        }
        let written = self.write_request(request);
        if written.is_err() {
            // What stands before it must not be sent without it.
            self.batch.queued.clear();
        }
        written
    }

    fn write_request(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        let backslash = self.backslash();
        let Self { batch: Batch { packet, queued, .. }, statements, session, .. } = self;
        if matches!(request, Request::Begin(_)) && !session.autocommit {
            return Ok(());
        }
        if !queued.is_empty() {
            packet.push(b';');
        }
        let (statement, parameters) = match request {
            Request::Begin(_) => {
                packet.extend_from_slice(b"BEGIN");
                queued.push(Queued::Command(Verb::Begin));
                return Ok(());
            }
            Request::Commit => {
                packet.extend_from_slice(b"COMMIT");
                queued.push(Queued::Command(Verb::Commit));
                return Ok(());
            }
            Request::Execute { statement, parameters } => (statement, parameters),
        };
        let Some(ready) = statements.get(statement) else {
            return Err(SqlError::not_prepared(statement));
        };
        let Form::Text(template) = &ready.form else {
            return Err(SqlError::not_prepared(statement));
        };
        if parameters.len() != template.parameters() {
            let wanted = template.parameters();
            return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters.len()));
        }
        template.write(parameters, backslash, packet)?;
        queued.push(Queued::Statement(statement));
        Ok(())
    }

    pub(super) async fn flush_batch<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        results.clear();
        if self.batch.queued.is_empty() {
            return Ok(());
        }
        let outcome = self.exchange(sink).await;
        self.count_batch(results, outcome.is_err());
        self.batch.queued.clear();
        outcome
    }

    async fn exchange<S: RowSink>(&mut self, sink: &mut S) -> Result<(), SqlError> {
        let Self { stream, reader, statements, state, limits, batch, .. } = self;
        let Batch { packet, queued, results } = batch;
        let mut status = state.status();
        results.clear();
        let mut sent = Sent { queued, statements };
        let answer = finish(packet, 0);
        reader.start(Format::Text, answer);
        send(stream, packet)?;
        let (mut clock, deadline) = AnswerClock::start(stream, limits.statement);
        let feed = |bytes: &[u8]| {
            let fed = reader.feed_batch(bytes, &mut sent, sink, results, &mut status).transpose();
            clock.answered(results.len());
            fed
        };
        let outcome = match stream.receive(deadline, feed).await {
            Ok(answers) => answers,
            Err(error) => Err(lost_or_late(reader, &error, limits.statement)),
        };
        match (queued.first(), queued.last()) {
            (_, Some(Queued::Command(Verb::Commit))) if outcome.is_ok() => state.ended(status),
            (Some(Queued::Command(Verb::Begin)), _) if !results.is_empty() => state.began(status),
            _ => state.answered(status),
        }
        if outcome.is_err() {
            state.failed();
        }
        outcome
    }

    fn count_batch(&mut self, results: &mut Vec<Executed>, failed: bool) {
        let Self { batch, statements, by_verb, counters, .. } = self;
        let outcomes = up_to_failure(&batch.results, failed);
        Sent { queued: &batch.queued, statements }.count(outcomes, by_verb, counters, results);
    }
}
