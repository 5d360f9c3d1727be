//! Where engine, loader, drivers and workloads meet: a plan in JSON goes in, events in JSON come out.
//!
//! The formats are described in ARCHITECTURE.md. Nothing here knows Python.

mod check;
mod dataset_plan;
mod event;
mod job;
mod plan;
mod plan_error;
mod session;
mod target;
mod trial_plan;
mod workload;

/// A part of the way to a mistake.
pub use ::workload::script::Part;
pub use check::{WorkloadMistake, check_workload, ledger_questions};
pub use job::{Job, Poll, Remote};
pub use plan_error::PlanError;
pub use session::{AdminSession, Rows, SessionError};
