//! Parameters on the way to the server, and rows on the way back.

use crate::error::SqlError;

/// A statement's parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// Any integer type.
    Int(i64),
    /// A double-precision float.
    Double(f64),
    /// Text, and exact decimals in text form.
    Text(&'a str),
}

/// One row of an answer, decoded only where it is looked at.
pub trait Row {
    /// How many columns there are.
    fn columns(&self) -> usize;
    /// An integer column; an error where the column is missing or not an integer.
    fn int(&self, column: usize) -> Result<Option<i64>, SqlError>;
    /// Any column in text form, written behind what `text` holds; false for NULL.
    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError>;
}

/// Takes the rows of an answer as they are walked.
pub trait RowSink {
    /// False where no row is ever looked at, so that a driver need not take rows apart.
    const READS: bool;
    /// Takes one row. The row lives in the loop's read buffer: copy what must outlast the call.
    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError>;
}

/// Counts rows, and looks at none.
pub struct Discard;

impl RowSink for Discard {
    const READS: bool = false;

    fn row(&mut self, _: &dyn Row) -> Result<(), SqlError> {
        Ok(())
    }
}

/// Copies every row as text: for administration, not for load.
#[derive(Default)]
pub struct Collect {
    /// The rows so far; None is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl RowSink for Collect {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        let mut fields = Vec::with_capacity(row.columns());
        for column in 0..row.columns() {
            let mut text = String::new();
            fields.push(row.text(column, &mut text)?.then_some(text));
        }
        self.rows.push(fields);
        Ok(())
    }
}
