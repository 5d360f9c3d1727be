//! The `PostgreSQL` protocol, version 3.
//!
//! Signing on is left to `postgres-protocol`. What happens once per statement is written here by
//! hand: one packet with Bind, Execute and Sync whose values are patched, one `send`, one receive
//! into the loop's buffer, and an answer that is walked where it lies.

mod authentication;
mod batch;
mod connect;
mod connection;
mod errors;
mod load;
mod message;
mod pooling;
mod session;
mod statement;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::{Dialect, Driver, HostCount, Limits, Pipelining, SessionOptions, SqlError};
use eventloop::Handle;

pub use connection::PostgresConnection;

use self::pooling::Backends;
use crate::target::{Family, Protocol, Target, UrlError};

const FAMILY: Family = Family {
    server: "PostgreSQL",
    schemes: &["postgresql", "postgres"],
    default_port: 5432,
    default_user: "postgres",
    socket: socket_path,
};

/// The server's other clients are given the folder of the socket, whose name follows from the port.
fn socket_path(path: &Path, port: u16) -> PathBuf {
    if path.is_dir() { path.join(format!(".s.PGSQL.{port}")) } else { path.to_owned() }
}

/// Reaches one server, or several among which connections are spread.
#[derive(Clone, Debug)]
pub struct PostgresDriver {
    target: Arc<Target>,
    protocol: Protocol,
    session: SessionOptions,
    kernel_timestamps: bool,
    backends: Arc<Backends>,
}

impl PostgresDriver {
    /// Reads a URL:
    ///
    /// ```text
    /// postgresql://user:password@host:5432/database?ssl_mode=verify_ca&ssl_ca=ca.pem&protocol=text
    /// postgresql:///database?socket=/var/run/postgresql
    /// postgresql://user@host1,host2:5433,[::1]:5434/database?load_balance_hosts=random
    /// ```
    ///
    /// Without a user it is `postgres`, without a database the one that is called as the user. A
    /// `password` that is given beside the URL is taken instead of the URL's, and `protocol` where
    /// the URL names none. Names of hosts are resolved here, once; one with several addresses is one
    /// host, whose addresses are tried in the resolver's order.
    ///
    /// With several hosts, `load_balance` says how connections are spread: `round_robin` (where
    /// nothing is said), `random`, `least_connections`, or `disabled` (libpq's `disable`), where the
    /// others serve only when the first can't be reached.
    ///
    /// `ssl_mode` is `disabled`, `preferred`, `required`, `verify_ca` or `verify_identity`, or what
    /// `sslmode` is to the server's other clients. It is `disabled` where nothing is said, unlike
    /// there: with `preferred`, two servers of which one happens to have a certificate would be
    /// measured with unlike work.
    pub fn from_url(
        url: &str,
        password: Option<&str>,
        protocol: Protocol,
    ) -> Result<Self, UrlError> {
        let target = Target::parse(&FAMILY, url, password)?;
        let protocol = target.protocol.unwrap_or(protocol);
        let session = SessionOptions::default();
        let (target, backends) = (Arc::new(target), Arc::default());
        Ok(Self { target, protocol, session, kernel_timestamps: true, backends })
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
}

impl Driver for PostgresDriver {
    type Connection = PostgresConnection;

    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        Dialect::PostgreSql
    }

    fn hosts(&self) -> Vec<HostCount> {
        self.target.host_counts()
    }

    fn pipelining(&self) -> Pipelining {
        if self.protocol == Protocol::Prepared && self.session.pipelining {
            Pipelining::On
        } else {
            Pipelining::Off
        }
    }

    async fn connect(
        &self,
        handle: &Handle,
        limits: Limits,
    ) -> Result<PostgresConnection, SqlError> {
        connect::connect(self, handle, limits).await
    }
}
