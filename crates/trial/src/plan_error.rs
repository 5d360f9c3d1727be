//! What is wrong with a plan, and the checks of its numbers.

use std::time::Duration;

use crate::target::TargetError;
use crate::workload::WorkloadError;

/// The version of the plan format that this program understands.
pub(crate) const PLAN_VERSION: u32 = 1;

/// More is a slip of the finger.
pub(crate) const MOST_CLIENTS: usize = 100_000;
const MOST_SECONDS: f64 = 1e7;

/// A plan that can't be carried out as it is.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// It is not the JSON that was expected.
    #[error("the plan can't be read: {0}")]
    Json(#[from] serde_json::Error),
    /// It was written by another version of dbdyno.
    #[error("the plan has version {0}, and this generator understands version {PLAN_VERSION}")]
    Version(u32),
    /// A value is out of range.
    #[error("{field} is {value}: {expected}")]
    Value {
        /// Which.
        field: &'static str,
        /// What it is.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// A workload's option is wrong.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The URL is wrong.
    #[error(transparent)]
    Target(#[from] TargetError),
}

pub(crate) fn wrong(
    field: &'static str,
    value: &impl ToString,
    expected: impl Into<String>,
) -> PlanError {
    PlanError::Value { field, value: value.to_string(), expected: expected.into() }
}

pub(crate) fn count(field: &'static str, value: usize, most: usize) -> Result<usize, PlanError> {
    if (1..=most).contains(&value) {
        Ok(value)
    } else {
        Err(wrong(field, &value, format!("give a whole number from 1 to {most}")))
    }
}

pub(crate) fn seconds(field: &'static str, value: f64) -> Result<Duration, PlanError> {
    if (0.0..=MOST_SECONDS).contains(&value) {
        Ok(Duration::from_secs_f64(value))
    } else {
        Err(wrong(field, &value, format!("give a number from 0 to {MOST_SECONDS}")))
    }
}

pub(crate) fn positive_seconds(field: &'static str, value: f64) -> Result<Duration, PlanError> {
    match seconds(field, value)? {
        Duration::ZERO => Err(wrong(field, &value, "give a number above 0")),
        duration => Ok(duration),
    }
}

pub(crate) fn share(field: &'static str, value: f64) -> Result<f64, PlanError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(wrong(field, &value, "give a share from 0 to 1"))
    }
}
