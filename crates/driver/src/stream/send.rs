//! Sending: at once as much as the socket takes, and the rest while something else is waited for.

use std::future::poll_fn;
use std::task::Poll;

use eventloop::Timestamp;
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::Stream;
use super::error::StreamError;

impl Stream {
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

    pub(super) fn send_unsent(&mut self) -> Result<(), StreamError> {
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
}
