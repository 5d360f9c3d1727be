//! Bytes to and from a server over TCP or a Unix socket, encrypted or not, on one event loop: what
//! all network protocols share.
//!
//! A stream knows no packets. It gives what arrives to a closure, each byte exactly once and in
//! place in the loop's shared read buffer; the closure says when the answer is complete. Whoever
//! needs bytes of a torn packet later copies those, and nobody else copies anything.

mod address;
mod answer_clock;
mod error;
mod itself;
mod low_water;
mod timestamp;
mod tls;

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use eventloop::{Handle, Registration, Timestamp};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

pub(crate) use address::Address;
pub(crate) use answer_clock::AnswerClock;
pub(crate) use error::StreamError;
pub(crate) use tls::{Verification, client_config};

use tls::TlsSession;

/// A connected socket of the current task.
pub(crate) struct Stream {
    handle: Handle,
    socket: OwnedFd,
    registration: Registration,
    tls: Option<Box<TlsSession>>,
    kernel_timestamps: bool,
    /// What the socket would not take at once.
    unsent: Vec<u8>,
    wants_writable: bool,
    /// The turn in which something was last sent: no answer to it can have arrived earlier.
    sent_at: Timestamp,
    arrived_at: Timestamp,
    /// How many bytes must have arrived before the socket is readable.
    low_water: i32,
}

/// The kernel needs room for them in the socket's buffer.
const MOST_AWAITED_BYTES: usize = 4096;

