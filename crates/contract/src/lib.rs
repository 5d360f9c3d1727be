//! What engine, loader, drivers and workloads agree on, so that none of them knows the others.
//!
//! A driver implements [`Driver`] and [`Connection`]; a workload implements [`Workload`],
//! [`Client`] and [`Dataset`]; engine and loader are written against these traits alone. All are
//! used with static dispatch: a trial is compiled for its driver and its workload.

mod box_cold_future;
mod connection;
mod dataset;
mod error;
mod error_set;
mod ledger;
mod lexeme;
mod session;
mod statement;
mod statement_counters;
mod value;
mod workload;

pub use box_cold_future::box_cold_future;
pub use connection::{Connection, Driver, HostCount, Limits};
pub use dataset::{BulkMethod, Chunk, Dataset, RowSource, RowWriter, Verification};
pub use error::{ErrorClass, SqlError};
pub use error_set::ErrorSet;
pub use eventloop::{Handle, Timestamp};
pub use ledger::{
    Account, Asked, Change, Ledger, Outcome, Question, Questions, RowKey, RowsAsked, Writes,
};
pub use lexeme::{Lexeme, ends_in_comment, first_lexeme, first_word, is_of_name, words};
pub use session::{Isolation, Pipelining, Purpose, SessionFacts, SessionOptions};
pub use statement::{Access, Dialect, Probe, Request, Statement, Verb, Wording};
pub use statement_counters::{Executed, StatementCount, StatementCounters, StatementTotals};
pub use value::{Collect, Discard, HashRows, Row, RowSink, Value};
pub use workload::{Client, Due, Ending, Fact, Workload};
