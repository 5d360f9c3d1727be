//! The loader: makes a dataset's tables, fills them, looks for them and removes them.
//!
//! Written against `contract` alone: no workload and no driver is named here, and nothing of the
//! engine. It has one event loop and as many connections as it is given.

mod chunk_scheduler;
mod connections;
mod load;
mod load_error;
mod load_event;
mod load_rows;
mod presence;
mod resume;
mod statement;
mod table_check;

pub use connections::LoadOptions;
pub use load::load;
pub use load_error::LoadError;
pub use load_event::LoadEvent;
pub use statement::prepare;
pub use table_check::{TableCheck, drop_tables, verify, verify_sample};
