//! Finds what is wrong with a workload before there is a server.

use contract::Dialect;
use workload::script::Part;

use crate::event;
use crate::workload::{AnyWorkload, WorkloadError, WorkloadPlan};

/// A mistake in a workload.
#[derive(Debug)]
pub struct WorkloadMistake {
    /// The way from the workload to the value; empty where it is not known.
    pub path: Vec<Part>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl From<WorkloadError> for WorkloadMistake {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Written(mistake) => {
                Self { path: mistake.path, message: mistake.message }
            }
            WorkloadError::Sysbench(option) => {
                Self { path: Vec::new(), message: option.to_string() }
            }
            WorkloadError::Tpcc(option) => Self {
                path: option.field.split('.').map(Part::from).collect(),
                message: format!("is {}: {}", option.value, option.expected),
            },
        }
    }
}

/// Reads a workload as a plan has it (`{"sql": {…}}`) for servers of one dialect (`sqlite`, `mysql`
/// or `postgresql`).
pub fn check_workload(workload_json: &str, dialect: &str) -> Result<(), WorkloadMistake> {
    read_workload(workload_json, dialect).map(drop)
}

/// How what a workload's clients say in their ledgers can be asked of a server, as JSON.
pub fn ledger_questions(workload_json: &str, dialect: &str) -> Result<String, WorkloadMistake> {
    let questions = read_workload(workload_json, dialect)?.questions();
    Ok(event::questions(&questions).to_string())
}

fn read_workload(workload_json: &str, dialect: &str) -> Result<AnyWorkload, WorkloadMistake> {
    let dialect = match dialect {
        "sqlite" => Dialect::Sqlite,
        "postgresql" | "postgres" => Dialect::PostgreSql,
        _ => Dialect::MySql,
    };
    let plan: WorkloadPlan = serde_json::from_str(workload_json).map_err(|error| {
        WorkloadMistake { path: Vec::new(), message: format!("can't be read: {error}") }
    })?;
    Ok(plan.build(dialect)?)
}
