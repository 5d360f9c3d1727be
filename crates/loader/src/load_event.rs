//! What the loader tells its caller while it works.

use contract::BulkMethod;

/// What the loader tells its caller, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadEvent {
    /// Rows so far.
    Loading {
        /// Committed, by this load or by one before it that was cut short.
        rows: u64,
        /// In all.
        rows_total: u64,
        /// Since the first row.
        elapsed_s: f64,
    },
    /// All is there.
    Loaded {
        /// In all.
        rows: u64,
        /// Those of them that a load before this one had left, which was cut short.
        resumed_rows: u64,
        /// Rows and indexes together, of this load alone.
        elapsed_s: f64,
        /// Indexes and statistics alone.
        index_s: f64,
        /// The way taken.
        method: BulkMethod,
        /// What the server would not have and the tables do without, with its reason: its own bulk
        /// format, keys, statistics.
        refusals: Vec<String>,
    },
}
