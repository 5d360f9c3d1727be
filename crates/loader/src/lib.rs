//! The loader: makes a dataset's tables, fills them, looks for them and removes them.
//!
//! Written against `contract` alone: no workload and no driver is named here, and nothing of the
//! engine. It has one event loop and as many connections as it is given.

mod load;
mod load_error;
mod load_rows;
mod presence;
mod resume;
mod shares;

pub use load::{LoadEvent, LoadOptions, load};
pub use load_error::LoadError;
pub use presence::{Presence, drop_tables, verify};
