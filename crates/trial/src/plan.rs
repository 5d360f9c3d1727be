//! Plans as they are written: of a trial, or of something with a dataset.

use crate::dataset_plan::DatasetPlan;
use crate::plan_error::{PLAN_VERSION, PlanError};
use crate::trial_plan::TrialPlan;

/// What a generator is asked to do.
pub(crate) enum Plan {
    /// A trial.
    Trial(Box<TrialPlan>),
    /// Something with the dataset.
    Dataset(Box<DatasetPlan>),
}

impl Plan {
    /// Reads a plan; one with an `action` is about the dataset.
    pub fn parse(json: &str) -> Result<Self, PlanError> {
        let value: serde_json::Value = serde_json::from_str(json)?;
        let is_dataset = value.get("action").is_some();
        // Read from the text again: that way an error names line and column.
        let (plan, version) = if is_dataset {
            let plan: DatasetPlan = serde_json::from_str(json)?;
            let version = plan.version;
            (Self::Dataset(Box::new(plan)), version)
        } else {
            let plan: TrialPlan = serde_json::from_str(json)?;
            let version = plan.version;
            (Self::Trial(Box::new(plan)), version)
        };
        if version == PLAN_VERSION { Ok(plan) } else { Err(PlanError::Version(version)) }
    }
}
