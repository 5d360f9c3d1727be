//! Statements that wait to be sent together, before any of them is answered: those between
//! `\startpipeline` and `\endpipeline`, and with `protocol: multi` those of a transaction.

use contract::{Connection, Executed, Outcome, Request, SqlError};

use super::failure::other;
use super::ledger::Entry;
use super::parameters::Parameters;
use super::program::{Queued, Script, Slot};
use super::state::State;
use crate::exchange::Exchange;

impl State {
    /// Puts a request of a pipeline behind those that are sent next.
    pub fn queue<C: Connection>(
        &mut self,
        script: &Script,
        exchange: &mut Exchange<'_, C>,
        queued: &Queued,
        entry: Option<Entry>,
    ) -> Result<(), SqlError> {
        if !exchange.can_queue() {
            return Err(no_pipelines());
        }
        self.has_sent = true;
        match queued {
            Queued::Begin(access) => exchange.queue(Request::Begin(*access)),
            Queued::Commit => {
                self.waiting.commits = true;
                exchange.queue(Request::Commit)
            }
            Queued::Execute { statement, parameters, .. } => {
                self.queue_statement(script, exchange, (*statement, parameters), entry)
            }
        }
    }

    /// Puts a statement behind those that are sent next.
    pub fn queue_statement<C: Connection>(
        &mut self,
        script: &Script,
        exchange: &mut Exchange<'_, C>,
        (statement, slots): (usize, &[Slot]),
        entry: Option<Entry>,
    ) -> Result<(), SqlError> {
        let mut parameters = Parameters::default();
        let parameters = parameters.of(script, &self.variables, slots)?;
        exchange.queue(Request::Execute { statement, parameters })?;
        let effect = entry.map(|entry| {
            entry.open(&mut self.account);
            entry.effect(&self.variables)
        });
        self.waiting.effects.push(effect);
        Ok(())
    }

    /// Sends what waits, if anything does, and takes the answers in.
    pub async fn flush<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        if !exchange.is_waiting() {
            return Ok(());
        }
        let outcome = exchange.flush().await;
        let commits = self.waiting.commits;
        if outcome.is_ok() {
            self.take_in_waiting(exchange.results());
        }
        if commits && outcome.is_err() {
            // The error may stand before the COMMIT or behind it.
            self.account.settle(Outcome::Unknown);
        } else if outcome.is_ok() && (commits || !exchange.in_transaction()) {
            self.account.settle(Outcome::Acknowledged);
        }
        self.waiting.forget();
        outcome
    }

    /// Takes the answers in to the statements that waited.
    #[inline]
    pub fn take_in_waiting(&mut self, results: &[Executed]) {
        if !self.waiting.effects.is_empty() {
            self.take_in_all(results);
        }
    }

    fn take_in_all(&mut self, results: &[Executed]) {
        for (executed, effect) in results.iter().zip(self.waiting.effects.drain(..)) {
            if let Executed::Rows(rows) = executed {
                self.rows_read += rows;
            }
            if let Some(effect) = effect {
                effect.close(&mut self.account, *executed);
            }
        }
    }
}

impl Queued {
    /// Whether a transaction is open behind it; None where it changes nothing of that.
    pub fn leaves_open(&self) -> Option<bool> {
        match self {
            Self::Begin(_) => Some(true),
            Self::Execute { opens, .. } => opens.then_some(true),
            Self::Commit => Some(false),
        }
    }
}

#[cold]
fn no_pipelines() -> SqlError {
    other(
        "\\startpipeline sends prepared statements before others are answered, which is switched \
         off here; leave protocol at prepared (-M prepared) and pipelining at auto, or remove it"
            .to_owned(),
    )
}
