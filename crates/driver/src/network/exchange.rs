//! Sending, and waiting for the answer: the only way to do so once a connection has signed on.

use std::future::Future;
use std::ops::ControlFlow;
use std::time::Duration;

use contract::{Limits, RowSink, SqlError};

use super::answer::Answer;
use super::wire_format::WireFormat;
use crate::stream::{AnswerClock, Stream, StreamError};

/// A stream, and who reads what comes out of it.
pub(crate) struct Exchange<P: WireFormat> {
    pub stream: Stream,
    pub reader: P::Reader,
    pub limits: Limits,
}

/// How far the answers to what was sent together have come.
pub(crate) struct Progress {
    /// Whether all are there, or an error that is the end of them.
    pub outcome: Result<Option<()>, SqlError>,
    /// How many are complete.
    pub answers: usize,
    /// How many bytes are yet to come at the very least.
    pub missing_bytes: usize,
}

impl<P: WireFormat> Exchange<P> {
    #[inline]
    pub fn send(&mut self, packet: &[u8]) -> Result<(), SqlError> {
        let sent = self.stream.send(packet);
        sent.map_err(|error| P::stream_error(&error, "server to take a packet"))
    }

    /// Waits for the answer that the reader expects. Every such answer is read from here: what has one
    /// caller is compiled into it, and a second one cost `PostgreSQL` 27 instructions each.
    #[inline]
    pub fn receive<'a, S: RowSink>(
        &'a mut self,
        columns: &'a mut Vec<P::Column>,
        sink: &'a mut S,
        limit: Duration,
    ) -> impl Future<Output = Result<Answer<P::Reply>, SqlError>> + 'a {
        self.receive_within(limit, |reader, bytes| P::feed(reader, bytes, columns, sink))
    }

    /// Gives what arrives to `read` until that is an answer.
    #[inline]
    pub async fn receive_within<T>(
        &mut self,
        limit: Duration,
        mut read: impl FnMut(&mut P::Reader, &[u8]) -> Result<Option<T>, SqlError>,
    ) -> Result<T, SqlError> {
        let Self { stream, reader, .. } = self;
        let deadline = stream.handle().turn_time() + limit;
        let received = stream.receive(deadline, |bytes| read(reader, bytes).transpose());
        match received.await {
            Ok(answer) => answer,
            Err(error) => Err(lost_or_late::<P>(reader, &error, limit)),
        }
    }

    /// Sends several statements, and gives what arrives to `read` until that is all of their answers.
    /// Each has its own time.
    pub async fn exchange_several(
        &mut self,
        packets: &[u8],
        missing_bytes: usize,
        mut read: impl FnMut(&mut P::Reader, &[u8]) -> Progress,
    ) -> Result<(), SqlError> {
        self.send(packets)?;
        let Self { stream, reader, limits } = self;
        let (mut clock, deadline) = AnswerClock::start(stream, limits.statement);
        let take = |bytes: &[u8]| {
            let Progress { outcome, answers, missing_bytes } = read(reader, bytes);
            clock.answered(answers);
            match outcome.transpose() {
                Some(outcome) => ControlFlow::Break(outcome),
                None => ControlFlow::Continue(missing_bytes),
            }
        };
        match stream.receive_pieces(deadline, missing_bytes, take).await {
            Ok(outcome) => outcome,
            Err(error) => Err(lost_or_late::<P>(reader, &error, limits.statement)),
        }
    }

    /// Waits until the server takes more, and lets the other connections of the loop have their turn.
    pub async fn make_room(&mut self) -> Result<(), SqlError> {
        let limit = self.limits.statement;
        let handle = self.stream.handle().clone();
        let outcome = self.stream.flush(handle.turn_time() + limit).await;
        handle.yield_now().await;
        outcome.map_err(|error| {
            let waited_for = format!("room for more rows within {} s", limit.as_secs_f64());
            P::stream_error(&error, &waited_for)
        })
    }

    /// Says goodbye, to which there is no answer; a server that is gone already needs none.
    pub async fn close(mut self) {
        let deadline = self.stream.handle().turn_time() + self.limits.statement;
        if self.stream.send(P::GOODBYE).is_ok() {
            let _ = self.stream.flush(deadline).await;
        }
    }
}

/// Why there was no answer, in the words of the server's shutdown notice where it sent one.
#[cold]
fn lost_or_late<P: WireFormat>(
    reader: &mut P::Reader,
    error: &StreamError,
    limit: Duration,
) -> SqlError {
    P::take_shutdown_notice(reader).unwrap_or_else(|| {
        P::stream_error(error, &format!("answer within {} s", limit.as_secs_f64()))
    })
}
