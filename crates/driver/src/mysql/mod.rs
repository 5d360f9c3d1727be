//! The `MySQL` protocol, for `MariaDB`, `MySQL` and what speaks like them.
//!
//! Signing on is left to `mysql_common`. What happens once per statement is written here by hand:
//! encoded packets whose parameters are patched, one `send`, one receive into the loop's buffer, and
//! an answer that is walked where it lies.

mod authentication;
mod connect;
mod connection;
mod errors;
mod greeting;
mod insert;
mod load;
mod packet;
mod statement;

use std::sync::Arc;

use contract::{Dialect, Driver, Limits, SqlError};
use eventloop::Handle;

pub use connection::MysqlConnection;

use crate::target::{Family, Protocol, Target, UrlError};

const FAMILY: Family = Family {
    server: "MySQL",
    schemes: &["mysql", "mariadb"],
    default_port: 3306,
    default_user: "root",
    socket: |path, _| path.to_owned(),
};

/// Reaches one server.
#[derive(Clone, Debug)]
pub struct MysqlDriver {
    target: Arc<Target>,
    protocol: Protocol,
    kernel_timestamps: bool,
}

impl MysqlDriver {
    /// Reads a URL:
    ///
    /// ```text
    /// mysql://user:password@host:3306/database?ssl_mode=verify_ca&ssl_ca=ca.pem&protocol=text
    /// mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock
    /// mysql:///database?socket=/run/mysqld/mysqld.sock
    /// ```
    ///
    /// Without a user it is `root`. A `password` that is given beside the URL is taken instead of
    /// the URL's, and `protocol` where the URL names none. The host's name is resolved here, once.
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
        Ok(Self { target: Arc::new(target), protocol, kernel_timestamps: true })
    }

    /// Whether the kernel is asked when answers arrived (it can tell for TCP only); otherwise that
    /// is when they were found. It is asked by default.
    #[must_use]
    pub fn with_kernel_timestamps(self, kernel_timestamps: bool) -> Self {
        Self { kernel_timestamps, ..self }
    }
}

impl Driver for MysqlDriver {
    type Connection = MysqlConnection;

    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    async fn connect(&self, handle: &Handle, limits: Limits) -> Result<MysqlConnection, SqlError> {
        connect::connect(self, handle, limits).await
    }
}
