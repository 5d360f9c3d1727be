//! Histograms of nanoseconds.

use histogram::Histogram;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An `HdrHistogram` of nanoseconds, 3 significant digits, overflow counted apart.
#[pyclass(name = "Histogram", module = "dbdyno._native")]
pub struct PyHistogram(Histogram);

#[pymethods]
impl PyHistogram {
    #[new]
    fn new() -> Self {
        Self(Histogram::new())
    }

    #[staticmethod]
    #[pyo3(signature = (text, overflow = 0))]
    fn decode(text: &str, overflow: u64) -> PyResult<Self> {
        Histogram::decode(text, overflow)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn encode(&self) -> String {
        self.0.encode()
    }

    #[pyo3(signature = (value_ns, count = 1))]
    fn record(&mut self, value_ns: u64, count: u64) {
        self.0.record_many(value_ns, count);
    }

    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    fn quantile_ns(&self, quantile: f64) -> PyResult<Option<u64>> {
        if !(0.0..=1.0).contains(&quantile) {
            return Err(PyValueError::new_err("a quantile is a number from 0 to 1"));
        }
        Ok(self.0.quantile_ns(quantile))
    }

    fn recorded(&self) -> Vec<(u64, u64)> {
        self.0.recorded().collect()
    }

    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    #[getter]
    fn overflow(&self) -> u64 {
        self.0.overflow()
    }

    #[getter]
    fn max_ns(&self) -> u64 {
        self.0.max_ns()
    }

    #[getter]
    fn min_ns(&self) -> u64 {
        self.0.min_ns()
    }

    #[getter]
    fn mean_ns(&self) -> f64 {
        self.0.mean_ns()
    }
}
