//! Plans for a dataset: load, verify, drop; and for the statements that use it: prepare.

use contract::{BulkMethod, Dialect};
use loader::LoadOptions;
use serde::Deserialize;

use crate::plan_error::{MOST_CLIENTS, PlanError, count, positive_seconds};
use crate::target::ProtocolPlan;
use crate::workload::WorkloadPlan;

/// What is done with a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DatasetAction {
    /// Make the tables and fill them.
    Load,
    /// Tell whether they are there and hold what they should.
    Verify,
    /// The same of a sample of the rows.
    VerifySample,
    /// Remove them.
    Drop,
    /// Have the server prepare the workload's statements.
    Prepare,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BulkPlan {
    #[default]
    Auto,
    Native,
    Insert,
}

/// A plan for the dataset.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatasetPlan {
    pub version: u32,
    pub action: DatasetAction,
    pub url: String,
    pub workload: WorkloadPlan,
    pub seed: u64,
    connections: usize,
    #[serde(default)]
    bulk: BulkPlan,
    connect_s: f64,
    /// How the trial is going to send its statements.
    #[serde(default)]
    protocol: ProtocolPlan,
}

impl DatasetPlan {
    /// Whether the trial sends statements to a server of this dialect as text.
    pub fn sends_text(&self, dialect: Dialect) -> bool {
        match self.protocol {
            ProtocolPlan::Prepared | ProtocolPlan::Extended => false,
            ProtocolPlan::Text => true,
            ProtocolPlan::Multi => dialect == Dialect::MySql,
        }
    }

    /// How the loader is to work.
    pub fn options(&self) -> Result<LoadOptions, PlanError> {
        Ok(LoadOptions {
            connections: count("connections", self.connections, MOST_CLIENTS)?,
            method: match self.bulk {
                BulkPlan::Auto => BulkMethod::Auto,
                BulkPlan::Native => BulkMethod::Native,
                BulkPlan::Insert => BulkMethod::Insert,
            },
            connect_limit: positive_seconds("connect_s", self.connect_s)?,
        })
    }
}
