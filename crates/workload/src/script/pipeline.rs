//! Statements that a script sends together, before any of them is answered.

use contract::{Connection, Discard, Executed, Outcome, Request, SqlError};

use super::ledger::{Entry, RowEffect};
use super::program::{Queued, Script, Slot};
use super::state::State;
use super::steps::{Parameters, other};

/// What a client sends together, while it is collected.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    /// For each statement, what it changes by the variables' values when it was sent.
    effects: Vec<Option<RowEffect>>,
    /// Whether a COMMIT is among them.
    commits: bool,
    results: Vec<Executed>,
}

impl State {
    /// Puts a request behind those that are sent next.
    pub fn queue<C: Connection>(
        &mut self,
        script: &Script,
        connection: &mut C,
        queued: &Queued,
        entry: Option<Entry>,
    ) -> Result<(), SqlError> {
        if !(connection.pipelines() || connection.sends_batches()) {
            return Err(no_pipelines());
        }
        self.has_sent = true;
        match queued {
            Queued::Begin(access) => connection.queue(Request::Begin(*access)),
            Queued::Commit => {
                self.pipeline.commits = true;
                connection.queue(Request::Commit)
            }
            Queued::Execute { statement, parameters, .. } => {
                self.queue_statement(script, connection, (*statement, parameters), entry)
            }
        }
    }

    fn queue_statement<C: Connection>(
        &mut self,
        script: &Script,
        connection: &mut C,
        (statement, slots): (usize, &[Slot]),
        entry: Option<Entry>,
    ) -> Result<(), SqlError> {
        let mut parameters = Parameters::default();
        let parameters = parameters.of(script, &self.variables, slots)?;
        connection.queue(Request::Execute { statement, parameters })?;
        let effect = entry.map(|entry| {
            entry.open(&mut self.account);
            entry.effect(&self.variables)
        });
        self.pipeline.effects.push(effect);
        Ok(())
    }

    /// Sends what was queued, and takes the answers in.
    pub async fn flush<C: Connection>(&mut self, connection: &mut C) -> Result<(), SqlError> {
        let mut pipeline = std::mem::take(&mut self.pipeline);
        let outcome = connection.flush(&mut Discard, &mut pipeline.results).await;
        if outcome.is_ok() {
            for (executed, effect) in pipeline.results.iter().zip(&pipeline.effects) {
                self.take_in(*executed, *effect);
            }
        }
        if pipeline.commits && outcome.is_err() {
            // The error may stand before the COMMIT or behind it.
            self.account.settle(Outcome::Unknown);
        } else if outcome.is_ok() && (pipeline.commits || !connection.in_transaction()) {
            self.account.settle(Outcome::Acknowledged);
        }
        // The memory serves for the next.
        pipeline.forget();
        self.pipeline = pipeline;
        outcome
    }

    fn take_in(&mut self, executed: Executed, effect: Option<RowEffect>) {
        if let Executed::Rows(rows) = executed {
            self.rows_read += rows;
        }
        if let Some(effect) = effect {
            effect.close(&mut self.account, executed);
        }
    }
}

impl Pipeline {
    pub fn forget(&mut self) {
        self.effects.clear();
        self.commits = false;
        self.results.clear();
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
