//! What the engine asks of a connection.

use std::rc::Rc;

use contract::{
    Access, BulkMethod, Connection, Executed, Probe, Request, RowSink, RowSource, SessionFacts,
    SqlError, Statement, StatementCount, StatementCounters, Value, Verb,
};
use eventloop::Timestamp;

use super::connection::{NetworkConnection, expect_done};
use super::protocol::NetworkProtocol;
use super::statement::{Form, ReadyStatement, ready_statement};
use crate::target::Protocol;

impl<P: NetworkProtocol> NetworkConnection<P> {
    async fn ready(&mut self, index: usize, sql: &str) -> Result<ReadyStatement<P>, SqlError> {
        match self.protocol {
            Protocol::Text => Ok(ReadyStatement::text(sql)),
            Protocol::Multi if !P::PREPARES_BATCHES => Ok(ReadyStatement::text(sql)),
            Protocol::Prepared | Protocol::Multi | Protocol::Extended => {
                P::prepare(self, index, sql).await
            }
        }
    }

    /// Forgets the statements, here and on the server; their counts go to those of their verbs.
    async fn close_statements(&mut self) -> Result<(), SqlError> {
        let statements = std::mem::take(&mut self.statements);
        for statement in &statements {
            self.by_verb.of(Verb::of(&statement.sql, P::DIALECT)).add(statement.count);
        }
        P::close_statements(self, &statements).await
    }

    /// Sends what was queued, and counts it; an error is in the server's words alone.
    pub(crate) async fn flush_queued<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        results.clear();
        if self.batch.queued.is_empty() {
            return Ok(());
        }
        self.batch.outcomes.clear();
        let outcome = P::exchange_batch(self, sink).await;
        self.count_batch(results);
        self.batch.forget();
        outcome
    }

    async fn set_up_anew(&mut self) -> Result<(), SqlError> {
        P::set_session_anew(self).await?;
        // All are closed before the first is prepared: another server may give the numbers of the old
        // ones to new ones.
        let mut statements = std::mem::take(&mut self.statements);
        let prepared = self.prepare_all_anew(&mut statements).await;
        self.statements = statements;
        prepared
    }

    async fn prepare_all_anew(
        &mut self,
        statements: &mut [ReadyStatement<P>],
    ) -> Result<(), SqlError> {
        P::close_statements(self, statements).await?;
        for (index, statement) in statements.iter_mut().enumerate() {
            if let Form::Prepared(_) = statement.form {
                let again = P::prepare(self, index, &statement.sql).await?;
                (statement.form, statement.columns) = (again.form, again.columns);
            }
        }
        Ok(())
    }
}

impl<P: NetworkProtocol> Connection for NetworkConnection<P> {
    fn server_version(&self) -> &str {
        &self.server_version
    }

    fn host(&self) -> usize {
        self.slot.host
    }

    fn leave_host(&mut self) -> bool {
        self.slot.leave(self.exchange.stream.handle().turn_time());
        true
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.close_statements().await?;
        for (index, Statement { sql }) in statements.iter().enumerate() {
            let ready = self.ready(index, sql).await?;
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
        if P::opens_transaction(self) {
            return Box::pin(P::execute_first(self, statement, parameters, sink)).await;
        }
        let Self { exchange, state, statements, counters, outgoing, .. } = self;
        let ready = ready_statement(statements, statement, parameters.len())?;
        match &mut ready.form {
            Form::Prepared(prepared) => {
                let packet = P::put_execution(prepared, &mut exchange.reader, parameters);
                exchange.send(packet)?;
            }
            Form::Text(template) => {
                let write =
                    |packet: &mut Vec<u8>| template.write(parameters, P::backslash(state), packet);
                P::put_query(outgoing, &mut exchange.reader, write)?;
                exchange.send(outgoing)?;
            }
        }
        ready.count.sent();
        match exchange.receive(&mut ready.columns, sink, exchange.limits.statement).await {
            Ok(answer) => {
                let executed = P::answered(state, Verb::Other, expect_done::<P>(answer)?)?;
                ready.count.succeeded(executed);
                counters.count(executed);
                Ok(executed)
            }
            Err(error) => {
                P::failed(state);
                Err(P::explain_execution_error(ready, error))
            }
        }
    }

    async fn query<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        if P::opens_transaction(self) {
            self.transaction_command(Verb::Begin, "BEGIN").await?;
        }
        self.query_as(Verb::of(sql, P::DIALECT), sql, sink).await
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
        if !self.in_transaction() {
            return Ok(());
        }
        self.transaction_command(Verb::Rollback, "ROLLBACK").await
    }

    fn in_transaction(&self) -> bool {
        P::in_transaction(&self.state, &self.exchange.reader)
    }

    async fn describe_session(&mut self) -> Result<SessionFacts, SqlError> {
        if self.protocol == Protocol::Multi && !P::PREPARES_BATCHES {
            self.try_batch().await?;
        }
        P::read_session_back(self).await
    }

    #[inline]
    fn sends_batches(&self) -> bool {
        self.protocol == Protocol::Multi
    }

    #[inline]
    fn pipelines(&self) -> bool {
        P::pipelines(self)
    }

    async fn try_out(&mut self, probes: &[Probe]) -> bool {
        P::try_out(self, probes).await
    }

    fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        if self.batch.queued.is_empty() {
            self.batch.packet.clear();
        }
        let queued = P::queue(self, request);
        if queued.is_err() {
            // What stands before it must not be sent without it.
            self.batch.forget();
        }
        queued
    }

    async fn flush<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        let flushed = self.flush_queued(sink, results).await;
        flushed.map_err(|error| P::explain_batch_error(self, error))
    }

    async fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        P::load(self, source, method).await
    }

    fn bulk_refusal(&self) -> Option<&SqlError> {
        P::bulk_refusal(&self.state)
    }

    fn last_arrival(&self) -> Timestamp {
        self.exchange.stream.arrived_at()
    }

    fn has_kernel_timestamps(&self) -> bool {
        self.exchange.stream.has_kernel_timestamps()
    }

    fn take_counters(&mut self) -> StatementCounters {
        let unread_ns = self.exchange.stream.take_unread_ns();
        StatementCounters { unread_ns, ..std::mem::take(&mut self.counters) }
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        let prepared = self.statements.iter_mut();
        let prepared = prepared.filter_map(|ready| ready.count.take(&ready.sql));
        prepared.chain(self.by_verb.take()).collect()
    }

    async fn close(self) {
        self.exchange.close().await;
    }
}
