//! Workloads: what is asked of a server, with which inputs, over which data.
//!
//! A workload knows statements and randomness. It does not know which server answers, how many
//! clients there are, or what time it is.

pub mod sysbench;
