//! Finds a pooler that gives each transaction another of the server's connections, as `PgBouncer` does
//! with `pool_mode=transaction`: what a session sets is then another client's, and does not last.
//!
//! Such a pooler says another process id at sign-on than the server does when it is asked. That one is
//! every pooler's; this one also has the server's process serve two clients at a time.

use std::sync::Arc;
use std::time::Duration;

use contract::{Collect, ErrorClass, SqlError, Verb};

use super::{PostgresConnection, statement};
use crate::network::connect_beside;
use crate::target::Protocol;

/// So long a second connection is waited for.
const SECOND_LIMIT: Duration = Duration::from_secs(2);

/// A prepared statement of that name is there.
const DUPLICATE_STATEMENT: &str = "42P05";

impl PostgresConnection {
    /// Refuses to set up a session that does not last. What a server does not tell is not held against
    /// it.
    pub(super) async fn refuse_pool_of_transactions(&mut self) -> Result<(), SqlError> {
        let Some(process) = self.process_behind_pooler().await else { return Ok(()) };
        let backend = (self.slot.host, process);
        let is_alone = if let Some(taken) = &self.state.taken {
            taken.backend == backend
        } else {
            self.state.taken = self.state.backends.take(backend);
            self.state.taken.is_some()
        };
        if is_alone { Ok(()) } else { Err(does_not_last()) }
    }

    /// Refuses to prepare statements where a pooler gives the connection that knows them to other clients
    /// and does not keep theirs apart. A second connection, which is there for a moment, prepares one of the
    /// same name: of one client alone, nothing would be noticed before the next load.
    pub(super) async fn refuse_mixed_statements(&mut self) -> Result<(), SqlError> {
        let host = self.slot.host;
        let is_named = self.protocol != Protocol::Extended
            && matches!(self.statements.first(), Some(first) if first.is_prepared());
        if !is_named || !self.state.backends.is_first_to_try(host) {
            return Ok(());
        }
        if self.process_behind_pooler().await.is_none() {
            return Ok(());
        }
        let (target, backends) = (Arc::clone(&self.state.target), Arc::clone(&self.state.backends));
        // A pooler that has no connection for it lets it wait.
        let Ok(mut second) = connect_beside(self, target, backends, SECOND_LIMIT).await else {
            return Ok(());
        };
        let prepared = statement::prepare(&mut second, 0, "SELECT 1").await;
        second.exchange.close().await;
        match prepared {
            Err(error) if error.sqlstate() == DUPLICATE_STATEMENT => Err(error),
            _ => Ok(()),
        }
    }

    /// The server's process that serves this connection, where it is not the one that was signed on with;
    /// None also where that is not told.
    async fn process_behind_pooler(&mut self) -> Option<i64> {
        // Later connections are spared the round trip: they may be made anew all the time.
        if self.state.backends.is_direct(self.slot.host) {
            return None;
        }
        let mut answer = Collect::default();
        let asked = self.ask(Verb::Other, b"SELECT pg_backend_pid()", &mut answer).await;
        let told = answer.rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        let process = told.filter(|_| asked.is_ok())?;
        if Some(process) == self.state.signed_on_with {
            self.state.backends.note_direct(self.slot.host);
            return None;
        }
        Some(process)
    }
}

fn does_not_last() -> SqlError {
    let message = "isolation was asked for, and a pooler gives each transaction another of the server's \
                   connections, so that it does not last: use the pooler's mode session (PgBouncer: \
                   pool_mode=session), or ask for no isolation and set \
                   default_transaction_isolation at the server";
    SqlError::driver(ErrorClass::InvalidStatement, message)
}
