//! Carries a program's steps out on a connection.

use contract::{Connection, Discard, Ending, Executed, Outcome, SqlError};

use super::failure::{left_open, unset};
use super::ledger::{Accounting, Entry};
use super::parameters::Parameters;
use super::program::{Fetch, Program, Script, Slot, Step, TextPiece};
use super::rows::KeepRows;
use super::state::State;
use super::take_over::Next;
use crate::exchange::{Exchange, Sharing};

/// A prepared statement that is about to be sent.
struct Call<'a> {
    statement: usize,
    parameters: &'a [Slot],
    fetches: &'a [Fetch],
    entry: Option<Entry>,
    /// It may travel with others of its transaction.
    shares: bool,
}

impl State {
    /// Carries a transaction out.
    pub async fn carry_out<C: Connection>(
        &mut self,
        script: &Script,
        accounting: &Accounting,
        program: &Program,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        let sharing = Sharing::as_asked(connection);
        let mut results = std::mem::take(&mut self.results);
        let mut exchange = Exchange::new(connection, sharing, &mut results);
        let ending = self.carry_out_steps(script, accounting, program, &mut exchange).await;
        // The memory serves for the next.
        self.results = results;
        ending
    }

    async fn carry_out_steps<C: Connection>(
        &mut self,
        script: &Script,
        accounting: &Accounting,
        program: &Program,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<Ending, SqlError> {
        let mut ending = Ending::Committed;
        let mut is_open = false;
        let mut position = 0;
        while let Some(step) = program.steps.get(position) {
            let entry = accounting.entry(self.kind, position);
            position += 1;
            match step {
                Step::Begin(access) => {
                    self.has_sent = true;
                    exchange.begin(*access).await?;
                    is_open = true;
                }
                Step::Commit => {
                    exchange.commit().await?;
                    self.take_in_waiting(exchange.results());
                    self.account.settle(Outcome::Acknowledged);
                    (ending, is_open) = (Ending::Committed, false);
                }
                Step::Rollback => {
                    self.flush(exchange).await?;
                    exchange.rollback().await?;
                    self.account.settle(Outcome::Undone);
                    (ending, is_open) = (Ending::RolledBack, false);
                }
                Step::Execute { statement, parameters, fetch, shares } => {
                    let (fetches, shares) = (fetch.as_slice(), *shares && is_open);
                    let call = Call { statement: *statement, parameters, fetches, entry, shares };
                    if let Next::RollBack = self.execute(script, exchange, call).await? {
                        exchange.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                }
                Step::Send { text, opens, fetches } => {
                    self.flush(exchange).await?;
                    if let Next::RollBack =
                        self.send(script, exchange, text, fetches, entry).await?
                    {
                        exchange.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                    is_open |= opens;
                }
                Step::Queue(queued) => {
                    self.queue(script, exchange, queued, entry)?;
                    is_open = queued.leaves_open().unwrap_or(is_open);
                }
                Step::Flush => self.flush(exchange).await?,
                Step::Set { slot, expression, place } => {
                    let value = self.evaluate(script, expression, place)?;
                    self.variables[*slot] = value.into();
                }
                Step::JumpUnless { condition, target, place } => {
                    if !self.evaluate(script, condition, place)?.is_true() {
                        position = *target;
                    }
                }
                Step::Jump { target } => position = *target,
                Step::Sleep { length, unit_ns, place } => {
                    self.flush(exchange).await?;
                    self.sleep(script, length, *unit_ns, place).await?;
                }
            }
        }
        if is_open {
            return Err(left_open(&program.name));
        }
        Ok(ending)
    }

    async fn execute<C: Connection>(
        &mut self,
        script: &Script,
        exchange: &mut Exchange<'_, C>,
        call: Call<'_>,
    ) -> Result<Next, SqlError> {
        let Call { statement, parameters: slots, fetches, entry, shares } = call;
        self.has_sent = true;
        if !shares {
            self.flush(exchange).await?;
        } else if fetches.is_empty() && exchange.sends_together() {
            self.queue_statement(script, exchange, (statement, slots), entry)?;
            return Ok(Next::GoOn);
        }
        let Self { variables, fetched, is_text, rows_fetched, .. } = self;
        let mut parameters = Parameters::default();
        let parameters = parameters.of(script, variables, slots)?;
        if let Some(entry) = entry {
            entry.open(&mut self.account);
        }
        if fetches.is_empty() {
            let executed = exchange.execute(statement, parameters, &mut Discard).await?;
            self.count(executed, entry, exchange);
            return Ok(Next::GoOn);
        }
        let mut keep = KeepRows::new(fetches, fetched, is_text, rows_fetched);
        let executed = exchange.execute(statement, parameters, &mut keep).await?;
        // Those that waited went with it.
        self.take_in_waiting(exchange.results());
        self.count(executed, entry, exchange);
        self.take_over_all(fetches, &script.statements[statement].sql)
    }

    async fn send<C: Connection>(
        &mut self,
        script: &Script,
        exchange: &mut Exchange<'_, C>,
        text: &[TextPiece],
        fetches: &[Fetch],
        entry: Option<Entry>,
    ) -> Result<Next, SqlError> {
        self.write_text(script, text)?;
        self.has_sent = true;
        if let Some(entry) = entry {
            entry.open(&mut self.account);
        }
        let Self { text, fetched, is_text, rows_fetched, .. } = self;
        if fetches.is_empty() {
            let executed = exchange.query(text, &mut Discard).await?;
            self.count(executed, entry, exchange);
            return Ok(Next::GoOn);
        }
        let mut keep = KeepRows::new(fetches, fetched, is_text, rows_fetched);
        let executed = exchange.query(text, &mut keep).await?;
        self.count(executed, entry, exchange);
        let sql = std::mem::take(&mut self.text);
        let next = self.take_over_all(fetches, &sql);
        self.text = sql;
        next
    }

    fn write_text(&mut self, script: &Script, pieces: &[TextPiece]) -> Result<(), SqlError> {
        self.text.clear();
        for piece in pieces {
            match piece {
                TextPiece::Verbatim(verbatim) => self.text.push_str(verbatim),
                TextPiece::Variable(slot) => {
                    if !self.variables[*slot].write_text(&mut self.text) {
                        return Err(unset(&script.variables[*slot].0));
                    }
                }
                TextPiece::Embedded(slot) => {
                    if !self.variables[*slot].write_text(&mut self.text) {
                        self.text.push(':');
                        self.text.push_str(&script.variables[*slot].0);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes an answer in. Outside a transaction it says that the statement is committed.
    #[inline]
    fn count<C: Connection>(
        &mut self,
        executed: Executed,
        entry: Option<Entry>,
        exchange: &Exchange<'_, C>,
    ) {
        if let Executed::Rows(rows) = executed {
            self.rows_read += rows;
        }
        if let Some(entry) = entry {
            entry.effect(&self.variables).close(&mut self.account, executed);
            if !exchange.in_transaction() {
                self.account.settle(Outcome::Acknowledged);
            }
        }
    }
}
