//! One client: chooses a kind of transaction, draws its input, carries it out.

use std::sync::Arc;

use contract::{Client, Connection, Ending, Fact, Handle, Outcome, SqlError, Timestamp};
use random::{Purpose, Stream};

use super::datum::Datum;
use super::generator::Turn;
use super::ledger::Accounting;
use super::program::{Initial, Script};
use super::state::{Saved, State};
use super::waiting::Waiting;

/// One virtual user of statements that somebody wrote.
pub struct ScriptClient {
    script: Arc<Script>,
    accounting: Arc<Accounting>,
    state: State,
}

impl ScriptClient {
    pub(super) fn new(
        script: Arc<Script>,
        accounting: Arc<Accounting>,
        seed: u64,
        index: u64,
        clients: u64,
    ) -> Self {
        let unset = || std::iter::repeat_with(|| Datum::Unset);
        let stream = Stream::new(seed, Purpose::Inputs, index);
        let mut variables: Vec<Datum> = unset().take(script.variables.len()).collect();
        for (slot, initial) in &script.initial {
            initial.put_into(&mut variables[*slot], seed, index);
        }
        let saved = unset().take(script.variables.len()).collect();
        let state = State {
            saved: Saved { stream: stream.clone(), variables: saved },
            stream,
            kind: 0,
            variables,
            turns: vec![Turn { next: index, step: clients }; script.variables.len()],
            fetched: unset().take(script.fetched_columns).collect(),
            is_text: vec![false; script.fetched_columns],
            rows_fetched: Vec::new(),
            waiting: Waiting::default(),
            results: Vec::new(),
            text: String::new(),
            expected_error: None,
            rows_read: 0,
            handle: None,
            paused_until: Timestamp::default(),
            has_sent: false,
            attempts: 0,
            account: accounting.account(),
        };
        Self { script, accounting, state }
    }
}

impl Initial {
    fn put_into(&self, datum: &mut Datum, seed: u64, index: u64) {
        match self {
            Self::Constant(constant) => constant.put_into(datum),
            Self::ClientId => *datum = Datum::Int(index.cast_signed()),
            Self::Seed => *datum = Datum::Int(seed.cast_signed()),
            Self::SeedOfHashes => {
                let bits = Stream::new(seed, Purpose::Unique, u64::MAX).bits();
                *datum = Datum::Int(bits.cast_signed());
            }
        }
    }
}

impl Client for ScriptClient {
    fn attach(&mut self, handle: &Handle) {
        self.state.handle = Some(handle.clone());
    }

    fn choose(&mut self) -> usize {
        self.script.choose(&mut self.state.stream)
    }

    fn draw(&mut self, kind: usize) {
        let state = &mut self.state;
        state.kind = kind;
        for slot in &self.script.programs[kind].draws {
            if let Some(variable) = &self.script.variables[*slot].1 {
                let (turn, datum) = (&mut state.turns[*slot], &mut state.variables[*slot]);
                variable.draw(&mut state.stream, turn, datum);
            }
        }
        state.attempts = 0;
        if self.script.keeps_state {
            state.save();
        }
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        let program = &self.script.programs[self.state.kind];
        if self.script.keeps_state && self.state.attempts > 0 {
            self.state.restore();
        }
        self.state.attempts += 1;
        self.state.has_sent = false;
        self.state.waiting.forget();
        self.state.account.open();
        let carried_out =
            self.state.carry_out(&self.script, &self.accounting, program, connection).await;
        let result = match carried_out {
            Err(error) if program.expected.has(&error) => {
                connection.rollback().await?;
                self.state.expected_error = Some(error);
                Ok(Ending::RolledBack)
            }
            result => result,
        };
        // A transaction that asked the server nothing has waited for nothing: without this, a client
        // that carries out one after the other would never let the others, nor the clock, have a turn.
        if !self.state.has_sent
            && let Some(handle) = &self.state.handle
        {
            handle.yield_now().await;
        }
        result
    }

    #[inline]
    fn paused_until(&self) -> Timestamp {
        self.state.paused_until
    }

    #[inline]
    fn settled(&mut self, outcome: Outcome, _: Timestamp, _: Timestamp) {
        self.state.account.settle(outcome);
    }

    fn take_expected_error(&mut self) -> Option<SqlError> {
        self.state.expected_error.take()
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let ledger = Fact::Ledger(Box::new(self.state.account.ledger()));
        vec![("rows_read", Fact::Count(self.state.rows_read)), ("ledger", ledger)]
    }
}
