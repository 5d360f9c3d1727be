//! Tries out, before a load, whether a server takes several statements in one round trip.
//!
//! A layer in front of servers may say that it takes several statements in one text, and then carry out
//! the first alone, or lose the answers to the others.

use std::time::Duration;

use contract::{Access, Connection, ErrorClass, Request, Row, RowSink, SqlError};

use super::connection::NetworkConnection;
use super::protocol::NetworkProtocol;
use super::statement::ReadyStatement;

/// A layer that loses a command never answers it.
pub(crate) const ANSWER_LIMIT: Duration = Duration::from_secs(5);

const NUMBERS: [i64; 3] = [1, 2, 3];

impl<P: NetworkProtocol> NetworkConnection<P> {
    /// Sends one transaction as text in one go; an error where its answers are not those of its statements.
    pub(super) async fn try_batch(&mut self) -> Result<(), SqlError> {
        let limit = self.exchange.limits.statement;
        self.exchange.limits.statement = limit.min(ANSWER_LIMIT);
        let others = self.statements.len();
        let tried = self.send_numbers(others).await;
        self.statements.truncate(others);
        self.exchange.limits.statement = limit;
        tried.map_err(|error| {
            let message = format!(
                "the server, or a layer in front of it, does not take several statements in one round \
                 trip: {error}; use the protocol prepared or text in place of multi"
            );
            SqlError::driver(ErrorClass::InvalidStatement, message)
        })
    }

    /// The statements are put behind so many others.
    async fn send_numbers(&mut self, others: usize) -> Result<(), SqlError> {
        let text = |number| ReadyStatement::text(&format!("SELECT {number}"));
        self.statements.extend(NUMBERS.map(text));
        self.queue(Request::Begin(Access::ReadWrite))?;
        for statement in others..self.statements.len() {
            self.queue(Request::Execute { statement, parameters: &[] })?;
        }
        self.queue(Request::Commit)?;
        let mut answers = FirstColumns::default();
        self.flush_queued(&mut answers, &mut Vec::new()).await?;
        if answers.found.iter().copied().eq(NUMBERS.map(Some).into_iter().enumerate()) {
            return Ok(());
        }
        let message = "answers are missing, or come in another order than their questions";
        Err(SqlError::driver(ErrorClass::Protocol, message))
    }
}

/// The first column of each row, with the place of its statement among those sent together.
#[derive(Default)]
pub(crate) struct FirstColumns {
    place: usize,
    pub found: Vec<(usize, Option<i64>)>,
}

impl RowSink for FirstColumns {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        self.found.push((self.place, row.int(0)?));
        Ok(())
    }

    fn rows_of(&mut self, statement: usize) {
        self.place = statement;
    }
}
