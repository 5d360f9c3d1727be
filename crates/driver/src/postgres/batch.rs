//! Several statements in one round trip: Bind and Execute for each, and one Sync behind the last.
//!
//! The server carries them out one after another; after an error it skips what is left up to Sync.
//! The same way a BEGIN travels with the first statement of a transaction where autocommit is off.

use contract::{Executed, Request, RowSink, SqlError, Value, Verb};

use super::connection::{
    BACKSLASH, PostgresConnection, executed, expect_done, lost_or_late, put_query, receive, send,
};
use super::message::{put_command, put_sync};
use super::statement::{Form, ReadyStatement};
use crate::sql::{Queued, Sent, up_to_failure};
use crate::stream::AnswerClock;

/// What is sent next.
#[derive(Default)]
pub(super) struct Batch {
    packet: Vec<u8>,
    queued: Vec<Queued>,
    /// For each of them, whether it returns rows.
    returns_rows: Vec<bool>,
    /// What was carried out of the last batch.
    results: Vec<Executed>,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.packet.clear();
        self.queued.clear();
        self.returns_rows.clear();
    }

    fn push_command(&mut self, verb: Verb, sql: &str) {
        put_command(&mut self.packet, sql);
        self.queued.push(Queued::Command(verb));
        self.returns_rows.push(false);
    }
}

impl PostgresConnection {
    /// Whether the next statement is the first of a transaction that nobody opens by BEGIN.
    #[inline]
    pub(super) fn opens_transaction(&self) -> bool {
        !self.session.autocommit && !self.reader.in_transaction()
    }

    pub(super) fn queue_request(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        if self.batch.queued.is_empty() {
            self.batch.clear();
        }
        let written = self.write_request(request);
        if written.is_err() {
            // What stands before it must not be sent without it.
            self.batch.clear();
        }
        written
    }

    fn write_request(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        match request {
            Request::Begin(_) if !self.session.autocommit => Ok(()),
            Request::Begin(_) => {
                self.batch.push_command(Verb::Begin, "BEGIN");
                Ok(())
            }
            Request::Commit => {
                self.batch.push_command(Verb::Commit, "COMMIT");
                Ok(())
            }
            Request::Execute { statement, parameters } => {
                if self.batch.queued.is_empty() && self.opens_transaction() {
                    self.batch.push_command(Verb::Begin, "BEGIN");
                }
                self.write_statement(statement, parameters)
            }
        }
    }

    fn write_statement(&mut self, index: usize, parameters: &[Value<'_>]) -> Result<(), SqlError> {
        let Some(ready) = self.statements.get_mut(index) else {
            return Err(SqlError::not_prepared(index));
        };
        if parameters.len() != ready.form.parameters() {
            let wanted = ready.form.parameters();
            return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters.len()));
        }
        let Form::Prepared(bind) = &mut ready.form else {
            return Err(SqlError::not_prepared(index));
        };
        self.batch.packet.extend_from_slice(bind.encode_without_sync(parameters));
        self.batch.queued.push(Queued::Statement(index));
        self.batch.returns_rows.push(ready.returns_rows);
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
        self.batch.clear();
        outcome
    }

    /// Executes a statement with a BEGIN before it, in one round trip.
    #[cold]
    pub(super) async fn execute_first<S: RowSink>(
        &mut self,
        index: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        if let Some(Form::Text(_)) = self.statements.get(index).map(|ready| &ready.form) {
            return self.query_first(index, parameters, sink).await;
        }
        self.batch.clear();
        self.queue_request(Request::Execute { statement: index, parameters })?;
        let mut results = Vec::new();
        self.flush_batch(sink, &mut results).await?;
        Ok(results.pop().unwrap_or(Executed::Affected(0)))
    }

    /// The same in the text protocol, where the two are one text.
    async fn query_first<S: RowSink>(
        &mut self,
        index: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let Self { stream, reader, statements, outgoing, limits, by_verb, counters, .. } = self;
        let ReadyStatement { sql, form, columns, count, .. } = &mut statements[index];
        let Form::Text(template) = form else { return Err(SqlError::not_prepared(index)) };
        if parameters.len() != template.parameters() {
            let wanted = template.parameters();
            return Err(SqlError::wrong_parameters(sql, wanted, parameters.len()));
        }
        put_query(outgoing, |packet| {
            packet.extend_from_slice(b"BEGIN;");
            template.write(parameters, BACKSLASH, packet)
        })?;
        reader.start(false);
        send(stream, outgoing)?;
        by_verb.of(Verb::Begin).sent();
        count.sent();
        let answer = receive(stream, reader, columns, sink, limits.statement).await?;
        let executed = executed(expect_done(answer)?)?;
        count.succeeded(executed);
        counters.count_of(Verb::Begin, Executed::Affected(0));
        counters.count_fellow(executed);
        Ok(executed)
    }

    async fn exchange<S: RowSink>(&mut self, sink: &mut S) -> Result<(), SqlError> {
        let Self { stream, reader, statements, limits, batch, .. } = self;
        let Batch { packet, queued, returns_rows, results } = batch;
        results.clear();
        let mut sent = Sent { queued, statements };
        put_sync(packet);
        reader.start(false);
        send(stream, packet)?;
        let (mut clock, deadline) = AnswerClock::start(stream, limits.statement);
        let feed = |bytes: &[u8]| {
            let fed = reader.feed_batch(bytes, returns_rows, &mut sent, sink, results).transpose();
            clock.answered(results.len());
            fed
        };
        match stream.receive(deadline, feed).await {
            Ok(answers) => answers,
            Err(error) => Err(lost_or_late(reader, &error, limits.statement)),
        }
    }

    fn count_batch(&mut self, results: &mut Vec<Executed>, failed: bool) {
        let Self { batch, statements, by_verb, counters, .. } = self;
        let outcomes = up_to_failure(&batch.results, failed);
        Sent { queued: &batch.queued, statements }.count(outcomes, by_verb, counters, results);
    }
}
