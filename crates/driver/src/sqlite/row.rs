//! The row on which a statement stands, read where `SQLite` keeps it.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::slice;

use contract::{ErrorClass, Row, SqlError};
use rusqlite::ffi;

/// One row of an answer; gone at the next step, which the borrow prevents.
pub(super) struct CurrentRow<'a> {
    statement: &'a NonNull<ffi::sqlite3_stmt>,
    columns: usize,
}

impl<'a> CurrentRow<'a> {
    /// The row of a statement that has just stepped on one.
    #[inline]
    pub fn new(statement: &'a NonNull<ffi::sqlite3_stmt>) -> Self {
        // SAFETY: the statement lives.
        let columns = unsafe { ffi::sqlite3_data_count(statement.as_ptr()) };
        Self { statement, columns: usize::try_from(columns).unwrap_or(0) }
    }

    /// The column's number as `SQLite` takes it, and the type of its value in this row.
    #[inline]
    fn field(&self, column: usize) -> Result<(c_int, c_int), SqlError> {
        let number = c_int::try_from(column).ok().filter(|_| column < self.columns);
        let number = number.ok_or_else(|| {
            unsuitable(format!("there is no column {column}; the row has {}", self.columns))
        })?;
        // SAFETY: the statement stands on a row that has this column.
        let kind = unsafe { ffi::sqlite3_column_type(self.statement.as_ptr(), number) };
        Ok((number, kind))
    }
}

impl Row for CurrentRow<'_> {
    fn columns(&self) -> usize {
        self.columns
    }

    #[inline]
    fn int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        match self.field(column)? {
            (_, ffi::SQLITE_NULL) => Ok(None),
            (number, ffi::SQLITE_INTEGER) => {
                // SAFETY: as in `field`.
                Ok(Some(unsafe { ffi::sqlite3_column_int64(self.statement.as_ptr(), number) }))
            }
            _ => Err(unsuitable(format!("column {column} is not an integer"))),
        }
    }

    #[inline]
    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError> {
        let (number, kind) = self.field(column)?;
        if kind == ffi::SQLITE_NULL {
            return Ok(false);
        }
        let raw = self.statement.as_ptr();
        // SAFETY: as in `field`. The length is asked for after the conversion to text, which
        // allocates and gives null where there is no memory.
        let bytes = unsafe {
            let start = ffi::sqlite3_column_text(raw, number);
            let length = ffi::sqlite3_column_bytes(raw, number);
            match usize::try_from(length) {
                Ok(length) if !start.is_null() => slice::from_raw_parts(start, length),
                _ => {
                    let message = format!("no memory for the text of column {column}");
                    return Err(SqlError::driver(ErrorClass::ResourceExhausted, message));
                }
            }
        };
        let utf8 = str::from_utf8(bytes)
            .map_err(|_| unsuitable(format!("column {column} is not UTF-8 text")))?;
        text.push_str(utf8);
        Ok(true)
    }
}

fn unsuitable(message: String) -> SqlError {
    SqlError::driver(ErrorClass::InvalidStatement, message)
}
