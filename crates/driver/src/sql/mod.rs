//! What the drivers of network protocols share besides the stream: statements as text, rows as text,
//! and counts.

mod batch;
mod execution_counters;
mod inserts;
mod literal;
mod template;
mod text_rows;

#[cfg(test)]
pub(crate) use batch::Answers;
pub(crate) use batch::{Queued, Repeated, Sent, up_to_failure};
pub(crate) use execution_counters::{ExecutionCounters, ExecutionCountersByVerb};
pub(crate) use inserts::Inserts;
pub(crate) use literal::{Backslash, Quote, put_columns, put_int, put_name, put_text};
pub(crate) use template::Template;
pub(crate) use text_rows::TextRows;
