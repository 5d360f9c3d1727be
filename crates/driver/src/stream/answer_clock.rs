//! The time that each of several answers has.

use std::time::Duration;

use eventloop::{Handle, Timestamp};

use super::Stream;

/// Gives every answer its own time: the deadline moves whenever one is complete.
pub(crate) struct AnswerClock {
    handle: Handle,
    limit: Duration,
    answers: usize,
}

impl AnswerClock {
    /// Starts it for what was just sent; also gives the deadline of the first answer.
    pub fn start(stream: &Stream, limit: Duration) -> (Self, Timestamp) {
        let handle = stream.handle().clone();
        let deadline = handle.turn_time() + limit;
        (Self { handle, limit, answers: 0 }, deadline)
    }

    /// So many answers are complete.
    pub fn answered(&mut self, answers: usize) {
        if answers > self.answers {
            self.answers = answers;
            self.handle.set_deadline(self.handle.turn_time() + self.limit);
        }
    }
}
