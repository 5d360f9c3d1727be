//! One connection to a server.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use contract::{
    Access, BulkMethod, Connection, Discard, ErrorClass, Executed, Limits, Request, RowSink,
    RowSource, SessionFacts, SessionOptions, SqlError, Statement, StatementCount,
    StatementCounters, Value, Verb,
};
use eventloop::Timestamp;

use super::PostgresDriver;
use super::batch::Batch;
use super::connect::SignedOn;
use super::message::{Answer, Column, Malformed, Reply, ReplyReader};
use super::pooling::{Backends, Taken};
use super::statement::{self, Form, ReadyStatement};
use super::{errors, load};
use crate::Protocol;
use crate::sql::{Backslash, ExecutionCounters, ExecutionCountersByVerb, Syntax, Template};
use crate::stream::{Stream, StreamError};
use crate::target::HostSlot;

/// What backslashes in strings mean; the session is opened that way.
pub(super) const BACKSLASH: Backslash = Backslash::Literal;

const QUERY: &[u8; 5] = b"Q\0\0\0\0";
const TERMINATE: &[u8; 5] = b"X\0\0\0\x04";

/// A connection that has signed on.
pub struct PostgresConnection {
    pub(super) stream: Stream,
    pub(super) reader: ReplyReader,
    server_version: String,
    pub(super) slot: HostSlot,
    /// The number of the process at the other end, as it was said at sign-on.
    pub(super) signed_on_with: Option<i64>,
    pub(super) backends: Arc<Backends>,
    pub(super) taken: Option<Taken>,
    protocol: Protocol,
    pub(super) session: SessionOptions,
    pub(super) limits: Limits,
    pub(super) statements: Vec<ReadyStatement>,
    pub(super) by_verb: ExecutionCountersByVerb,
    pub(super) counters: StatementCounters,
    /// The packet of the last query, whose memory is used for the next.
    pub(super) outgoing: Vec<u8>,
    /// The columns of the last query.
    columns: Vec<Column>,
    pub(super) batch: Batch,
}

impl PostgresConnection {
    pub(super) fn new(
        driver: &PostgresDriver,
        signed_on: SignedOn,
        slot: HostSlot,
        limits: Limits,
    ) -> Self {
        Self {
            stream: signed_on.stream,
            reader: ReplyReader::new(),
            server_version: format!("PostgreSQL {}", signed_on.version),
            slot,
            signed_on_with: signed_on.process,
            backends: Arc::clone(&driver.backends),
            taken: None,
            protocol: driver.protocol,
            session: driver.session,
            limits,
            statements: Vec::new(),
            by_verb: ExecutionCountersByVerb::default(),
            counters: StatementCounters::default(),
            outgoing: Vec::new(),
            columns: Vec::new(),
            batch: Batch::default(),
        }
    }

    /// Sends a query and gives the answer's first end: COPY has another behind its rows.
    pub(super) async fn ask<S: RowSink>(
        &mut self,
        verb: Verb,
        sql: &[u8],
        sink: &mut S,
    ) -> Result<Answer, SqlError> {
        put_query(&mut self.outgoing, |packet| {
            packet.extend_from_slice(sql);
            Ok(())
        })?;
        self.by_verb.of(verb).sent();
        self.reader.start(false);
        send(&mut self.stream, &self.outgoing)?;
        self.receive_more(sink).await
    }

    /// Waits for the rest of the last query's answer.
    pub(super) async fn receive_more<S: RowSink>(
        &mut self,
        sink: &mut S,
    ) -> Result<Answer, SqlError> {
        let Self { stream, reader, columns, limits, .. } = self;
        receive(stream, reader, columns, sink, limits.statement).await
    }

    /// Takes note of a query's success.
    pub(super) fn done(&mut self, verb: Verb, reply: Reply) -> Result<Executed, SqlError> {
        let executed = executed(reply)?;
        self.by_verb.of(verb).succeeded(executed);
        self.counters.count_of(verb, executed);
        Ok(executed)
    }

    async fn transaction_command(&mut self, verb: Verb, sql: &str) -> Result<(), SqlError> {
        let reply = expect_done(self.ask(verb, sql.as_bytes(), &mut Discard).await?)?;
        if verb == Verb::Commit && reply.rolled_back {
            let message = "the server rolled back at COMMIT: a statement before it had failed";
            return Err(SqlError::server(ErrorClass::Other, 0, *b"25P02", message));
        }
        self.done(verb, reply).map(|_| ())
    }

    /// Has the server prepare the statement with this index.
    async fn prepare_one(&mut self, index: usize, sql: &str) -> Result<ReadyStatement, SqlError> {
        let template = Template::new(sql, Syntax::PostgreSql);
        let (mut columns, mut returns_rows) = (Vec::new(), false);
        let form = match self.protocol {
            Protocol::Text => Form::Text(template),
            Protocol::Prepared | Protocol::Multi => {
                let name = statement::name(index);
                let packet = statement::preparation(&name, &template.numbered());
                let reply = self.converse(packet, &mut columns, self.limits.connect).await;
                let reply =
                    reply.map_err(|error| error.while_doing(&format!("preparing {sql}")))?;
                let (wanted, given) = (usize::from(reply.parameters), template.parameters());
                if wanted != given {
                    // Such as a $1 of its own: it could never be executed.
                    return Err(SqlError::wrong_parameters(sql, wanted, given));
                }
                returns_rows = reply.returns_rows;
                Form::Prepared(super::message::Bind::new(&name, reply.parameters))
            }
        };
        let count = ExecutionCounters::default();
        Ok(ReadyStatement { sql: sql.to_owned(), form, columns, returns_rows, count })
    }

