//! A trial or a loading in this process.

use std::sync::Mutex;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use trial::{Job, Poll, Remote};

/// How long one wait lasts before signals (Ctrl-C) are looked at.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// One trial or loading: start, then poll until it says that it is done.
#[pyclass(name = "Run", module = "dbdyno._native", frozen)]
pub struct PyRun {
    job: Mutex<Job>,
    /// Apart from the job, which whoever waits for events has locked.
    remote: Remote,
}

#[pymethods]
impl PyRun {
    #[staticmethod]
    #[pyo3(signature = (plan_json, password = None))]
    fn start(plan_json: &str, password: Option<&str>) -> PyResult<Self> {
        Job::start(plan_json, password)
            .map(|job| Self { remote: job.remote(), job: Mutex::new(job) })
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Waits with the interpreter's lock released, and looks at signals ten times a second.
    fn poll(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<Vec<String>>> {
        let mut left = Duration::try_from_secs_f64(timeout_s)
            .map_err(|_| PyValueError::new_err("the time-out is a number of seconds from 0 on"))?;
        loop {
            let wait = left.min(SIGNAL_CHECK);
            let poll = py.detach(|| self.job.lock().ok().map(|job| job.poll(wait)));
            match poll.ok_or_else(panicked)? {
                Poll::Over => return Ok(None),
                Poll::Events(events) if events.is_empty() && left > wait => left -= wait,
                Poll::Events(events) => return Ok(Some(events)),
            }
            py.check_signals()?;
        }
    }

    fn stop(&self) {
        self.remote.stop();
    }

    fn start_at(&self, time_ns: u64) {
        self.remote.start_at(time_ns);
    }

    fn begin_window_at(&self, index: i64) {
        self.remote.begin_window_at(index);
    }
}

fn panicked() -> PyErr {
    PyRuntimeError::new_err("an earlier call on this run panicked")
}
