//! The load engine: phases, arrivals, clients, workers, recorder.
//!
//! Written against `contract` alone: no workload and no driver is named here.
//!
//! Data flows one way: clients record into their worker's [`Recorder`](recorder), workers send
//! finished intervals to the [coordinator], which merges them and hands [`Event`]s out.

mod arrivals;
mod attempt;
mod backlog;
mod claims;
mod client;
mod completion;
mod context;
mod coordinator;
mod dispatch;
mod event;
mod gaps;
mod health;
mod hosts;
mod in_flight_at_last_report;
mod late;
mod live;
mod options;
mod overview;
mod pace;
mod patience;
mod pauses;
mod recorder;
mod run;
mod run_error;
mod sample;
mod share;
#[cfg(feature = "simulation")]
mod simulation;
mod timeline;
mod timetable;
mod transaction_log;
mod worker;

pub use event::Event;
pub use hosts::{HostSample, HostTotal};
pub use late::{LateSample, LateTimes};
pub use options::{Arrivals, EngineLimits, Options, RetryPolicy, SessionPolicy};
pub use pauses::Pauses;
pub use run::{Commands, run};
pub use run_error::RunError;
pub use sample::{
    ClientSample, ErrorKey, ErrorSample, GeneratorHealth, IntervalSample, Levels,
    PlannedReconnects, RunEnd, Status, TransactionSample,
};
pub use share::Share;
#[cfg(feature = "simulation")]
pub use simulation::{Incident, Simulated, simulate};
pub use timeline::Phase;
