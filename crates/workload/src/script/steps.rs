//! Carries a program's steps out on a connection.

use contract::{
    Connection, Discard, Ending, ErrorClass, Executed, Outcome, RowSink, SqlError, Value,
};

use super::datum::Datum;
use super::ledger::{Accounting, Entry};
use super::program::{Fetch, FetchedRows, NoRow, Program, Script, Slot, Step, TextPiece};
use super::rows::KeepRows;
use super::state::State;

/// Parameters of one statement that need no memory of their own.
const FEW: usize = 16;

/// Room for the parameters of a statement.
#[derive(Default)]
pub(super) struct Parameters<'a> {
    few: [Value<'a>; FEW],
    many: Vec<Value<'a>>,
}

impl<'a> Parameters<'a> {
    /// The values of these variables.
    #[inline]
    pub fn of(
        &mut self,
        script: &Script,
        variables: &'a [Datum],
        slots: &[Slot],
    ) -> Result<&[Value<'a>], SqlError> {
        let parameters = if slots.len() <= FEW {
            &mut self.few[..slots.len()]
        } else {
            self.many.resize(slots.len(), Value::Null);
            &mut self.many[..]
        };
        for (parameter, slot) in parameters.iter_mut().zip(slots) {
            let datum = &variables[*slot];
            *parameter = datum.parameter().ok_or_else(|| unset(&script.variables[*slot].0))?;
        }
        Ok(parameters)
    }
}

/// What follows after a step.
enum Next {
    GoOn,
    RollBack,
}

impl State {
    /// Carries a transaction out, step by step.
    pub async fn carry_out<C: Connection>(
        &mut self,
        script: &Script,
        accounting: &Accounting,
        program: &Program,
        connection: &mut C,
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
                    connection.begin(*access).await?;
                    is_open = true;
                }
                Step::Commit => {
                    connection.commit().await?;
                    self.account.settle(Outcome::Acknowledged);
                    (ending, is_open) = (Ending::Committed, false);
                }
                Step::Rollback => {
                    connection.rollback().await?;
                    self.account.settle(Outcome::Undone);
                    (ending, is_open) = (Ending::RolledBack, false);
                }
                Step::Execute { statement, parameters, fetch } => {
                    let call = (*statement, parameters.as_slice());
                    let next = self.execute(script, connection, call, fetch.as_slice(), entry);
                    if let Next::RollBack = next.await? {
                        connection.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                }
                Step::Send { text, opens, fetches } => {
                    if let Next::RollBack =
                        self.send(script, connection, text, fetches, entry).await?
                    {
                        connection.rollback().await?;
                        return Ok(Ending::RolledBack);
                    }
                    is_open |= opens;
                }
                Step::Queue(queued) => {
                    self.queue(script, connection, queued, entry)?;
                    is_open = queued.leaves_open().unwrap_or(is_open);
                }
                Step::Flush => self.flush(connection).await?,
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
        (statement, slots): (usize, &[Slot]),
        fetches: &[Fetch],
        entry: Option<Entry>,
    ) -> Result<Next, SqlError> {
        let Self { variables, fetched, is_text, rows_fetched, has_sent, .. } = self;
        let mut parameters = Parameters::default();
        let parameters = parameters.of(script, variables, slots)?;
        *has_sent = true;
        if let Some(entry) = entry {
            entry.open(&mut self.account);
        }
        if fetches.is_empty() {
            let executed = connection.execute(statement, parameters, &mut Discard).await?;
            self.count(executed, entry, connection);
            return Ok(Next::GoOn);
        }
        let mut keep = KeepRows::new(fetches, fetched, is_text, rows_fetched);
        let executed = connection.execute(statement, parameters, &mut keep).await?;
        self.count(executed, entry, connection);
        self.take_over_all(fetches, &script.statements[statement].sql)
    }

    async fn send<C: Connection>(
        &mut self,
        script: &Script,
        connection: &mut C,
        text: &[TextPiece],
        fetches: &[Fetch],
        entry: Option<Entry>,
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
                TextPiece::Embedded(slot) => {
                    if !self.variables[*slot].write_text(&mut self.text) {
                        self.text.push(':');
                        self.text.push_str(&script.variables[*slot].0);
                    }
                }
            }
        }
        self.has_sent = true;
        if let Some(entry) = entry {
            entry.open(&mut self.account);
        }
        let Self { text, fetched, is_text, rows_fetched, .. } = self;
        if fetches.is_empty() {
            let executed = query(connection, text, &mut Discard).await?;
            self.count(executed, entry, connection);
            return Ok(Next::GoOn);
        }
        let mut keep = KeepRows::new(fetches, fetched, is_text, rows_fetched);
        let executed = query(connection, text, &mut keep).await?;
        self.count(executed, entry, connection);
        let sql = std::mem::take(&mut self.text);
        let next = self.take_over_all(fetches, &sql);
        self.text = sql;
        next
    }

    /// Takes an answer in. Outside a transaction it says that the statement is committed.
    #[inline]
    fn count<C: Connection>(&mut self, executed: Executed, entry: Option<Entry>, connection: &C) {
        if let Executed::Rows(rows) = executed {
            self.rows_read += rows;
        }
        if let Some(entry) = entry {
            entry.effect(&self.variables).close(&mut self.account, executed);
            if !connection.in_transaction() {
                self.account.settle(Outcome::Acknowledged);
            }
        }
    }

    /// Gives the variables the values of the rows that were kept.
    fn take_over_all(&mut self, fetches: &[Fetch], sql: &str) -> Result<Next, SqlError> {
        for (index, fetch) in fetches.iter().enumerate() {
            if let Next::RollBack = self.take_over(fetch, self.rows_fetched[index], sql)? {
                return Ok(Next::RollBack);
            }
        }
        Ok(Next::GoOn)
    }

    fn take_over(&mut self, fetch: &Fetch, rows: u64, sql: &str) -> Result<Next, SqlError> {
        match (fetch.rows, rows) {
            (FetchedRows::First(NoRow::Fail) | FetchedRows::ExactlyOne, 0) => {
                return Err(no_row(sql));
            }
            (FetchedRows::First(NoRow::Rollback), 0) => return Ok(Next::RollBack),
            (FetchedRows::First(NoRow::Nulls), 0) => {
                for slot in &fetch.slots {
                    self.variables[*slot] = Datum::Null;
                }
                return Ok(Next::GoOn);
            }
            (FetchedRows::Last, 0) => return Ok(Next::GoOn),
            (FetchedRows::ExactlyOne, 2..) => return Err(several_rows(rows, sql)),
            (FetchedRows::First(_) | FetchedRows::ExactlyOne | FetchedRows::Last, _) => {}
        }
        for (index, slot) in fetch.slots.iter().enumerate() {
            // The memory of the old value serves for the next.
            let fetched = &mut self.fetched[fetch.first_column + index];
            if fetch.names.is_none() || *fetched != Datum::Unset {
                std::mem::swap(&mut self.variables[*slot], fetched);
            }
        }
        Ok(Next::GoOn)
    }
}

async fn query<C: Connection, S: RowSink>(
    connection: &mut C,
    text: &str,
    sink: &mut S,
) -> Result<Executed, SqlError> {
    connection.query(text, sink).await
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
