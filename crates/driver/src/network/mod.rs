//! What the drivers of network protocols have in common: connecting, signing on, and a connection
//! that sends statements and waits for their answers.
//!
//! What a protocol's bytes look like is its [`WireFormat`]; what it does in steps of its own is its
//! [`NetworkProtocol`]. Both are known when it is compiled: nothing is looked up or boxed for them.

#![expect(private_bounds, reason = "which protocols there are is decided in this crate")]

mod answer;
mod batch;
mod connect;
mod connection;
mod contract;
mod driver;
mod exchange;
mod insert;
mod login;
mod privacy;
mod protocol;
mod statement;
mod try_batch;
mod wire_format;

pub(crate) use answer::Answer;
pub(crate) use batch::Batch;
pub(crate) use connect::connect_beside;
pub use connection::NetworkConnection;
pub(crate) use connection::expect_done;
pub use driver::NetworkDriver;
pub(crate) use exchange::{Exchange, Progress};
pub(crate) use insert::insert;
pub(crate) use login::{Login, LoginError, SignedOn, Terms};
pub(crate) use privacy::Privacy;
pub(crate) use protocol::NetworkProtocol;
pub(crate) use statement::{Form, ReadyStatement, ready_statement};
pub(crate) use try_batch::{ANSWER_LIMIT, FirstColumns};
pub(crate) use wire_format::WireFormat;
