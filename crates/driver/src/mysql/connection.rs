//! One connection to a server.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use contract::{
    Access, BulkMethod, Connection, Discard, Executed, Limits, Probe, Request, RowSink, RowSource,
    SessionFacts, SessionOptions, SqlError, Statement, StatementCount, StatementCounters, Value,
    Verb,
};
use eventloop::Timestamp;

use super::MysqlDriver;
use super::batch::Batch;
use super::greeting::Greeting;
use super::packet::{
    Answer, Column, Format, HEADER_BYTES, Malformed, Reply, ReplyReader, ServerStatus, command,
    finish,
};
use super::pipeline::{self, Pipeline};
use super::state::SessionState;
use super::statement::{Form, ReadyStatement};
use super::try_out::{self, TriedPipelining};
use super::{errors, load};
use crate::Protocol;
use crate::sql::{Backslash, ExecutionCountersByVerb};
use crate::stream::{Stream, StreamError};
use crate::target::HostSlot;

/// A connection that has signed on.
pub struct MysqlConnection {
    pub(super) stream: Stream,
    pub(super) reader: ReplyReader,
    server_version: String,
    slot: HostSlot,
    takes_local_files: bool,
    /// Why the server would not have LOAD DATA.
    pub(super) bulk_refusal: Option<SqlError>,
    protocol: Protocol,
    pub(super) session: SessionOptions,
    pub(super) limits: Limits,
    pub(super) state: SessionState,
    pub(super) statements: Vec<ReadyStatement>,
    pub(super) by_verb: ExecutionCountersByVerb,
    pub(super) counters: StatementCounters,
    /// The packet of the last query, whose memory is used for the next.
    outgoing: Vec<u8>,
    /// The columns of the last query.
    pub(super) columns: Vec<Column>,
    pub(super) batch: Batch,
    pub(super) pipeline: Pipeline,
    pub(super) pipelining: Arc<TriedPipelining>,
}

impl MysqlConnection {
    pub(super) fn new(
        driver: &MysqlDriver,
        limits: Limits,
        stream: Stream,
        slot: HostSlot,
        greeting: &Greeting,
        status: ServerStatus,
    ) -> Self {
        Self {
            stream,
            reader: ReplyReader::new(greeting.agreed()),
            server_version: greeting.server_version(),
            slot,
            takes_local_files: greeting.takes_local_files(),
            bulk_refusal: None,
            protocol: driver.protocol,
            session: driver.session,
            limits,
            state: SessionState::new(status, driver.session.autocommit),
            statements: Vec::new(),
            by_verb: ExecutionCountersByVerb::default(),
            counters: StatementCounters::default(),
            outgoing: Vec::new(),
            columns: Vec::new(),
            batch: Batch::default(),
            pipeline: Pipeline::default(),
            pipelining: Arc::clone(&driver.pipelining),
        }
    }

    /// Whether the server said that it knows LOAD DATA LOCAL.
    pub(super) fn takes_local_files(&self) -> bool {
        self.takes_local_files
    }

    /// How strings are to be escaped at present.
    pub(super) fn backslash(&self) -> Backslash {
        self.state.backslash()
    }

    /// Executes a statement of fixed text that returns no rows.
    pub(super) async fn command(&mut self, sql: &str) -> Result<(), SqlError> {
        self.query(sql, &mut Discard).await.map(|_| ())
    }

    /// Sends a query and gives the answer's first end: LOAD DATA has another behind its rows.
    pub(super) async fn ask<S: RowSink>(
        &mut self,
        verb: Verb,
        write: impl FnOnce(&mut Vec<u8>),
        sink: &mut S,
    ) -> Result<Answer, SqlError> {
        let packet = &mut self.outgoing;
        packet.clear();
        packet.resize(HEADER_BYTES, 0);
        packet.push(command::QUERY);
        write(packet);
        let answer = finish(packet, 0);
        self.by_verb.of(verb).sent();
        self.reader.start(Format::Text, answer);
        let limit = self.limits.statement;
        send(&mut self.stream, &self.outgoing)?;
        self.columns.clear();
        let outcome =
            receive(&mut self.stream, &mut self.reader, &mut self.columns, sink, limit).await;
        if outcome.is_err() {
            self.state.failed();
        }
        outcome
    }

