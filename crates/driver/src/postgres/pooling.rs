//! Finds a pooler that gives each transaction another of the server's connections, as `PgBouncer` does
//! with `pool_mode=transaction`: what a session sets is then another client's, and does not last.
//!
//! Such a pooler says another process id at sign-on than the server does when it is asked. That one is
//! every pooler's; this one also has the server's process serve two clients at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{Collect, ErrorClass, SqlError, Verb};

use super::connection::PostgresConnection;

/// The server's processes that serve connections of one driver through a pooler, and the hosts that
/// have none.
#[derive(Debug, Default)]
pub(super) struct Backends {
    taken: Mutex<HashSet<Backend>>,
    direct: Mutex<HashSet<usize>>,
}

/// A process of the server at one of the hosts.
type Backend = (usize, i64);

/// A process that serves one connection, until this is dropped.
#[derive(Debug)]
pub(super) struct Taken {
    all: Arc<Backends>,
    backend: Backend,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.all.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(&self.backend);
    }
}

impl Backends {
    /// None where another connection has it already.
    fn take(self: &Arc<Self>, backend: Backend) -> Option<Taken> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.insert(backend).then(|| Taken { all: Arc::clone(self), backend })
    }

    /// Whether a host was found to be the server itself.
    fn is_direct(&self, host: usize) -> bool {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner).contains(&host)
    }

    fn note_direct(&self, host: usize) {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner).insert(host);
    }
}

impl PostgresConnection {
    /// Refuses to set up a session that does not last. What a server does not tell is not held against
    /// it.
    pub(super) async fn refuse_pool_of_transactions(&mut self) -> Result<(), SqlError> {
        // Later connections are spared the round trip: they may be made anew all the time.
        if self.backends.is_direct(self.slot.host) {
            return Ok(());
        }
        let mut answer = Collect::default();
        let asked = self.ask(Verb::Other, b"SELECT pg_backend_pid()", &mut answer).await;
        let told = answer.rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
        let Some(process) = told.filter(|_| asked.is_ok()) else { return Ok(()) };
        if Some(process) == self.signed_on_with {
            self.backends.note_direct(self.slot.host);
            return Ok(());
        }
        let backend = (self.slot.host, process);
        let is_alone = if let Some(taken) = &self.taken {
            taken.backend == backend
        } else {
            self.taken = self.backends.take(backend);
            self.taken.is_some()
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
