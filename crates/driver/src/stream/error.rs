//! What can go wrong between here and a server's socket, before any protocol.

use contract::ErrorClass;
use thiserror::Error;

/// A failure of the connection itself. Each protocol's driver gives it the number and the class by
/// which that protocol's users know it.
#[derive(Debug, Error)]
pub(crate) enum StreamError {
    /// Nobody took the connection.
    #[error("can't connect to {address}: {reason}")]
    Refused {
        /// What was tried.
        address: String,
        /// The kernel's words.
        reason: std::io::Error,
    },
    /// The connection ended, or broke.
    #[error("{0}")]
    Lost(String),
    /// The deadline passed before the answer was complete.
    #[error("no answer within the time limit")]
    Timeout,
    /// Encryption could not be agreed upon.
    #[error("TLS: {0}")]
    Tls(String),
}

impl StreamError {
    /// What it means.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Refused { .. } => ErrorClass::ConnectionRefused,
            Self::Lost(_) => ErrorClass::ConnectionLost,
            Self::Tls(_) => ErrorClass::AccessDenied,
            Self::Timeout => ErrorClass::Timeout,
        }
    }

    /// The error in words, with what was being waited for: `answer within 3 s`.
    pub fn while_waiting_for(&self, waited_for: &str) -> String {
        match self {
            Self::Timeout => format!("no {waited_for}"),
            Self::Lost(_) => {
                // The limit is no news where it was not reached.
                let what = waited_for.split(" within ").next().unwrap_or(waited_for);
                format!("connection lost while waiting for the {what}: {self}")
            }
            Self::Refused { .. } | Self::Tls(_) => self.to_string(),
        }
    }

    /// The other side closed the connection.
    pub fn closed() -> Self {
        Self::Lost("the server closed the connection".into())
    }
}

impl From<std::io::Error> for StreamError {
    #[cold]
    fn from(error: std::io::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

impl From<rustls::Error> for StreamError {
    fn from(error: rustls::Error) -> Self {
        Self::Tls(error.to_string())
    }
}
