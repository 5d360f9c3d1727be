//! Takes over what a transaction needs of a statement's rows.

use contract::{Row, RowSink, SqlError};

use super::datum::Datum;

/// Keeps one row.
pub(super) struct KeepRow<'a> {
    /// One for each column.
    pub data: &'a mut [Datum],
    /// By column: it once was no integer, so it is read as text from then on.
    pub is_text: &'a mut [bool],
    pub keeps_last: bool,
    pub rows: u64,
}

impl RowSink for KeepRow<'_> {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        self.rows += 1;
        if self.rows > 1 && !self.keeps_last {
            return Ok(());
        }
        let (columns, wanted) = (row.columns(), self.data.len());
        if columns != wanted {
            return Err(other_columns(columns, wanted));
        }
        for column in 0..columns {
            self.take(row, column)?;
        }
        Ok(())
    }
}

impl KeepRow<'_> {
    fn take(&mut self, row: &dyn Row, column: usize) -> Result<(), SqlError> {
        let datum = &mut self.data[column];
        if !self.is_text[column] {
            if let Ok(value) = row.int(column) {
                *datum = value.map_or(Datum::Null, Datum::Int);
                return Ok(());
            }
            self.is_text[column] = true;
        }
        if !row.text(column, datum.empty_text())? {
            *datum = Datum::Null;
        }
        Ok(())
    }
}

#[cold]
fn other_columns(columns: usize, wanted: usize) -> SqlError {
    let message = format!("a row has {columns} columns, and {wanted} variables are to take them");
    SqlError::driver(contract::ErrorClass::InvalidStatement, message)
}
