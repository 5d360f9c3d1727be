//! Bulk loading: one prepared INSERT a table, executed once a row within one transaction. There is
//! no network on which many rows in one statement would save anything.

use std::rc::Rc;

use contract::{ErrorClass, RowSource, RowWriter, SqlError, Value};

use super::counted::Counted;
use super::database::Database;
use super::ledger::Ledger;
use super::statement::PreparedStatement;

/// Inserts all rows of a source within the transaction that is open; returns how many.
pub(super) fn insert(
    database: &Rc<Database>,
    ledger: &mut Ledger,
    source: &mut dyn RowSource,
) -> Result<u64, SqlError> {
    let columns = source.columns().len();
    let mut insert = Counted::new(database, ledger, &insert_sql(source))?;
    let mut rows = 0;
    loop {
        let mut row = BoundRow { statement: &mut insert.statement, fields: 0, error: None };
        if !source.next(&mut row) {
            return Ok(rows);
        }
        row.check(columns)?;
        insert.run(ledger)?;
        rows += 1;
    }
}

fn insert_sql(source: &dyn RowSource) -> String {
    let columns = source.columns().join(", ");
    let places = vec!["?"; source.columns().len()].join(", ");
    format!("INSERT INTO {} ({columns}) VALUES ({places})", source.table())
}

/// A row whose fields become the statement's parameters as they are written.
struct BoundRow<'a> {
    statement: &'a mut PreparedStatement,
    fields: usize,
    error: Option<SqlError>,
}

impl BoundRow<'_> {
    fn field(&mut self, value: Value<'_>) {
        if self.error.is_none() {
            self.error = self.statement.bind(self.fields, value).err();
        }
        self.fields += 1;
    }

    /// A row with too few fields would be filled up with NULLs.
    fn check(self, columns: usize) -> Result<(), SqlError> {
        if self.fields != columns {
            let message = format!("a row has {} fields for {columns} columns", self.fields);
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        self.error.map_or(Ok(()), Err)
    }
}

impl RowWriter for BoundRow<'_> {
    fn null(&mut self) {
        self.field(Value::Null);
    }

    fn int(&mut self, value: i64) {
        self.field(Value::Int(value));
    }

    fn text(&mut self, value: &str) {
        self.field(Value::Text(value));
    }
}
