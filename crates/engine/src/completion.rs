//! One transaction that ended well, and its times.

use contract::Ending;
use eventloop::Timestamp;

/// A transaction that ended without an error.
pub(crate) struct Completion {
    /// Whose it was: a number over all workers.
    pub client: usize,
    pub kind: usize,
    pub ending: Ending,
    pub scheduled: Timestamp,
    pub start: Timestamp,
    pub end: Timestamp,
    /// When the generator came to handle the answer, and the client could go on.
    pub handled: Timestamp,
}

impl Completion {
    /// End − scheduled.
    pub fn response_ns(&self) -> u64 {
        self.end.since(self.scheduled)
    }

    /// End − start.
    pub fn service_ns(&self) -> u64 {
        self.end.since(self.start)
    }

    /// Handled − scheduled.
    pub fn turnaround_ns(&self) -> u64 {
        self.handled.since(self.scheduled)
    }

    /// Start − scheduled.
    pub fn lag_ns(&self) -> u64 {
        self.start.since(self.scheduled)
    }
}
