//! Bytes to and from a server over TCP or a Unix socket, encrypted or not, on one event loop: what
//! all network protocols share.
//!
//! A stream knows no packets. It gives what arrives to a closure, each byte exactly once and in
//! place in the loop's shared read buffer; the closure says when the answer is complete. Whoever
//! needs bytes of a torn packet later copies those, and nobody else copies anything.

mod address;
mod answer_clock;
mod arrival;
mod error;
mod itself;
mod low_water;
mod receive;
mod send;
mod timestamp;
mod tls;

use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::task::Poll;

use eventloop::{Handle, Registration, Timestamp};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

pub(crate) use address::Address;
pub(crate) use answer_clock::AnswerClock;
pub(crate) use error::StreamError;
pub(crate) use tls::{Verification, client_config};

use tls::TlsSession;

/// The longest message of a server that is kept until all of it is there, and so the memory of one
/// connection. Rows that nobody looks at may be longer: they are not kept.
pub(crate) const LONGEST_KEPT_BYTES: usize = 64 * 1024 * 1024;

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
    /// How long answers lay unread since this was last asked.
    unread_ns: u64,
    /// How many bytes must have arrived before the socket is readable.
    low_water: i32,
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
            unread_ns: 0,
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

    /// How long complete answers lay unread since this was last asked: nothing is known of it without
    /// the kernel's time of arrival.
    pub fn take_unread_ns(&mut self) -> u64 {
        std::mem::take(&mut self.unread_ns)
    }

    /// Whether that is the kernel's time.
    pub fn has_kernel_timestamps(&self) -> bool {
        self.kernel_timestamps
    }

    fn pending_until_deadline<T>(&self) -> Poll<Result<T, StreamError>> {
        if self.handle.deadline_expired() {
            return Poll::Ready(Err(StreamError::Timeout));
        }
        Poll::Pending
    }
}
