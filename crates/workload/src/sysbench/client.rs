//! One client: draws the input of a transaction, then carries it out as often as it is told to.

use std::sync::Arc;

use contract::{
    Client, Connection, Discard, Ending, ErrorClass, Executed, Fact, HashRows, Outcome, Request,
    SqlError, Timestamp, box_cold_future,
};

use super::bulk::BulkRows;
use super::keys::{Keys, Place};
use super::ledger::RowLedger;
use super::options::SysbenchOptions;
use super::scripts::{Body, Script};
use super::steps::Step;

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

    /// In any other way than statement by statement with rows that nobody looks at.
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
        if connection.sends_batches() {
            return self.execute_together(connection).await;
        }
        // The script that gathers rows has no other statements.
        Ok(Ending::Committed)
    }

    /// Statement by statement, with a look at every row. What an attempt has read that fails does
    /// not count.
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
        let mut rows_read = 0;
        if let Some(access) = self.body.transaction {
            connection.begin(access).await?;
        }
        for (number, step) in self.steps.iter().enumerate() {
            match step.execute(connection, &mut hash).await? {
                Executed::Rows(rows) => rows_read += rows,
                Executed::Affected(rows) => self.ledger.answered(number, rows),
            }
        }
        if self.body.transaction.is_some() {
            connection.commit().await?;
        }
        self.hash = Some(hash);
        self.rows_read += rows_read;
        Ok(Ending::Committed)
    }

    /// All in one round trip: no statement needs another's answer, and where one fails none behind
    /// it is carried out, COMMIT included.
    async fn execute_together<C: Connection>(
        &mut self,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        if let Some(access) = self.body.transaction {
            connection.queue(Request::Begin(access))?;
        }
        for step in &self.steps {
            step.queue(connection)?;
        }
        if self.body.transaction.is_some() {
            connection.queue(Request::Commit)?;
        }
        connection.flush(&mut Discard, &mut self.results).await?;
        let mut results = self.results.iter();
        for (number, step) in self.steps.iter().enumerate() {
            match results.by_ref().take(step.statement_count()).last() {
                Some(Executed::Rows(rows)) => self.rows_read += rows,
                Some(Executed::Affected(rows)) => self.ledger.answered(number, *rows),
                None => {}
            }
        }
        Ok(Ending::Committed)
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
        if let Some(access) = self.body.transaction {
            connection.begin(access).await?;
        }
        for (number, step) in self.steps.iter().enumerate() {
            match step.execute(connection, &mut Discard).await? {
                Executed::Rows(rows) => self.rows_read += rows,
                Executed::Affected(rows) => self.ledger.answered(number, rows),
            }
        }
        if self.body.transaction.is_some() {
            connection.commit().await?;
        }
        Ok(Ending::Committed)
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
