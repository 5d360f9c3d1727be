//! All workloads but TPC-C, a file a subject. They are one program, because each program is compiled
//! and linked by itself.

mod dataset;
mod expressions;
mod options;
mod recorder;
mod schema;
mod script;
mod shared_round_trips;
mod single_statements;
mod table;
mod transactions;