    /// Sends messages that execute nothing, and waits until the server is ready.
    async fn converse(
        &mut self,
        packet: std::io::Result<bytes::BytesMut>,
        columns: &mut Vec<Column>,
        limit: Duration,
    ) -> Result<Reply, SqlError> {
        let packet = packet.map_err(|error| {
            SqlError::driver(ErrorClass::InvalidStatement, format!("it can't be sent: {error}"))
        })?;
        self.reader.start(false);
        send(&mut self.stream, &packet)?;
        let Self { stream, reader, .. } = self;
        expect_done(receive(stream, reader, columns, &mut Discard, limit).await?)
    }

    /// Forgets the statements, here and on the server; their counts go to those of their verbs.
    async fn close_statements(&mut self) -> Result<(), SqlError> {
        let statements = std::mem::take(&mut self.statements);
        for statement in &statements {
            self.by_verb.of(Verb::of(&statement.sql)).add(statement.count);
        }
        self.have_forgotten(statements.len()).await
    }

    /// Has the server forget so many statements.
    async fn have_forgotten(&mut self, statements: usize) -> Result<(), SqlError> {
        if statements == 0 || self.protocol == Protocol::Text {
            return Ok(());
        }
        let packet = statement::close_messages(statements);
        self.converse(packet, &mut Vec::new(), self.limits.statement).await.map(drop)
    }
}

impl Connection for PostgresConnection {
    fn server_version(&self) -> &str {
        &self.server_version
    }

    fn host(&self) -> usize {
        self.slot.host
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.close_statements().await?;
        for (index, Statement { sql }) in statements.iter().enumerate() {
            let ready = self.prepare_one(index, sql).await?;
            self.statements.push(ready);
        }
        Ok(())
    }

    async fn prepare_anew(&mut self) -> Result<(), SqlError> {
        self.set_session().await?;
        self.have_forgotten(self.statements.len()).await?;
        for index in 0..self.statements.len() {
            let sql = self.statements[index].sql.clone();
            let again = self.prepare_one(index, &sql).await?;
            let before = std::mem::replace(&mut self.statements[index], again);
            self.statements[index].count = before.count;
        }
        Ok(())
    }

    #[inline]
    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        if self.opens_transaction() {
            return Box::pin(self.execute_first(statement, parameters, sink)).await;
        }
        let Self { stream, reader, statements, outgoing, limits, counters, .. } = self;
        let Some(ready) = statements.get_mut(statement) else {
            return Err(SqlError::not_prepared(statement));
        };
        if parameters.len() != ready.form.parameters() {
            let wanted = ready.form.parameters();
            return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters.len()));
        }
        match &mut ready.form {
            Form::Prepared(bind) => {
                reader.start(ready.returns_rows);
                send(stream, bind.encode(parameters))?;
            }
            Form::Text(template) => {
                put_query(outgoing, |packet| template.write(parameters, BACKSLASH, packet))?;
                reader.start(false);
                send(stream, outgoing)?;
            }
        }
        ready.count.sent();
        let answer = receive(stream, reader, &mut ready.columns, sink, limits.statement).await?;
        let executed = executed(expect_done(answer)?)?;
        ready.count.succeeded(executed);
        counters.count(executed);
        Ok(executed)
    }

    async fn query<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        let verb = Verb::of(sql);
        if self.opens_transaction() {
            self.transaction_command(Verb::Begin, "BEGIN").await?;
        }
        let reply = expect_done(self.ask(verb, sql.as_bytes(), sink).await?)?;
        self.done(verb, reply)
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

    async fn rollback(&mut self) -> Result<(), SqlError> {
        self.batch.clear();
        if !self.reader.in_transaction() {
            return Ok(());
        }
        self.transaction_command(Verb::Rollback, "ROLLBACK").await
    }

    fn in_transaction(&self) -> bool {
        self.reader.in_transaction()
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
        self.protocol == Protocol::Prepared && self.session.pipelining
    }

    fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        self.queue_request(request)
    }

    async fn flush<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        self.flush_batch(sink, results).await
    }

    async fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        load::load(self, source, method).await
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
        if self.stream.send(TERMINATE).is_ok() {
            let _ = self.stream.flush(deadline).await;
        }
    }
}

/// Writes a query's packet.
pub(super) fn put_query(
    packet: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    packet.clear();
    packet.extend_from_slice(QUERY);
    write(packet)?;
    if packet[QUERY.len()..].contains(&0) {
        let message = "a statement can't be sent that has a zero byte in it: it would end there";
        return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
    }
    packet.push(0);
    // More than any server takes, where it does not fit.
    let length = i32::try_from(packet.len() - 1).unwrap_or(i32::MAX);
    packet[1..5].copy_from_slice(&length.to_be_bytes());
    Ok(())
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
pub(super) fn lost_or_late(
    reader: &mut ReplyReader,
    error: &StreamError,
    limit: Duration,
) -> SqlError {
    reader.take_shutdown_notice().unwrap_or_else(|| {
        errors::from_stream(error, &format!("answer within {} s", limit.as_secs_f64()))
    })
}

#[inline]
pub(super) fn expect_done(answer: Answer) -> Result<Reply, SqlError> {
    match answer {
        Answer::Done(reply) => Ok(reply),
        Answer::RowsWanted => Err(Malformed("it asks for rows that were not offered").into()),
    }
}

#[inline]
pub(super) fn executed(reply: Reply) -> Result<Executed, SqlError> {
    reply.executed.ok_or_else(|| Malformed("a statement came to no end").into())
}
