//! A prepared statement whose executions the ledger counts.

use std::rc::Rc;

use contract::{Discard, Executed, RowSink, SqlError, Value};

use super::database::Database;
use super::ledger::Ledger;
use super::statement::PreparedStatement;

/// A statement and its place in the ledger.
pub(super) struct Counted {
    pub statement: PreparedStatement,
    place: usize,
}

impl Counted {
    /// Prepares it.
    pub fn new(database: &Rc<Database>, ledger: &mut Ledger, sql: &str) -> Result<Self, SqlError> {
        let statement = PreparedStatement::new(database, sql)?;
        Ok(Self { statement, place: ledger.place(sql) })
    }

    /// Executes with parameters.
    #[inline]
    pub fn execute<S: RowSink>(
        &mut self,
        ledger: &mut Ledger,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let result = self.statement.execute(parameters, sink);
        ledger.enter(self.place, &result);
        result
    }

    /// Executes with the parameters that were copied.
    pub fn run(&mut self, ledger: &mut Ledger) -> Result<Executed, SqlError> {
        let result = self.statement.run(&mut Discard);
        ledger.enter(self.place, &result);
        result
    }
}
