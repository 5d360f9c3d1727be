//! Which of the server's processes serve a driver's connections, where a pooler may be between them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The server's processes that serve connections of one driver through a pooler, and the hosts that
/// have none.
#[derive(Debug, Default)]
pub(crate) struct Backends {
    taken: Mutex<HashSet<Backend>>,
    direct: Mutex<HashSet<usize>>,
    tried: Mutex<HashSet<usize>>,
    /// Of hosts that have a pooler, where it was tried.
    sessions: Mutex<HashMap<usize, Sessions>>,
}

/// Whether what a session sets lasts until it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sessions {
    Last,
    DoNotLast,
    /// It can't be found out.
    Unknown,
}

/// A process of the server at one of the hosts.
pub(super) type Backend = (usize, i64);

/// A process that serves one connection, until this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    all: Arc<Backends>,
    pub backend: Backend,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.all.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(&self.backend);
    }
}

impl Backends {
    /// None where another connection has it already.
    pub fn take(self: &Arc<Self>, backend: Backend) -> Option<Taken> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.insert(backend).then(|| Taken { all: Arc::clone(self), backend })
    }

    /// Whether a host was found to be the server itself.
    pub fn is_direct(&self, host: usize) -> bool {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner).contains(&host)
    }

    /// Whether nobody has asked this of a host before.
    pub fn is_first_to_try(&self, host: usize) -> bool {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).insert(host)
    }

    /// What was found of a host behind a pooler; None before it was tried.
    pub fn sessions(&self, host: usize) -> Option<Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&host).copied()
    }

    pub fn note_sessions(&self, host: usize, sessions: Sessions) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(host, sessions);
    }

    pub fn note_direct(&self, host: usize) {
        self.direct.lock().unwrap_or_else(PoisonError::into_inner).insert(host);
    }
}
