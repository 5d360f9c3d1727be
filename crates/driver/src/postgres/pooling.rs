//! Finds a pooler that gives each transaction another of the server's connections, as `PgBouncer` does
//! with `pool_mode=transaction`: what a session sets is then another client's, and does not last.
//!
//! Such a pooler says another process id at sign-on than the server does when it is asked. That one is
//! every pooler's; this one also has the server's process serve two clients at a time.

use contract::{Collect, ErrorClass, SqlError, Verb};

use super::PostgresConnection;

impl PostgresConnection {
    /// Refuses to set up a session that does not last. What a server does not tell is not held against
    /// it.
    pub(super) async fn refuse_pool_of_transactions(&mut self) -> Result<(), SqlError> {
        // Later connections are spared the round trip: they may be made anew all the time.
        if self.state.backends.is_direct(self.slot.host) {
            return Ok(());
        }
        let mut answer = Collect::default();
        let asked = self.ask(Verb::Other, b"SELECT pg_backend_pid()", &mut answer).await;
        let told = answer.rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        let Some(process) = told.filter(|_| asked.is_ok()) else { return Ok(()) };
        if Some(process) == self.state.signed_on_with {
            self.state.backends.note_direct(self.slot.host);
            return Ok(());
        }
        let backend = (self.slot.host, process);
        let is_alone = if let Some(taken) = &self.state.taken {
            taken.backend == backend
        } else {
            self.state.taken = self.state.backends.take(backend);
            self.state.taken.is_some()
        };
        if is_alone { Ok(()) } else { Err(does_not_last()) }
    }
}

fn does_not_last() -> SqlError {
    let message = "isolation was asked for, and a pooler gives each transaction another of the server's \
                   connections, so that it does not last: use the pooler's mode session (PgBouncer: \
                   pool_mode=session), or ask for no isolation and set \
                   default_transaction_isolation at the server";
    SqlError::driver(ErrorClass::InvalidStatement, message)
}