    /// Takes note of a query's success.
    pub(super) fn done(&mut self, verb: Verb, reply: Reply) -> Executed {
        self.by_verb.of(verb).succeeded(reply.executed);
        self.counters.count_of(verb, reply.executed);
        match verb {
            Verb::Begin => self.state.began(reply.status),
            Verb::Commit | Verb::Rollback => self.state.ended(reply.status),
            _ => self.state.answered(reply.status),
        }
        reply.executed
    }

    /// The same where it is known what it begins with, once or twice in each transaction.
    async fn transaction_command(&mut self, verb: Verb, sql: &str) -> Result<(), SqlError> {
        let write = |packet: &mut Vec<u8>| packet.extend_from_slice(sql.as_bytes());
        match self.ask(verb, write, &mut Discard).await? {
            Answer::Done(reply) => {
                self.done(verb, reply);
                Ok(())
            }
            Answer::RowsWanted => Err(unasked_file_request()),
        }
    }

    async fn set_up_anew(&mut self) -> Result<(), SqlError> {
        // Another server may answer from here on: only its own answer tells how its session is set.
        self.command("ROLLBACK").await?;
        self.set_session().await?;
        let Self { stream, reader, statements, limits, .. } = self;
        for statement in statements.iter() {
            statement.close(stream)?;
        }
        for statement in statements {
            statement.prepare_anew(stream, reader.agreed(), limits.connect).await?;
        }
        Ok(())
    }

    /// Forgets the statements, here and on the server; their counts go to those of their verbs.
    fn close_statements(&mut self) -> Result<(), SqlError> {
        for statement in self.statements.drain(..) {
            statement.close(&mut self.stream)?;
            self.by_verb.of(Verb::of(&statement.sql)).add(statement.count);
        }
        Ok(())
    }
}

impl Connection for MysqlConnection {
    fn server_version(&self) -> &str {
        &self.server_version
    }

    fn host(&self) -> usize {
        self.slot.host
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.close_statements()?;
        for Statement { sql } in statements.iter() {
            let ready = match self.protocol {
                Protocol::Text | Protocol::Multi => ReadyStatement::text(sql),
                Protocol::Prepared => {
                    let limit = self.limits.connect;
                    ReadyStatement::prepare(sql, &mut self.stream, self.reader.agreed(), limit)
                        .await?
                }
            };
            self.statements.push(ready);
        }
        Ok(())
    }

    async fn prepare_anew(&mut self) -> Result<(), SqlError> {
        // What is sent here is no part of a transaction.
        let counters = self.counters;
        let prepared = self.set_up_anew().await;
        self.counters = counters;
        prepared
    }

