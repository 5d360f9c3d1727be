//! What a run tells its caller.

use contract::{Pipelining, SessionFacts};
use eventloop::Timestamp;

use crate::sample::{IntervalSample, RunEnd};

/// What a run tells its caller, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// All clients are ready.
    Connected {
        /// How many.
        clients: usize,
        /// How long it took.
        elapsed_s: f64,
        /// The server's own words.
        server_version: String,
        /// What connections run with.
        session: Option<SessionFacts>,
        /// Whether statements share round trips; None where the workload has none that could.
        pipelining: Option<Pipelining>,
    },
    /// The clock has started.
    Started {
        /// When the window begins.
        window_start: Timestamp,
    },
    /// The window begins earlier than was said.
    WindowMoved {
        /// With what was to be this interval of the warm-up.
        index: i64,
        /// When that is.
        window_start: Timestamp,
    },
    /// The window was to begin earlier, and begins when it was said.
    WindowKept {
        /// The interval of the warm-up with which it was to begin.
        index: i64,
        /// Why it does not.
        reason: &'static str,
    },
    /// An interval of all workers together.
    Interval(Box<IntervalSample>),
    /// The last one.
    End(RunEnd),
}
