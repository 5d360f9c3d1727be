//! One client: chooses a kind of transaction, draws its input, carries it out.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    Client, Connection, Discard, Ending, ErrorClass, Executed, Fact, Handle, RowSink, SqlError,
    Value,
};
use random::{Purpose, Stream};

use super::datum::Datum;
use super::generator::Turn;
use super::program::{
    Fetch, FetchedRows, Initial, Length, NoRow, Program, Script, Step, TextPiece,
};
use super::rows::KeepRow;
use crate::expression::{Expression, Scalar, Scope};

/// Parameters of one statement that need no memory of their own.
const FEW: usize = 16;

/// One virtual user of statements that somebody wrote.
pub struct ScriptClient {
    script: Arc<Script>,
    weights: u64,
    state: State,
}

/// All that changes from one transaction to the next.
struct State {
    stream: Stream,
    /// The transaction that was drawn last.
    kind: usize,
    variables: Vec<Datum>,
    turns: Vec<Turn>,
    fetched: Vec<Datum>,
    is_text: Vec<bool>,
    text: String,
    expected_error: Option<SqlError>,
    rows_read: u64,
    handle: Option<Handle>,
    /// Whether the server was asked anything since the transaction began.
    has_sent: bool,
    /// How often the transaction was carried out since it was drawn.
    attempts: u64,
    saved: Saved,
}

/// What a transaction that is retried begins with.
struct Saved {
    stream: Stream,
    variables: Vec<Datum>,
}

/// What follows after a step.
enum Next {
    GoOn,
    RollBack,
}

