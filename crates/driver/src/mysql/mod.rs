//! The `MySQL` protocol, for `MariaDB`, `MySQL` and what speaks like them.
//!
//! Signing on is left to `mysql_common`. What happens once per statement is written here by hand:
//! encoded packets whose parameters are patched, one `send`, one receive into the loop's buffer, and
//! an answer that is walked where it lies.

mod authentication;
mod batch;
mod errors;
mod greeting;
mod lifted;
mod load;
mod packet;
mod pipeline;
mod protocol;
mod rows_taken;
mod session;
mod sign_on;
mod state;
mod statement;
mod tried_pipelining;
mod try_out;
mod wire;

pub use wire::Mysql;

use crate::network::{NetworkConnection, NetworkDriver};

/// Reaches one server, or several among which connections are spread. URLs are like
///
/// ```text
/// mysql://user:password@host:3306/database?ssl_mode=verify_ca&ssl_ca=ca.pem&protocol=text
/// mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock
/// mysql:///database?socket=/run/mysqld/mysqld.sock
/// mysql://user@host1,host2:3307,[::1]:3308/database?load_balance=least_connections
/// mysql:///database?socket=/run/a.sock,/run/b.sock
/// ```
///
/// With `get_server_public_key=true` a server over an open connection is asked for the key that it wants
/// a password encrypted with, and with `enable_cleartext_plugin=true` one that was not verified is sent the
/// password in clear text over TLS.
///
/// Without a user it is `root`.
pub type MysqlDriver = NetworkDriver<Mysql>;

/// A connection that has signed on.
pub type MysqlConnection = NetworkConnection<Mysql>;
