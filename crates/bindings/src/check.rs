//! Looks for mistakes in a workload that somebody wrote.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trial::Part;

/// A part of the way to a mistake: a name, or a number in a list.
#[derive(IntoPyObject)]
pub enum PyPart {
    Name(String),
    Index(usize),
}

/// The first mistake: the way to it, and what would be right.
#[pyfunction]
pub fn check_workload(workload_json: &str, dialect: &str) -> Option<(Vec<PyPart>, String)> {
    let mistake = trial::check_workload(workload_json, dialect).err()?;
    let path = mistake.path.into_iter().map(|part| match part {
        Part::Name(name) => PyPart::Name(name),
        Part::Index(index) => PyPart::Index(index),
    });
    Some((path.collect(), mistake.message))
}

/// How what a workload's clients say in their ledgers can be asked of a server, as JSON.
#[pyfunction]
pub fn ledger_questions(workload_json: &str, dialect: &str) -> PyResult<String> {
    let questions = trial::ledger_questions(workload_json, dialect);
    questions.map_err(|mistake| PyValueError::new_err(mistake.message))
}
