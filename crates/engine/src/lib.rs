//! The load engine: phases, arrivals, clients, workers, recorder, and the loader.
//!
//! Written against `contract` alone: no workload and no driver is named here.
//!
//! Data flows one way: clients record into their worker's [`Recorder`](recorder), workers send
//! finished intervals to the coordinator in [`run`], which merges them and hands [`Event`]s out.

mod arrivals;
mod attempt;
mod client;
mod context;
mod dispatch;
mod health;
mod hosts;
mod live;
mod load;
mod load_error;
mod load_rows;
mod options;
mod pace;
mod presence;
mod recorder;
mod resume;
mod run;
mod run_error;
mod sample;
mod shares;
mod timeline;
mod transaction_log;
mod under_way;
mod worker;

pub use hosts::{HostSample, HostTotal};
pub use load::{LoadEvent, LoadOptions, load};
pub use load_error::LoadError;
pub use options::{Arrivals, EngineLimits, Options, RetryPolicy, SessionPolicy};
pub use presence::{Presence, drop_tables, verify};
pub use run::{Event, run};
pub use run_error::RunError;
pub use sample::{
    ClientSample, ErrorKey, ErrorSample, GeneratorHealth, IntervalSample, Levels, Renewals, RunEnd,
    Status, TransactionSample,
};
pub use timeline::Phase;
