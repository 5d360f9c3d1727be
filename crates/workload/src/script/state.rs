//! What a client knows from one transaction to the next: variables, streams, what was fetched.

use std::time::Duration;

use contract::{Account, Executed, Handle, SqlError, Timestamp};
use random::Stream;

use super::datum::Datum;
use super::failure::other;
use super::generator::Turn;
use super::program::{Length, Script};
use super::waiting::Waiting;
use crate::expression::{Expression, Scalar, Scope};

/// All that changes from one transaction to the next.
pub(super) struct State {
    pub stream: Stream,
    /// The transaction that was drawn last.
    pub kind: usize,
    pub variables: Vec<Datum>,
    pub turns: Vec<Turn>,
    pub fetched: Vec<Datum>,
    pub is_text: Vec<bool>,
    /// For each fetch of the last statement, how many rows there were.
    pub rows_fetched: Vec<u64>,
    pub waiting: Waiting,
    /// What the statements did that travelled together last.
    pub results: Vec<Executed>,
    pub text: String,
    pub expected_error: Option<SqlError>,
    pub rows_read: u64,
    pub handle: Option<Handle>,
    /// When the last pause ended that a script asked for.
    pub paused_until: Timestamp,
    /// Whether the server was asked anything since the transaction began.
    pub has_sent: bool,
    /// How often the transaction was carried out since it was drawn.
    pub attempts: u64,
    pub saved: Saved,
    /// What the server was told to change, and what it acknowledged.
    pub account: Account,
}

/// What a transaction that is retried begins with.
pub(super) struct Saved {
    pub stream: Stream,
    pub variables: Vec<Datum>,
}

impl State {
    pub fn save(&mut self) {
        self.saved.stream = self.stream.clone();
        for (saved, variable) in self.saved.variables.iter_mut().zip(&self.variables) {
            saved.copy_from(variable);
        }
    }

    pub fn restore(&mut self) {
        self.stream = self.saved.stream.clone();
        for (variable, saved) in self.variables.iter_mut().zip(&self.saved.variables) {
            variable.copy_from(saved);
        }
    }

    pub fn evaluate(
        &mut self,
        script: &Script,
        expression: &Expression,
        place: &str,
    ) -> Result<Scalar, SqlError> {
        let Self { variables, stream, .. } = self;
        let mut scope = Variables { script, data: variables, stream };
        expression.evaluate(&mut scope).map_err(|message| other(format!("{place}: {message}")))
    }

    pub async fn sleep(
        &mut self,
        script: &Script,
        length: &Length,
        unit_ns: u64,
        place: &str,
    ) -> Result<(), SqlError> {
        let length = match length {
            Length::Constant(length) => *length,
            Length::Variable(slot) => {
                let value = self.evaluate(script, &Expression::Variable(*slot), place)?;
                let value = value.int().map_err(|message| other(format!("{place}: {message}")))?;
                u64::try_from(value).unwrap_or(0)
            }
        };
        let handle = self.handle.as_ref().ok_or_else(|| other(format!("{place}: no clock")))?;
        handle.clear_deadline();
        let pause = Duration::from_nanos(length.saturating_mul(unit_ns));
        self.paused_until = handle.now() + pause;
        handle.sleep_until(self.paused_until).await;
        Ok(())
    }
}

/// What expressions see.
struct Variables<'a> {
    script: &'a Script,
    data: &'a [Datum],
    stream: &'a mut Stream,
}

impl Scope for Variables<'_> {
    fn variable(&self, number: usize) -> Result<Scalar, String> {
        match &self.data[number] {
            Datum::Unset => {
                let name = &self.script.variables[number].0;
                Err(format!("the variable {name} has no value yet"))
            }
            Datum::Null => Ok(Scalar::Null),
            Datum::Int(value) => Ok(Scalar::Int(*value)),
            Datum::Double(value) => Ok(Scalar::Double(*value)),
            Datum::Bool(value) => Ok(Scalar::Bool(*value)),
            Datum::Text(text) => Scalar::of_text(text),
        }
    }

    fn stream(&mut self) -> &mut Stream {
        self.stream
    }
}