/// An answer to an UPDATE has 52 bytes in `MySQL`: one alone reaches a lower mark than this, which then
/// saves no wake-up and costs a system call.
const FEWEST_AWAITED_BYTES: usize = 53;

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
    /// Connects. With `kernel_timestamps` the kernel tells when an answer arrived, where it can.
    pub async fn connect(
        handle: &Handle,
        address: &Address,
        kernel_timestamps: bool,
        deadline: Timestamp,
    ) -> Result<Self, StreamError> {
        let (socket, registration) = address::connect(handle, address, deadline).await?;
        let kernel_timestamps = kernel_timestamps
            && matches!(address, Address::Tcp(_))
            && timestamp::enable(&socket).is_ok();
        handle.connected(kernel_timestamps);
        Ok(Self {
            handle: handle.clone(),
            socket,
            registration,
            tls: None,
            kernel_timestamps,
            unsent: Vec::new(),
            wants_writable: false,
            sent_at: handle.turn_time(),
            arrived_at: handle.turn_time(),
            low_water: 1,
        })
    }

    /// Encrypts everything from here on.
    pub async fn start_tls(
        &mut self,
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
        deadline: Timestamp,
    ) -> Result<(), StreamError> {
        self.tls = Some(Box::new(TlsSession::new(config, name)?));
        self.send(&[])?;
        self.handle.set_deadline(deadline);
        poll_fn(|_| self.poll_handshake()).await
    }

    fn poll_handshake(&mut self) -> Poll<Result<(), StreamError>> {
        let received = self.poll_receive(&mut |_| None::<()>);
        // What the protocol has to say goes out also when it is that the server is not trusted.
        let sent = self.send(&[]);
        match received {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ if self.tls.as_ref().is_some_and(|tls| tls.is_handshaking()) => {
                sent?;
                Poll::Pending
            }
            _ => Poll::Ready(sent),
        }
    }

    /// The loop on which this stream waits.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Whether what is sent can't be read on the way.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// When the last of what was received arrived.
    pub fn arrived_at(&self) -> Timestamp {
        self.arrived_at
    }

    /// Whether that is the kernel's time.
    pub fn has_kernel_timestamps(&self) -> bool {
        self.kernel_timestamps
    }

    /// Sends as much as the socket takes at once; the rest follows while something else is waited
    /// for. A connection that turns out to be gone is not an error here: the server's shutdown notice,
    /// or the end of the stream, are found when the answer is received.
    #[inline]
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        self.sent_at = self.handle.turn_time();
        if self.tls.is_some() {
            return self.send_encrypted(bytes);
        }
        let sent = if self.unsent.is_empty() { self.send_now(bytes)? } else { 0 };
        if sent == bytes.len() {
            return Ok(());
        }
        self.send_later(&bytes[sent..])
    }

    fn send_encrypted(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if let Some(tls) = &mut self.tls {
            tls.encrypt(bytes, &mut self.unsent)?;
        }
        self.send_unsent()
    }

    #[cold]
    fn send_later(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        self.unsent.extend_from_slice(bytes);
        self.want_writable(true)
    }

    #[inline]
    fn send_now(&self, bytes: &[u8]) -> Result<usize, StreamError> {
        match rustix::net::send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(sent) => Ok(sent),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(Errno::PIPE | Errno::CONNRESET) => Ok(bytes.len()),
            Err(errno) => Err(std::io::Error::from(errno).into()),
        }
    }

    fn send_unsent(&mut self) -> Result<(), StreamError> {
        let sent = self.send_now(&self.unsent)?;
        self.unsent.drain(..sent);
        self.want_writable(!self.unsent.is_empty())
    }

    fn want_writable(&mut self, writable: bool) -> Result<(), StreamError> {
        if self.wants_writable != writable {
            self.registration.want_writable(&self.socket, writable)?;
            self.wants_writable = writable;
        }
        Ok(())
    }

    /// Waits until the socket has taken all that was sent.
    pub async fn flush(&mut self, deadline: Timestamp) -> Result<(), StreamError> {
        self.handle.set_deadline(deadline);
        poll_fn(|_| {
            if !self.unsent.is_empty() {
                self.send_unsent()?;
            }
            if self.unsent.is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.pending_until_deadline()
        })
        .await
    }

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
    fn poll_receive<T>(
        &mut self,
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Poll<Result<T, StreamError>> {
        if !self.unsent.is_empty() {
            self.send_unsent()?;
        }
        loop {
            match self.receive_once(take)? {
                Received::Complete(answer) => return Poll::Ready(Ok(answer)),
                Received::More => {}
                // Readiness is level-triggered: what arrives from now on is told by an event.
                Received::Drained => return self.pending_until_deadline(),
            }
        }
    }

    fn pending_until_deadline<T>(&self) -> Poll<Result<T, StreamError>> {
        if self.handle.deadline_expired() {
            return Poll::Ready(Err(StreamError::Timeout));
        }
        Poll::Pending
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
            Some(answer) => Received::Complete(answer),
            None if is_full => Received::More,
            None => Received::Drained,
        })
    }

    #[inline]
    fn stamp(&mut self, wall_ns: Option<u64>) {
        let turn_time = self.handle.turn_time();
        let Some(wall_ns) = wall_ns else {
            // What was read in this turn had arrived when the turn began, or nearly so.
            self.arrived_at = turn_time.max(self.sent_at);
            return;
        };
        let told = self.handle.wall_offset().monotonic(wall_ns);
        let now = if told > turn_time { Timestamp::now() } else { turn_time };
        let (arrived_at, is_clamped) = between(self.sent_at, told, now);
        self.arrived_at = arrived_at;
        if is_clamped {
            self.handle.count_clock_clamp();
        }
    }
}

/// The two clocks are compared once a turn, and read one after the other.
const CLOCK_PRECISION: Duration = Duration::from_micros(1);

/// A step of the wall clock must not move an answer before its question, nor into the future. Gives
/// the time, and whether it was told as another.
#[inline]
fn between(sent_at: Timestamp, told: Timestamp, now: Timestamp) -> (Timestamp, bool) {
    let is_clamped = told + CLOCK_PRECISION < sent_at || told > now + CLOCK_PRECISION;
    (told.min(now).max(sent_at), is_clamped)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_a_step_of_the_clock_has_moved_is_clamped_and_told() {
        let [sent_at, now] = [1_000_000, 2_000_000].map(Timestamp);
        for (told, arrived_at, is_clamped) in [
            (1_500_000, 1_500_000, false),
            // What the clocks' precision explains is no step.
            (999_500, 1_000_000, false),
            (2_000_500, 2_000_000, false),
            (400_000, 1_000_000, true),
            (9_000_000, 2_000_000, true),
        ] {
            assert_eq!(between(sent_at, Timestamp(told), now), (Timestamp(arrived_at), is_clamped));
        }
    }
}
