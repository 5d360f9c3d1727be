//! Takes over what a transaction needs of its statements' rows.

use contract::{Row, RowSink, SqlError};

use super::datum::Datum;
use super::program::Fetch;

/// Keeps one row of each statement of which one is wanted.
pub(super) struct KeepRows<'a> {
    pub fetches: &'a [Fetch],
    /// One for each column of all fetches of a script.
    pub data: &'a mut [Datum],
    /// By column: it once was no integer, so it is read as text from then on.
    pub is_text: &'a mut [bool],
    /// For each fetch, how many rows there were.
    pub rows: &'a mut Vec<u64>,
    /// Whose rows come.
    statement: usize,
}

impl<'a> KeepRows<'a> {
    pub fn new(
        fetches: &'a [Fetch],
        data: &'a mut [Datum],
        is_text: &'a mut [bool],
        rows: &'a mut Vec<u64>,
    ) -> Self {
        rows.clear();
        rows.resize(fetches.len(), 0);
        for fetch in fetches.iter().filter(|fetch| fetch.names.is_some()) {
            // Whatever has no column in the answer must not be taken for an older row's.
            data[fetch.columns()].fill_with(Datum::default);
        }
        Self { fetches, data, is_text, rows, statement: 0 }
    }
}

impl RowSink for KeepRows<'_> {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        let of_this = |fetch: &Fetch| fetch.statement == self.statement;
        let Some(index) = self.fetches.iter().position(of_this) else { return Ok(()) };
        let fetch = &self.fetches[index];
        self.rows[index] += 1;
        if self.rows[index] > 1 && !fetch.rows.keeps_last() {
            return Ok(());
        }
        let (columns, wanted) = (row.columns(), fetch.slots.len());
        if let Some(names) = &fetch.names {
            for column in 0..columns {
                let name = row.name(column);
                if let Some(place) = names.iter().position(|known| Some(known.as_str()) == name) {
                    self.take(row, column, fetch.first_column + place)?;
                }
            }
            return Ok(());
        }
        if columns != wanted {
            return Err(other_columns(columns, wanted));
        }
        for column in 0..columns {
            self.take(row, column, fetch.first_column + column)?;
        }
        Ok(())
    }

    fn rows_of(&mut self, statement: usize) {
        self.statement = statement;
    }
}

impl KeepRows<'_> {
    fn take(&mut self, row: &dyn Row, column: usize, place: usize) -> Result<(), SqlError> {
        let datum = &mut self.data[place];
        if !self.is_text[place] {
            if let Ok(value) = row.int(column) {
                *datum = value.map_or(Datum::Null, Datum::Int);
                return Ok(());
            }
            self.is_text[place] = true;
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
