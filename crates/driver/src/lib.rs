//! Drivers: how to reach a server and make it work, with as little client CPU as can be.
//!
//! No workload's name occurs here, and nothing of the engine.

pub mod mysql;
pub mod postgres;
pub mod sqlite;

mod network;
mod sql;
mod stream;
mod target;
#[cfg(test)]
mod test_tools;

pub use target::{Protocol, UrlError};
