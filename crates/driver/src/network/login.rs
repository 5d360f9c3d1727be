//! A conversation message by message, before the first statement.

use std::collections::VecDeque;
use std::sync::Arc;

use contract::SqlError;
use eventloop::Timestamp;
use rustls::ClientConfig;

use super::wire_format::WireFormat;
use crate::stream::{Stream, StreamError};
use crate::target::{Host, Protocol, Target};

/// Why signing on failed.
pub(crate) enum LoginError {
    /// The server would not have us, or what it says can't be.
    Server(SqlError),
    /// The connection is gone, or the time is over.
    Stream(StreamError),
}

impl<E: Into<SqlError>> From<E> for LoginError {
    fn from(error: E) -> Self {
        Self::Server(error.into())
    }
}

impl From<StreamError> for LoginError {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

/// Who signs on where, and on which terms.
pub(crate) struct Terms<'a, P: WireFormat> {
    pub target: &'a Arc<Target>,
    pub host: &'a Host,
    /// Whether nothing that is said leaves the machine.
    pub is_local: bool,
    pub protocol: Protocol,
    pub shared: &'a P::Shared,
}

/// A connection that the server has accepted.
pub(crate) struct SignedOn<P: WireFormat> {
    pub stream: Stream,
    pub reader: P::Reader,
    pub server_version: String,
    pub state: P::State,
}

/// A connection on which nobody has signed on yet.
pub(crate) struct Login<P: WireFormat> {
    pub stream: Stream,
    pub deadline: Timestamp,
    pub deframer: P::Deframer,
    /// Messages that arrived together with the one that was waited for.
    received: VecDeque<Result<P::Message, SqlError>>,
}

impl<P: WireFormat> Login<P> {
    pub fn new(stream: Stream, deadline: Timestamp) -> Self {
        Self { stream, deadline, deframer: P::deframer(), received: VecDeque::new() }
    }

    /// Waits for the next message. However many a server has to say, it has no more time for that.
    pub async fn receive(&mut self) -> Result<P::Message, LoginError> {
        if self.stream.handle().turn_time() > self.deadline {
            return Err(StreamError::Timeout.into());
        }
        if let Some(message) = self.received.pop_front() {
            return Ok(message?);
        }
        let Self { stream, deframer, received, deadline } = self;
        let first = stream.receive(*deadline, |mut bytes| {
            while let Some(message) = P::next_message(deframer, &mut bytes).transpose() {
                let is_the_last = message.is_err();
                received.push_back(message);
                if is_the_last {
                    break;
                }
            }
            received.pop_front()
        });
        Ok(first.await??)
    }

    /// Encrypts everything from here on.
    pub async fn start_tls(
        &mut self,
        config: &Arc<ClientConfig>,
        host: &Host,
    ) -> Result<(), LoginError> {
        let server_name = host.server_name.clone();
        Ok(self.stream.start_tls(Arc::clone(config), server_name, self.deadline).await?)
    }
}
