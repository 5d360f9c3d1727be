//! Several statements that travel together.

use contract::Executed;

use crate::sql::Queued;

/// What is sent next, and what became of what was sent last.
#[derive(Default)]
pub(crate) struct Batch {
    pub packet: Vec<u8>,
    pub queued: Vec<Queued>,
    /// What was carried out of what was sent last, up to the first error.
    pub executed: Vec<Executed>,
    /// What each of them did; None where it failed. It ends where the server did.
    pub outcomes: Vec<Option<Executed>>,
}

impl Batch {
    /// Forgets what was queued and is not to be sent.
    pub fn forget(&mut self) {
        self.queued.clear();
    }
}
