//! The `PostgreSQL` protocol, version 3.
//!
//! Signing on is left to `postgres-protocol`. What happens once per statement is written here by
//! hand: one packet with Bind, Execute and Sync whose values are patched, one `send`, one receive
//! into the loop's buffer, and an answer that is walked where it lies.

mod authentication;
mod backends;
mod batch;
mod errors;
mod first;
mod lifted;
mod load;
mod message;
mod pooling;
mod protocol;
mod session;
mod sign_on;
mod statement;
mod wire;

pub use wire::Postgres;

use crate::network::{NetworkConnection, NetworkDriver};

/// Reaches one server, or several among which connections are spread. URLs are like
///
/// ```text
/// postgresql://user:password@host:5432/database?ssl_mode=verify_ca&ssl_ca=ca.pem&protocol=text
/// postgresql:///database?socket=/var/run/postgresql
/// postgresql://user@host1,host2:5433,[::1]:5434/database?load_balance_hosts=random
/// ```
///
/// Without a user it is `postgres`, without a database the one that is called as the user.
pub type PostgresDriver = NetworkDriver<Postgres>;

/// A connection that has signed on.
pub type PostgresConnection = NetworkConnection<Postgres>;
