//! What the tests of all drivers of network protocols share.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of this")]

mod certificates;
mod files;
pub mod mysql_impostor;
mod process;
mod rows;
pub mod sizes;
mod statements;
mod tasks;
pub mod transactions;

use std::time::Duration;

pub use certificates::Certificates;
pub use files::{binary, copy_directory, is_root, template};
pub use process::{HeldPort, Process};
pub use rows::{AWKWARD, AwkwardRows};
pub use statements::{
    LIMITS, Rows, connect, execute_all, query_error, refusal, rows, statements, value,
};
pub use tasks::{Task, run, run_all};

/// Longer than anything in these tests takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);
