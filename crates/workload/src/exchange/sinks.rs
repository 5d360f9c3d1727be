//! What is done with the rows of statements that may have travelled together.

use contract::{Row, RowSink, SqlError};

/// Hands each row to a function.
pub(crate) struct Each<F>(pub F);

impl<F: FnMut(&dyn Row) -> Result<(), SqlError>> RowSink for Each<F> {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        (self.0)(row)
    }
}

/// Hands each row to a function, with the number of its statement.
pub(super) struct EachOf<F> {
    statement: usize,
    take: F,
}

impl<F: FnMut(usize, &dyn Row) -> Result<(), SqlError>> EachOf<F> {
    pub fn new(take: F) -> Self {
        Self { statement: 0, take }
    }
}

impl<F: FnMut(usize, &dyn Row) -> Result<(), SqlError>> RowSink for EachOf<F> {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        (self.take)(self.statement, row)
    }

    fn rows_of(&mut self, statement: usize) {
        self.statement = statement;
    }
}

/// Leaves out the rows of the first statements that travel together, of which none is wanted, and
/// numbers the others from 0 on.
pub(super) struct RowsFrom<'a, S> {
    before: usize,
    is_wanted: bool,
    sink: &'a mut S,
}

impl<'a, S: RowSink> RowsFrom<'a, S> {
    pub fn new(before: usize, sink: &'a mut S) -> Self {
        Self { before, is_wanted: false, sink }
    }
}

impl<S: RowSink> RowSink for RowsFrom<'_, S> {
    const READS: bool = S::READS;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        if self.is_wanted { self.sink.row(row) } else { Ok(()) }
    }

    fn rows_of(&mut self, statement: usize) {
        self.is_wanted = statement >= self.before;
        if let Some(number) = statement.checked_sub(self.before) {
            self.sink.rows_of(number);
        }
    }
}
