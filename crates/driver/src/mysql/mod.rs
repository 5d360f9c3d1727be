//! The `MySQL` protocol, for `MariaDB`, `MySQL` and what speaks like them.
//!
//! Signing on is left to `mysql_common`. What happens once per statement is written here by hand:
//! encoded packets whose parameters are patched, one `send`, one receive into the loop's buffer, and
//! an answer that is walked where it lies.

mod authentication;
mod batch;
mod connect;
mod connection;
mod errors;
mod greeting;
mod insert;
mod load;
mod packet;
mod pipeline;
mod session;
mod state;
mod statement;
mod try_out;

use std::sync::Arc;

use contract::{Dialect, Driver, HostCount, Limits, Pipelining, SessionOptions, SqlError};
use eventloop::Handle;

pub use connection::MysqlConnection;

use try_out::TriedPipelining;

use crate::target::{Family, Protocol, Target, UrlError};

const FAMILY: Family = Family {
    server: "MySQL",
    schemes: &["mysql", "mariadb"],
    default_port: 3306,
    default_user: "root",
    socket: |path, _| path.to_owned(),
};

/// Reaches one server, or several among which connections are spread.
#[derive(Clone, Debug)]
pub struct MysqlDriver {
    target: Arc<Target>,
    protocol: Protocol,
    session: SessionOptions,
    kernel_timestamps: bool,
    pipelining: Arc<TriedPipelining>,
}

impl MysqlDriver {
    /// Reads a URL:
    ///
    /// ```text
    /// mysql://user:password@host:3306/database?ssl_mode=verify_ca&ssl_ca=ca.pem&protocol=text
    /// mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock
    /// mysql:///database?socket=/run/mysqld/mysqld.sock
    /// mysql://user@host1,host2:3307,[::1]:3308/database?load_balance=least_connections
    /// mysql:///database?socket=/run/a.sock,/run/b.sock
    /// ```
    ///
    /// Without a user it is `root`. A `password` that is given beside the URL is taken instead of
    /// the URL's, and `protocol` where the URL names none. Names of hosts are resolved here, once; one
    /// with several addresses is one host, whose addresses are tried in the resolver's order.
    ///
    /// With several hosts, `load_balance` says how connections are spread: `round_robin` (where
    /// nothing is said), `random`, `least_connections`, or `disabled`, where the others serve only
    /// when the first can't be reached.
    ///
    /// `ssl_mode` is `disabled`, `preferred`, `required`, `verify_ca` or `verify_identity`. It is
    /// `disabled` where nothing is said, unlike in other clients: with `preferred`, two servers of
    /// which one happens to have a certificate would be measured with unlike work.
    pub fn from_url(
        url: &str,
        password: Option<&str>,
        protocol: Protocol,
    ) -> Result<Self, UrlError> {
        let target = Target::parse(&FAMILY, url, password)?;
        let protocol = target.protocol.unwrap_or(protocol);
        let session = SessionOptions::default();
        let pipelining = Arc::default();
        let target = Arc::new(target);
        Ok(Self { target, protocol, session, kernel_timestamps: true, pipelining })
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

impl Driver for MysqlDriver {
    type Connection = MysqlConnection;

    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn hosts(&self) -> Vec<HostCount> {
        self.target.host_counts()
    }

    fn pipelining(&self) -> Pipelining {
        self.pipelining.found(self.protocol, self.session)
    }

    async fn connect(&self, handle: &Handle, limits: Limits) -> Result<MysqlConnection, SqlError> {
        connect::connect(self, handle, limits).await
    }
}
