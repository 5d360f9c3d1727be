//! Where engine, drivers and workloads meet: a plan in JSON goes in, events in JSON come out.
//!
//! The formats are described in ARCHITECTURE.md. Nothing here knows Python.

mod event;
mod job;
mod plan;
mod session;
mod target;

pub use job::{Job, Poll};
pub use plan::PlanError;
pub use session::{AdminSession, Rows, SessionError};
