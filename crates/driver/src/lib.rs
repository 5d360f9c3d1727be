//! Drivers: how to reach a server and make it work, with as little client CPU as can be.
//!
//! No workload's name occurs here, and nothing of the engine.

pub mod mysql;
pub mod postgres;
pub mod sqlite;

#[cfg(test)]
mod damage;
#[cfg(test)]
mod memory;
mod sql;
mod stream;
mod target;

pub use target::{Protocol, UrlError};
