//! Prepared statements, straight on the library's functions: `rusqlite`'s cached statements cost a
//! look-up at each execution (0.2 µs of a point select's 2.8 µs) and copy every text parameter.

use std::ffi::c_int;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use contract::{ErrorClass, Executed, RowSink, SqlError, Value};
use rusqlite::ffi;

use super::database::Database;
use super::row::CurrentRow;

/// A statement that `SQLite` has compiled. Between two executions it is reset and holds no
/// parameters, except those that [`bind`](Self::bind) has copied for the next one.
pub(super) struct PreparedStatement {
    raw: NonNull<ffi::sqlite3_stmt>,
    // Keeps the connection open as long as the statement lives.
    database: Rc<Database>,
    parameters: usize,
    returns_rows: bool,
}

impl PreparedStatement {
    /// Compiles one statement; text with none, or with more, is refused.
    pub fn new(database: &Rc<Database>, sql: &str) -> Result<Self, SqlError> {
        database.restart_watch();
        let length = c_int::try_from(sql.len())
            .map_err(|_| invalid("the statement is longer than 2 GiB".to_owned()))?;
        let mut raw = ptr::null_mut();
        let mut tail = ptr::null();
        // SAFETY: the handle is open, the text is `length` bytes long, both results are written.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                database.handle(),
                sql.as_ptr().cast(),
                length,
                ffi::SQLITE_PREPARE_PERSISTENT,
                &raw mut raw,
                &raw mut tail,
            )
        };
        database.check(code)?;
        let raw = NonNull::new(raw).ok_or_else(|| invalid("there is no statement".to_owned()))?;
        let statement = Self::wrap(raw, database);
        let compiled_bytes = tail.addr().saturating_sub(sql.as_ptr().addr());
        match sql.get(compiled_bytes..).map_or("", str::trim) {
            "" => Ok(statement),
            more => Err(invalid(format!("more than one statement; send this by itself: {more}"))),
        }
    }

    fn wrap(raw: NonNull<ffi::sqlite3_stmt>, database: &Rc<Database>) -> Self {
        // SAFETY: the statement was compiled just now.
        let (parameters, columns) = unsafe {
            (
                ffi::sqlite3_bind_parameter_count(raw.as_ptr()),
                ffi::sqlite3_column_count(raw.as_ptr()),
            )
        };
        let parameters = usize::try_from(parameters).unwrap_or(0);
        Self { raw, database: Rc::clone(database), parameters, returns_rows: columns > 0 }
    }

    /// Executes with these parameters, none of which is copied.
    #[inline]
    pub fn execute<S: RowSink>(
        &mut self,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        // Texts are lent until the statement is reset, which happens before this function returns.
        let result = self.lend(parameters).and_then(|()| self.walk(sink));
        self.reset();
        result
    }

    /// Executes with the parameters that were copied.
    pub fn run<S: RowSink>(&mut self, sink: &mut S) -> Result<Executed, SqlError> {
        let result = self.walk(sink);
        self.reset();
        result
    }

    /// Copies one parameter, counted from zero.
    pub fn bind(&mut self, index: usize, value: Value<'_>) -> Result<(), SqlError> {
        self.set(index, value, ffi::SQLITE_TRANSIENT())
    }

    #[inline]
    fn lend(&mut self, parameters: &[Value<'_>]) -> Result<(), SqlError> {
        if parameters.len() != self.parameters {
            let (takes, given) = (self.parameters, parameters.len());
            return Err(invalid(format!("the statement takes {takes} parameters, not {given}")));
        }
        for (index, value) in parameters.iter().enumerate() {
            self.set(index, *value, ffi::SQLITE_STATIC())?;
        }
        Ok(())
    }

    #[inline]
    fn set(
        &mut self,
        index: usize,
        value: Value<'_>,
        text_lifetime: ffi::sqlite3_destructor_type,
    ) -> Result<(), SqlError> {
        let raw = self.raw.as_ptr();
        // An index that is too large for SQLite is one that no statement has.
        let number = c_int::try_from(index + 1).unwrap_or(c_int::MAX);
        // SAFETY: the statement lives, and a text is either copied in the call or, by the callers'
        // care, outlives the execution.
        let code = unsafe {
            match value {
                Value::Null => ffi::sqlite3_bind_null(raw, number),
                Value::Int(value) => ffi::sqlite3_bind_int64(raw, number, value),
                Value::Double(value) => ffi::sqlite3_bind_double(raw, number, value),
                Value::Text(text) => ffi::sqlite3_bind_text64(
                    raw,
                    number,
                    text.as_ptr().cast(),
                    text.len() as u64,
                    text_lifetime,
                    UTF8,
                ),
            }
        };
        self.database.check(code)
    }

    /// Steps to the end, or to the first error.
    #[inline]
    fn walk<S: RowSink>(&mut self, sink: &mut S) -> Result<Executed, SqlError> {
        self.database.restart_watch();
        let changes_before = self.database.total_changes();
        let mut rows = 0;
        loop {
            // SAFETY: the statement lives.
            match unsafe { ffi::sqlite3_step(self.raw.as_ptr()) } {
                ffi::SQLITE_ROW => {
                    rows += 1;
                    if S::READS {
                        sink.row(&CurrentRow::new(&self.raw))?;
                    }
                }
                ffi::SQLITE_DONE => break,
                code => return Err(self.database.error(code)),
            }
        }
        if self.returns_rows {
            return Ok(Executed::Rows(rows));
        }
        // A statement that changes nothing leaves the count of the last one that did.
        let changed = self.database.total_changes() != changes_before;
        Ok(Executed::Affected(if changed { self.database.changes() } else { 0 }))
    }

    #[inline]
    fn reset(&mut self) {
        // SAFETY: the statement lives. Both return what the last step returned, or nothing new.
        unsafe {
            ffi::sqlite3_reset(self.raw.as_ptr());
            ffi::sqlite3_clear_bindings(self.raw.as_ptr());
        }
    }
}

