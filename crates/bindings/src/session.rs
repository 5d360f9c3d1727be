//! One connection for administration.

use generator::{AdminSession, SessionError};
use pyo3::exceptions::{PyConnectionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// One connection for administration, on the same driver as the load.
#[pyclass(name = "Session", module = "dbdyno._native", unsendable)]
pub struct PySession(AdminSession);

#[pymethods]
impl PySession {
    #[staticmethod]
    #[pyo3(signature = (url, password = None))]
    fn connect(url: &str, password: Option<&str>) -> PyResult<Self> {
        AdminSession::connect(url, password).map(Self).map_err(|error| match error {
            SessionError::Target(error) => PyValueError::new_err(error.to_string()),
            other => PyConnectionError::new_err(other.to_string()),
        })
    }

    fn query<'py>(&mut self, py: Python<'py>, sql: &str) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let rows = self.0.query(sql).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        rows.into_iter().map(|row| PyTuple::new(py, row)).collect()
    }

    fn close(&mut self) -> PyResult<()> {
        self.0.close().map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}
