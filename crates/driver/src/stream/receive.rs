//! Receiving: what has arrived is given to whoever waits for it, where it lies.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::task::Poll;

use eventloop::Timestamp;
use rustix::net::RecvFlags;

use super::error::StreamError;
use super::{Stream, low_water, timestamp};

/// The kernel needs room for them in the socket's buffer.
const MOST_AWAITED_BYTES: usize = 4096;

/// An answer to an UPDATE has 52 bytes in `MySQL`: one alone reaches a lower mark than this, which then
/// saves no wake-up and costs a system call.
const FEWEST_AWAITED_BYTES: usize = 53;

/// So often a full buffer is taken at a time. What a server never stops to send must not keep the other
/// connections of the loop, and the deadlines of all, from their turn.
const MOST_BUFFERS_AT_A_TIME: usize = 16;

/// What one look at the socket gave.
enum Received<T> {
    /// The answer is complete.
    Complete(T),
    /// The buffer was filled to the brim: there may be more.
    More,
    /// All that has arrived was taken.
    Drained,
}

impl Stream {
    /// Gives what arrives to `take` until it has what it wants.
    #[inline]
    pub async fn receive<T>(
        &mut self,
        deadline: Timestamp,
        mut take: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<T, StreamError> {
        self.handle.set_deadline(deadline);
        let mut just_asked = true;
        poll_fn(|_| {
            if std::mem::take(&mut just_asked) {
                return self.poll_decrypted(&mut take);
            }
            self.poll_receive(&mut take)
        })
        .await
    }

    /// Gives what arrives to `take` until it has what it wants. `missing` is how many bytes are yet to
    /// come at the very least, and `take` says it again whenever that is not all: the task sleeps
    /// until so many have arrived, where else it would be woken for each piece.
    pub async fn receive_pieces<T>(
        &mut self,
        deadline: Timestamp,
        mut missing: usize,
        mut take: impl FnMut(&[u8]) -> ControlFlow<T, usize>,
    ) -> Result<T, StreamError> {
        self.wake_after(missing);
        self.handle.set_deadline(deadline);
        let mut just_asked = true;
        let received = poll_fn(|_| {
            let mut take = |bytes: &[u8]| match take(bytes) {
                ControlFlow::Break(answer) => Some(answer),
                ControlFlow::Continue(at_least) => {
                    missing = at_least;
                    None
                }
            };
            if std::mem::take(&mut just_asked) {
                return self.poll_decrypted(&mut take);
            }
            let received = self.poll_receive(&mut take);
            if received.is_pending() {
                self.wake_after(missing);
            }
            received
        });
        let received = received.await;
        self.wake_after(1);
        received
    }

    /// Sets how many bytes must have arrived before the socket is readable. Encrypted bytes are not
    /// the same as those that the caller counts, so there it stays at one.
    fn wake_after(&mut self, bytes: usize) {
        let bytes = if bytes < FEWEST_AWAITED_BYTES { 1 } else { bytes.min(MOST_AWAITED_BYTES) };
        let bytes = i32::try_from(bytes).unwrap_or(1);
        if bytes != self.low_water && self.tls.is_none() && low_water::set(&self.socket, bytes) {
            self.low_water = bytes;
        }
    }

    /// The question has only just been sent: its answer can't have arrived, unless it came with what
    /// was received before and lies decrypted in memory, of which no event tells.
    #[inline]
    fn poll_decrypted<T>(
        &mut self,
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Poll<Result<T, StreamError>> {
        let Some(tls) = &mut self.tls else { return Poll::Pending };
        match tls.decrypt(&[], take)? {
            Some(answer) => Poll::Ready(Ok(answer)),
            None => Poll::Pending,
        }
    }

    #[inline]
    pub(super) fn poll_receive<T>(
        &mut self,
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Poll<Result<T, StreamError>> {
        if !self.unsent.is_empty() {
            self.send_unsent()?;
        }
        for _ in 0..MOST_BUFFERS_AT_A_TIME {
            match self.receive_once(take)? {
                Received::Complete(answer) => return Poll::Ready(Ok(answer)),
                Received::More => {}
                Received::Drained => break,
            }
        }
        // Readiness is level-triggered: what is left, and what arrives from now on, is told by an event.
        self.pending_until_deadline()
    }

    #[inline]
    fn receive_once<T>(
        &mut self,
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Received<T>, StreamError> {
        let Self { handle, socket, tls, kernel_timestamps, .. } = self;
        let received = handle.with_read_buffer(|buffer| {
            let Some((length, wall_ns)) = read(socket, *kernel_timestamps, buffer)? else {
                return Ok(None);
            };
            let bytes = &buffer[..length];
            let taken = match tls {
                None => take(bytes),
                Some(tls) => tls.decrypt(bytes, take)?,
            };
            Ok::<_, StreamError>(Some((taken, length == buffer.len(), wall_ns)))
        })?;
        let Some((taken, is_full, wall_ns)) = received else { return Ok(Received::Drained) };
        self.stamp(wall_ns);
        Ok(match taken {
            Some(answer) => {
                if self.kernel_timestamps {
                    self.unread_ns += Timestamp::now().since(self.arrived_at);
                }
                Received::Complete(answer)
            }
            None if is_full => Received::More,
            None => Received::Drained,
        })
    }
}

/// Reads what is there; None where there is nothing, an error where there will be nothing more.
#[inline]
fn read(
    socket: &OwnedFd,
    kernel_timestamps: bool,
    buffer: &mut [u8],
) -> Result<Option<(usize, Option<u64>)>, StreamError> {
    let received = if kernel_timestamps {
        timestamp::receive(socket, buffer)
    } else {
        rustix::net::recv(socket, buffer, RecvFlags::DONTWAIT)
            .map(|(length, _)| (length, None))
            .map_err(std::io::Error::from)
    };
    match received {
        Ok((0, _)) => Err(StreamError::closed()),
        Ok(received) => Ok(Some(received)),
        Err(error) => match error.kind() {
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error.into()),
        },
    }
}