impl Drop for PreparedStatement {
    fn drop(&mut self) {
        // SAFETY: the statement lives, and so does its connection.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// The encoding of a text parameter, in the type in which it is passed.
#[expect(clippy::cast_possible_truncation, reason = "it is 1")]
const UTF8: u8 = ffi::SQLITE_UTF8 as u8;

fn invalid(message: String) -> SqlError {
    SqlError::driver(ErrorClass::InvalidStatement, message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract::Discard;

    use super::*;

    fn execute(database: &Rc<Database>, sql: &str) {
        PreparedStatement::new(database, sql).unwrap().execute(&[], &mut Discard).unwrap();
    }

    #[test]
    fn a_prepared_range_over_an_analysed_index_is_not_planned_anew_at_each_execution() {
        let limit = Duration::from_secs(5);
        let database = Rc::new(Database::open(":memory:", limit, limit).unwrap());
        execute(&database, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER)");
        execute(
            &database,
            "WITH RECURSIVE s(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM s WHERE x < 1000) \
             INSERT INTO t SELECT x, x FROM s",
        );
        execute(&database, "CREATE INDEX t_k ON t (k)");
        execute(&database, "ANALYZE");
        let sql = "SELECT count(k) FROM t WHERE k BETWEEN ? AND ?";
        let mut statement = PreparedStatement::new(&database, sql).unwrap();
        for first in 1..100 {
            let parameters = [Value::Int(first), Value::Int(first + 10)];
            statement.execute(&parameters, &mut Discard).unwrap();
        }
        // SAFETY: the statement lives.
        let planned = unsafe {
            let counter = ffi::SQLITE_STMTSTATUS_REPREPARE;
            ffi::sqlite3_stmt_status(statement.raw.as_ptr(), counter, 0)
        };
        assert_eq!(planned, 0);
    }
}
