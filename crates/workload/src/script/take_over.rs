//! Gives variables the values of rows.

use contract::SqlError;

use super::datum::Datum;
use super::failure::{no_row, several_rows};
use super::program::{Fetch, FetchedRows, NoRow};
use super::state::State;

/// What follows after a step.
pub(super) enum Next {
    GoOn,
    RollBack,
}

impl State {
    /// Gives the variables the values of the rows that were kept.
    pub fn take_over_all(&mut self, fetches: &[Fetch], sql: &str) -> Result<Next, SqlError> {
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
