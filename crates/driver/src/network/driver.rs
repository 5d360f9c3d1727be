//! From a URL to the settings of all connections.

use std::sync::Arc;

use contract::SessionOptions;

use super::login::Terms;
use super::protocol::NetworkProtocol;
use crate::target::{Host, Protocol, Target, UrlError};

/// Reaches one server, or several among which connections are spread.
#[derive(Clone, Debug)]
pub struct NetworkDriver<P: NetworkProtocol> {
    pub(super) target: Arc<Target>,
    pub(super) protocol: Protocol,
    pub(super) session: SessionOptions,
    pub(super) kernel_timestamps: bool,
    pub(super) shared: P::Shared,
}

impl<P: NetworkProtocol> NetworkDriver<P> {
    /// Reads a URL, of which each protocol's module has examples.
    ///
    /// A `password` that is given beside the URL is taken instead of the URL's, and `protocol` where
    /// the URL names none. Names of hosts are resolved here, once; one with several addresses is one
    /// host, whose addresses are tried in the resolver's order.
    ///
    /// With several hosts, `load_balance` says how connections are spread: `round_robin` (where
    /// nothing is said), `random`, `least_connections`, or `disabled`, where the others serve only
    /// when the first can't be reached.
    ///
    /// `ssl_mode` is `disabled`, `preferred`, `required`, `verify_ca` or `verify_identity`, or what
    /// that is called by the server's other clients. It is `disabled` where nothing is said, unlike
    /// there: with `preferred`, two servers of which one happens to have a certificate would be
    /// measured with unlike work.
    pub fn from_url(
        url: &str,
        password: Option<&str>,
        protocol: Protocol,
    ) -> Result<Self, UrlError> {
        let target = Target::parse(&P::FAMILY, url, password)?;
        Ok(Self {
            protocol: target.protocol.unwrap_or(protocol),
            target: Arc::new(target),
            session: SessionOptions::default(),
            kernel_timestamps: true,
            shared: P::Shared::default(),
        })
    }

    /// Whether the kernel is asked when answers arrived (it can tell for TCP only); otherwise that
    /// is when they were found. It is asked by default.
    #[must_use]
    pub fn with_kernel_timestamps(self, kernel_timestamps: bool) -> Self {
        Self { kernel_timestamps, ..self }
    }

    /// What every connection is set to.
    #[must_use]
    pub fn with_session(self, session: SessionOptions) -> Self {
        Self { session, ..self }
    }

    /// What `load_balance=random` draws from. Without it, it is zero.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        self.target.balancer.set_seed(seed);
        self
    }

    /// On which terms one connection signs on.
    pub(super) fn terms<'a>(&'a self, host: &'a Host, is_local: bool) -> Terms<'a, P> {
        let Self { target, protocol, shared, .. } = self;
        Terms { target, host, is_local, protocol: *protocol, shared }
    }
}