impl ScriptClient {
    pub(super) fn new(script: Arc<Script>, seed: u64, index: u64, clients: u64) -> Self {
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
            text: String::new(),
            expected_error: None,
            rows_read: 0,
            handle: None,
            has_sent: false,
            attempts: 0,
        };
        let weights = script.programs.iter().map(|program| program.weight).sum();
        Self { script, weights, state }
    }

    fn choose(&mut self) -> usize {
        if self.script.programs.len() == 1 {
            return 0;
        }
        let mut point = self.state.stream.below(self.weights);
        let chosen = self.script.programs.iter().position(|program| {
            let is_chosen = point < program.weight;
            point = point.saturating_sub(program.weight);
            is_chosen
        });
        chosen.unwrap_or_else(|| unreachable!("the point is below the sum of the weights"))
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

    fn draw(&mut self) -> usize {
        let kind = self.choose();
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
        kind
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        let program = &self.script.programs[self.state.kind];
        if self.script.keeps_state && self.state.attempts > 0 {
            self.state.restore();
        }
        self.state.attempts += 1;
        self.state.has_sent = false;
        let result = match self.state.carry_out(&self.script, program, connection).await {
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

    fn take_expected_error(&mut self) -> Option<SqlError> {
        self.state.expected_error.take()
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("rows_read", Fact::Count(self.state.rows_read))]
    }
}

impl State {
    fn save(&mut self) {
        self.saved.stream = self.stream.clone();
        for (saved, variable) in self.saved.variables.iter_mut().zip(&self.variables) {
            saved.copy_from(variable);
        }
    }

    fn restore(&mut self) {
        self.stream = self.saved.stream.clone();
        for (variable, saved) in self.variables.iter_mut().zip(&self.saved.variables) {
            variable.copy_from(saved);
        }
    }

    fn evaluate(
        &mut self,
        script: &Script,
        expression: &Expression,
        place: &str,
    ) -> Result<Scalar, SqlError> {
        let Self { variables, stream, .. } = self;
        let mut scope = Variables { script, data: variables, stream };
        expression.evaluate(&mut scope).map_err(|message| other(format!("{place}: {message}")))
    }

    async fn sleep(
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
        handle.sleep_until(handle.now() + pause).await;
        Ok(())
    }

    async fn carry_out<C: Connection>(
        &mut self,
        script: &Script,
        program: &Program,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        let mut ending = Ending::Committed;
        let mut is_open = false;
        let mut position = 0;
        while let Some(step) = program.steps.get(position) {
            position += 1;
            match step {
                Step::Begin(access) => {
                    self.has_sent = true;
                    connection.begin(*access).await?;
                    is_open = true;
                }
                Step::Commit => {
                    connection.commit().await?;
                    (ending, is_open) = (Ending::Committed, false);
                }
                Step::Rollback => {
                    connection.rollback().await?;
                    (ending, is_open) = (Ending::RolledBack, false);
                }
                Step::Execute { statement, parameters, fetch } => {
                    let next =
                        self.execute(script, connection, *statement, parameters, fetch.as_ref());
                    if let Next::RollBack = next.await? {
                        connection.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                }
                Step::Send { text, opens, fetch } => {
                    if let Next::RollBack =
                        self.send(script, connection, text, fetch.as_ref()).await?
                    {
                        connection.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                    is_open |= opens;
                }
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
        connection: &mut C,
        statement: usize,
        slots: &[usize],
        fetch: Option<&Fetch>,
    ) -> Result<Next, SqlError> {
        let Self { variables, fetched, is_text, has_sent, .. } = self;
        let mut few = [Value::Null; FEW];
        let mut many = Vec::new();
        let parameters = if slots.len() <= FEW {
            &mut few[..slots.len()]
        } else {
            many.resize(slots.len(), Value::Null);
            &mut many[..]
        };
        for (parameter, slot) in parameters.iter_mut().zip(slots) {
            let datum = &variables[*slot];
            *parameter = datum.parameter().ok_or_else(|| unset(&script.variables[*slot].0))?;
        }
        *has_sent = true;
        let Some(fetch) = fetch else {
            let executed = connection.execute(statement, parameters, &mut Discard).await?;
            self.count(executed);
            return Ok(Next::GoOn);
        };
        let mut keep = keep_row(fetch, fetched, is_text);
        let executed = connection.execute(statement, parameters, &mut keep).await?;
        let rows = keep.rows;
        self.count(executed);
        self.take_over(fetch, rows, || script.statements[statement].sql.clone())
    }

    async fn send<C: Connection>(
        &mut self,
        script: &Script,
        connection: &mut C,
        text: &[TextPiece],
        fetch: Option<&Fetch>,
    ) -> Result<Next, SqlError> {
        self.text.clear();
        for piece in text {
            match piece {
                TextPiece::Verbatim(verbatim) => self.text.push_str(verbatim),
                TextPiece::Variable(slot) => {
                    if !self.variables[*slot].write_text(&mut self.text) {
                        return Err(unset(&script.variables[*slot].0));
                    }
                }
            }
        }
        self.has_sent = true;
        let Self { text, fetched, is_text, .. } = self;
        let Some(fetch) = fetch else {
            let executed = query(connection, text, &mut Discard).await?;
            self.count(executed);
            return Ok(Next::GoOn);
        };
        let mut keep = keep_row(fetch, fetched, is_text);
        let executed = query(connection, text, &mut keep).await?;
        let rows = keep.rows;
        self.count(executed);
        let sql = std::mem::take(&mut self.text);
        let next = self.take_over(fetch, rows, || sql.clone());
        self.text = sql;
        next
    }

    #[inline]
    fn count(&mut self, executed: Executed) {
        if let Executed::Rows(rows) = executed {
            self.rows_read += rows;
        }
    }

    /// Gives the variables the values of the row that was kept.
    fn take_over(
        &mut self,
        fetch: &Fetch,
        rows: u64,
        sql: impl FnOnce() -> String,
    ) -> Result<Next, SqlError> {
        match (fetch.rows, rows) {
            (FetchedRows::First(NoRow::Fail) | FetchedRows::ExactlyOne, 0) => {
                return Err(no_row(&sql()));
            }
            (FetchedRows::First(NoRow::Rollback), 0) => return Ok(Next::RollBack),
            (FetchedRows::First(NoRow::Nulls), 0) => {
                for slot in &fetch.slots {
                    self.variables[*slot] = Datum::Null;
                }
                return Ok(Next::GoOn);
            }
            (FetchedRows::Last, 0) => return Ok(Next::GoOn),
            (FetchedRows::ExactlyOne, 2..) => return Err(several_rows(rows, &sql())),
            (FetchedRows::First(_) | FetchedRows::ExactlyOne | FetchedRows::Last, _) => {}
        }
        for (index, slot) in fetch.slots.iter().enumerate() {
            // The memory of the old value serves for the next.
            let fetched = &mut self.fetched[fetch.first_column + index];
            std::mem::swap(&mut self.variables[*slot], fetched);
        }
        Ok(Next::GoOn)
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

async fn query<C: Connection, S: RowSink>(
    connection: &mut C,
    text: &str,
    sink: &mut S,
) -> Result<Executed, SqlError> {
    connection.query(text, sink).await
}

fn keep_row<'a>(fetch: &Fetch, data: &'a mut [Datum], is_text: &'a mut [bool]) -> KeepRow<'a> {
    let columns = fetch.first_column..fetch.first_column + fetch.slots.len();
    KeepRow {
        data: &mut data[columns.clone()],
        is_text: &mut is_text[columns],
        keeps_last: fetch.rows.keeps_last(),
        rows: 0,
    }
}

#[cold]
fn unset(name: &str) -> SqlError {
    other(format!("the variable {name} has no value yet"))
}

#[cold]
fn left_open(name: &str) -> SqlError {
    other(format!("{name} ends inside a transaction that it opened; it must COMMIT or ROLLBACK"))
}

#[cold]
fn several_rows(rows: u64, sql: &str) -> SqlError {
    other(format!("one row is needed and there are {rows}: {sql}"))
}

#[cold]
fn no_row(sql: &str) -> SqlError {
    other(format!("a row is needed and there is none: {sql}"))
}

#[cold]
pub(super) fn other(message: String) -> SqlError {
    SqlError::driver(ErrorClass::Other, message)
}
