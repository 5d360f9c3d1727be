//! One client: draws the input of a transaction, then carries it out as often as it is told to.

use std::sync::Arc;

use contract::{
    Client, Connection, Discard, Ending, ErrorClass, Executed, Fact, HashRows, Outcome, RowSink,
    SqlError, Timestamp, box_cold_future,
};

use super::body::Body;
use super::bulk::BulkRows;
use super::keys::{Keys, Place};
use super::ledger::RowLedger;
use super::options::SysbenchOptions;
use super::script::Script;
use super::steps::Step;
use crate::exchange::{Exchange, Sharing};

/// One virtual user of a sysbench script.
#[derive(Debug)]
pub struct SysbenchClient {
    body: Arc<Body>,
    tables: u64,
    distribution: String,
    keys: Keys,
    steps: Vec<Step>,
    bulk: Option<BulkRows>,
    ledger: RowLedger,
    rows_read: u64,
    /// Of all rows that were read, where that is wanted.
    hash: Option<HashRows>,
    /// What the statements of the last batch did.
    results: Vec<Executed>,
}

impl SysbenchClient {
    pub(super) fn new(options: &SysbenchOptions, body: Arc<Body>, seed: u64, place: Place) -> Self {
        let steps = body
            .parts
            .iter()
            .flat_map(|part| std::iter::repeat_n(part.group.shape(options), part.repetitions))
            .map(|shape| Step::new(shape, options.range_size))
            .collect();
        let ledger = RowLedger::new(options, &body, place);
        let is_bulk = options.script == Script::BulkInsert;
        Self {
            body,
            tables: options.tables,
            distribution: options.skew().describe(options.distribution),
            keys: Keys::new(options, seed, place),
            steps,
            bulk: is_bulk.then(|| BulkRows::new(options.tables, place)),
            ledger,
            rows_read: 0,
            hash: options.read_hash.then(HashRows::default),
            results: Vec::new(),
        }
    }

    /// With rows that are gathered, or that somebody looks at, or with all statements in one round trip.
    async fn execute_otherwise<C: Connection>(
        &mut self,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        if let Some(bulk) = &mut self.bulk {
            bulk.send_if_full(connection, &mut self.ledger).await?;
        }
        if self.hash.is_some() {
            return self.execute_hashing(connection).await;
        }
        self.carry_out(connection, &mut Discard).await
    }

    /// With a look at every row. What an attempt has read that fails does not count.
    async fn execute_hashing<C: Connection>(
        &mut self,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        if connection.sends_batches() {
            let message =
                "read_hash looks at answers one by one: use the protocol prepared or text";
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        let mut hash = self.hash.clone().unwrap_or_default();
        let rows_read = self.rows_read;
        let result = self.carry_out(connection, &mut hash).await;
        if result.is_ok() {
            self.hash = Some(hash);
        } else {
            self.rows_read = rows_read;
        }
        result
    }

    /// Statement by statement, or all of them together: none needs another's answer.
    #[inline]
    async fn carry_out<C: Connection, S: RowSink>(
        &mut self,
        connection: &mut C,
        sink: &mut S,
    ) -> Result<Ending, SqlError> {
        let Self { body, steps, ledger, rows_read, results, .. } = self;
        let sharing = Sharing::as_asked(connection);
        let mut exchange = Exchange::new(connection, sharing, results);
        if let Some(access) = body.transaction {
            exchange.begin(access).await?;
        }
        for (number, step) in steps.iter().enumerate() {
            match step.send(&mut exchange, sink).await? {
                Some(Executed::Rows(rows)) => *rows_read += rows,
                Some(Executed::Affected(rows)) => ledger.answered(number, rows),
                None => {}
            }
        }
        if body.transaction.is_some() {
            exchange.commit().await?;
        } else {
            exchange.flush().await?;
        }
        if sharing == Sharing::Together {
            self.take_in_together();
        }
        Ok(Ending::Committed)
    }

    /// Takes in what the statements did that travelled together.
    #[cold]
    fn take_in_together(&mut self) {
        let mut results = self.results.iter();
        for (number, step) in self.steps.iter().enumerate() {
            match results.by_ref().take(step.statement_count()).last() {
                Some(Executed::Rows(rows)) => self.rows_read += rows,
                Some(Executed::Affected(rows)) => self.ledger.answered(number, *rows),
                None => {}
            }
        }
    }
}

impl Client for SysbenchClient {
    fn draw(&mut self, _kind: usize) {
        if let Some(bulk) = &mut self.bulk {
            bulk.add();
        }
        let mut steps = self.steps.iter_mut();
        for part in &self.body.parts {
            // One table for all repetitions of a group, as sysbench draws it.
            let table = to_index(self.keys.stream.below(self.tables));
            let statement = table * self.body.statements_per_table + part.first_statement;
            for step in steps.by_ref().take(part.repetitions) {
                step.statement = statement;
                step.draw(&mut self.keys);
            }
        }
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        self.ledger.open();
        if self.bulk.is_some() || self.hash.is_some() || connection.sends_batches() {
            return box_cold_future(self.execute_otherwise(connection)).await;
        }
        self.carry_out(connection, &mut Discard).await
    }

    #[inline]
    fn settled(&mut self, outcome: Outcome, begin: Timestamp, end: Timestamp) {
        self.ledger.settle(&self.steps, outcome, (begin, end));
    }

    async fn finish<C: Connection>(&mut self, connection: &mut C) -> Result<(), SqlError> {
        if let Some(bulk) = &mut self.bulk {
            self.ledger.open();
            bulk.send(connection, &mut self.ledger).await?;
            let now = Timestamp::now();
            self.ledger.settle(&self.steps, Outcome::Acknowledged, (now, now));
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let hottest = Fact::Share { part: self.keys.drawn_hottest, whole: self.keys.drawn };
        let mut facts = vec![
            ("distribution", Fact::Text(self.distribution.clone())),
            ("hottest_1_percent_share", hottest),
            ("rows_read", Fact::Count(self.rows_read)),
        ];
        facts.push(("ledger", Fact::Ledger(Box::new(self.ledger.ledger(&self.steps)))));
        facts.extend(self.hash.as_ref().map(|hash| ("rows_read_hash", Fact::Hash(hash.sum))));
        facts
    }
}

/// A number of tables or statements, which fits any machine's index.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn to_index(number: u64) -> usize {
    number as usize
}