    #[inline]
    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let backslash = self.backslash();
        let Self { stream, reader, statements, outgoing, limits, counters, state, .. } = self;
        let Some(ready) = statements.get_mut(statement) else {
            return Err(SqlError::not_prepared(statement));
        };
        if parameters.len() != ready.form.parameters() {
            let wanted = ready.form.parameters();
            return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters.len()));
        }
        match &mut ready.form {
            Form::Prepared(execute) => {
                let (packet, answer) = execute.encode(parameters);
                reader.start(Format::Binary, answer);
                send(stream, packet)?;
            }
            Form::Text(template) => {
                outgoing.clear();
                outgoing.extend_from_slice(&[0, 0, 0, 0, command::QUERY]);
                template.write(parameters, backslash, outgoing)?;
                let answer = finish(outgoing, 0);
                reader.start(Format::Text, answer);
                send(stream, outgoing)?;
            }
        }
        ready.count.sent();
        match receive(stream, reader, &mut ready.columns, sink, limits.statement).await {
            Ok(Answer::Done(reply)) => {
                ready.count.succeeded(reply.executed);
                counters.count(reply.executed);
                state.answered(reply.status);
                Ok(reply.executed)
            }
            Ok(Answer::RowsWanted) => Err(unasked_file_request()),
            Err(error) => {
                state.failed();
                Err(error)
            }
        }
    }

    async fn query<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        let verb = Verb::of(sql);
        let write = |packet: &mut Vec<u8>| packet.extend_from_slice(sql.as_bytes());
        match self.ask(verb, write, sink).await? {
            Answer::Done(reply) => Ok(self.done(verb, reply)),
            Answer::RowsWanted => Err(unasked_file_request()),
        }
    }

    async fn begin(&mut self, _: Access) -> Result<(), SqlError> {
        if !self.session.autocommit {
            return Ok(());
        }
        self.transaction_command(Verb::Begin, "BEGIN").await
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        self.transaction_command(Verb::Commit, "COMMIT").await
    }

    /// An error does not say whether it ended the transaction (a deadlock does in `InnoDB` and need
    /// not elsewhere), so that after one the server is told, once, what it may know already: left
    /// alone, a transaction that it did not end would be committed by the next BEGIN.
    async fn rollback(&mut self) -> Result<(), SqlError> {
        self.batch.forget();
        self.pipeline.forget();
        if !self.state.in_transaction() {
            return Ok(());
        }
        self.transaction_command(Verb::Rollback, "ROLLBACK").await
    }

    fn in_transaction(&self) -> bool {
        self.state.in_transaction()
    }

    async fn describe_session(&mut self) -> Result<SessionFacts, SqlError> {
        self.read_session_back().await
    }

    #[inline]
    fn sends_batches(&self) -> bool {
        self.protocol == Protocol::Multi
    }

    #[inline]
    fn pipelines(&self) -> bool {
        self.pipelining.is_on(self.protocol, self.session)
    }

    async fn try_out(&mut self, probes: &[Probe]) -> bool {
        try_out::try_out(self, probes).await
    }

    fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        if self.pipelines() { self.queue_prepared(request) } else { self.queue_request(request) }
    }

    async fn flush<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        if self.pipelines() {
            self.flush_pipeline(sink, results).await.map_err(pipeline::with_advice)
        } else {
            self.flush_batch(sink, results).await
        }
    }

    async fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        load::load(self, source, method).await
    }

    fn bulk_refusal(&self) -> Option<&SqlError> {
        self.bulk_refusal.as_ref()
    }

    fn last_arrival(&self) -> Timestamp {
        self.stream.arrived_at()
    }

    fn has_kernel_timestamps(&self) -> bool {
        self.stream.has_kernel_timestamps()
    }

    fn take_counters(&mut self) -> StatementCounters {
        std::mem::take(&mut self.counters)
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        let prepared = self.statements.iter_mut();
        let prepared = prepared.filter_map(|ready| ready.count.take(&ready.sql));
        prepared.chain(self.by_verb.take()).collect()
    }

    async fn close(mut self) {
        let deadline = self.stream.handle().turn_time() + self.limits.statement;
        // There is no answer; a server that is gone already needs no goodbye.
        if self.stream.send(&[1, 0, 0, 0, command::QUIT]).is_ok() {
            let _ = self.stream.flush(deadline).await;
        }
    }
}

#[inline]
pub(super) fn send(stream: &mut Stream, packet: &[u8]) -> Result<(), SqlError> {
    stream.send(packet).map_err(|error| errors::from_stream(&error, "server to take a packet"))
}

/// Waits for the answer for which the reader was started.
#[inline]
pub(super) async fn receive<S: RowSink>(
    stream: &mut Stream,
    reader: &mut ReplyReader,
    columns: &mut Vec<Column>,
    sink: &mut S,
    limit: Duration,
) -> Result<Answer, SqlError> {
    let deadline = stream.handle().turn_time() + limit;
    let outcome =
        stream.receive(deadline, |bytes| reader.feed(bytes, columns, sink).transpose()).await;
    match outcome {
        Ok(answer) => answer,
        Err(error) => Err(lost_or_late(reader, &error, limit)),
    }
}

/// Why there was no answer, in the words of the server's shutdown notice where it sent one.
#[cold]
pub(super) fn lost_or_late(
    reader: &mut ReplyReader,
    error: &StreamError,
    limit: Duration,
) -> SqlError {
    reader
        .take_shutdown_notice()
        .unwrap_or_else(|| errors::from_stream(error, &answer_within(limit)))
}

pub(super) fn answer_within(limit: Duration) -> String {
    format!("answer within {} s", limit.as_secs_f64())
}

/// A server may ask for a file only when it was told to load one.
#[cold]
fn unasked_file_request() -> SqlError {
    Malformed("it asks for a file that was not offered").into()
}
