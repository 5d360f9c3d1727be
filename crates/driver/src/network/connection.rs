//! One connection to a server, and how it asks.

use contract::{Discard, Executed, RowSink, SessionOptions, SqlError, StatementCounters, Verb};

use super::answer::Answer;
use super::batch::Batch;
use super::exchange::Exchange;
use super::statement::ReadyStatement;
use super::wire_format::WireFormat;
use crate::sql::{ExecutionCountersByVerb, Sent};
use crate::target::{HostSlot, Protocol};

/// A connection that has signed on.
pub struct NetworkConnection<P: WireFormat> {
    pub(crate) exchange: Exchange<P>,
    pub(crate) state: P::State,
    pub(super) server_version: String,
    pub(crate) slot: HostSlot,
    pub(crate) protocol: Protocol,
    pub(crate) session: SessionOptions,
    pub(crate) statements: Vec<ReadyStatement<P>>,
    pub(crate) by_verb: ExecutionCountersByVerb,
    pub(crate) counters: StatementCounters,
    /// The packet of the last query, whose memory is used for the next.
    pub(crate) outgoing: Vec<u8>,
    /// The columns of the last query.
    pub(crate) columns: Vec<P::Column>,
    pub(crate) batch: Batch,
}

impl<P: WireFormat> NetworkConnection<P> {
    /// Sends a query and gives the answer's first end: one that takes rows has another behind them.
    pub(crate) async fn ask<S: RowSink>(
        &mut self,
        verb: Verb,
        sql: &[u8],
        sink: &mut S,
    ) -> Result<Answer<P::Reply>, SqlError> {
        let Self { exchange, outgoing, columns, .. } = self;
        P::put_query(outgoing, &mut exchange.reader, |packet| {
            packet.extend_from_slice(sql);
            Ok(())
        })?;
        self.by_verb.of(verb).sent();
        exchange.send(outgoing)?;
        columns.clear();
        let answer = exchange.receive(columns, sink, exchange.limits.statement).await;
        if answer.is_err() {
            P::failed(&mut self.state);
        }
        answer
    }

    /// Takes note of a query's success.
    pub(crate) fn done(&mut self, verb: Verb, reply: P::Reply) -> Result<Executed, SqlError> {
        let executed = P::answered(&mut self.state, verb, reply)?;
        self.by_verb.of(verb).succeeded(executed);
        self.counters.count_of(verb, executed);
        Ok(executed)
    }

    /// Executes a text of which it is known what it begins with.
    pub(crate) async fn query_as<S: RowSink>(
        &mut self,
        verb: Verb,
        sql: &str,
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let reply = expect_done::<P>(self.ask(verb, sql.as_bytes(), sink).await?)?;
        self.done(verb, reply)
    }

    /// Executes BEGIN, COMMIT or ROLLBACK: once or twice in each transaction.
    pub(crate) async fn transaction_command(
        &mut self,
        verb: Verb,
        sql: &str,
    ) -> Result<(), SqlError> {
        let reply = expect_done::<P>(self.ask(verb, sql.as_bytes(), &mut Discard).await?)?;
        P::check_transaction_command(verb, reply)?;
        self.done(verb, reply).map(drop)
    }

    /// Counts what was sent together; `results` are those of the statements that succeeded.
    pub(super) fn count_batch(&mut self, results: &mut Vec<Executed>) {
        let Self { batch, statements, by_verb, counters, .. } = self;
        let outcomes = batch.outcomes.iter().copied();
        Sent { queued: &batch.queued, statements }.count(outcomes, by_verb, counters, results);
    }
}

/// A server may ask for rows only where some were offered.
#[inline]
pub(crate) fn expect_done<P: WireFormat>(answer: Answer<P::Reply>) -> Result<P::Reply, SqlError> {
    match answer {
        Answer::Done(reply) => Ok(reply),
        Answer::RowsWanted => Err(P::unoffered_rows()),
    }
}
