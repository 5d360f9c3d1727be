//! Whether a server takes several executions of prepared statements in one round trip, as far as it
//! was tried out.

use std::sync::OnceLock;

use contract::{Pipelining, SessionOptions};

use crate::target::Protocol;

/// Whether prepared statements share round trips; what all connections of a driver share.
#[derive(Debug, Default)]
pub(crate) struct TriedPipelining {
    refusal: OnceLock<String>,
}

/// Whether they could. COMMIT must not travel with others, and without autocommit nothing else does harm
/// behind an error.
#[inline]
fn is_wanted(protocol: Protocol, session: SessionOptions) -> bool {
    protocol == Protocol::Prepared && !session.autocommit && session.pipelining
}

impl TriedPipelining {
    /// Whether they do with this protocol in such sessions.
    #[inline]
    pub fn is_on(&self, protocol: Protocol, session: SessionOptions) -> bool {
        is_wanted(protocol, session) && self.refusal.get().is_none()
    }

    /// From here on, statements do not share round trips.
    pub fn refuse(&self, reason: String) {
        // The first reason is the one that counts.
        let _ = self.refusal.set(reason);
    }

    /// The same for a result.
    pub fn found(&self, protocol: Protocol, session: SessionOptions) -> Pipelining {
        match self.refusal.get() {
            _ if !is_wanted(protocol, session) => Pipelining::Off,
            Some(reason) => Pipelining::Refused(reason.clone()),
            None => Pipelining::On,
        }
    }
}
