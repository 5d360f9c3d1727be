//! Workloads: what is asked of a server, with which inputs, over which data.
//!
//! A workload knows statements and randomness. It does not know which server answers, how many
//! clients there are, or what time it is.

mod exchange;
mod expression;
pub mod pgbench;
pub mod script;
pub mod sql;
pub mod sysbench;
pub mod tpcc;
