//! A connection for administration, as Python sees it.
//!
//! It lives in a thread of its own: a server may think for minutes, and Python goes on meanwhile, with
//! its other threads and with the signals that it was sent.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyConnectionError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trial::{AdminSession, Rows, SessionError};

/// How long a signal may wait until Python is told of it.
const SIGNALS_WAIT: Duration = Duration::from_millis(50);

/// After so long Python hears what is waited for; then whenever twice as much time has passed.
const FIRST_WORD: Duration = Duration::from_secs(5);

/// One connection for administration, on the same driver as the load.
#[pyclass(name = "Session", module = "dbdyno._native")]
pub struct PySession(
    /// None once it is closed.
    Option<Conversation>,
    /// Called in a long wait with the statement, and with how many seconds it has taken.
    Option<Py<PyAny>>,
);

/// Questions to the thread, and its answers.
struct Conversation {
    questions: Sender<String>,
    answers: Mutex<Receiver<Result<Rows, SessionError>>>,
    thread: JoinHandle<Result<(), SessionError>>,
}

#[pymethods]
impl PySession {
    #[staticmethod]
    #[pyo3(signature = (url, password = None, waiting = None))]
    fn connect(
        py: Python<'_>,
        url: String,
        password: Option<String>,
        waiting: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (questions, asked) = channel();
        let (told, answers) = channel();
        let thread = std::thread::spawn(move || answer(&url, password.as_deref(), &asked, &told));
        let conversation = Conversation { questions, answers: Mutex::new(answers), thread };
        // This has a short limit.
        conversation.wait(py, |_| Ok(()))?.map_err(|error| match error {
            SessionError::Target(error) => PyValueError::new_err(error.to_string()),
            other => PyConnectionError::new_err(other.to_string()),
        })?;
        Ok(Self(Some(conversation), waiting))
    }

    fn query<'py>(&mut self, py: Python<'py>, sql: &str) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let Some(conversation) = self.0.take() else { return Err(refused(&SessionError::Closed)) };
        // A thread that has ended has left the reason among its answers.
        let _ = conversation.questions.send(sql.to_owned());
        // A wait that a signal ended leaves an answer to come: the session is closed then.
        let answer = conversation.wait(py, |elapsed| match &self.1 {
            Some(waiting) => waiting.call1(py, (sql, elapsed.as_secs_f64())).map(drop),
            None => Ok(()),
        })?;
        self.0 = Some(conversation);
        let rows = answer.map_err(|error| refused(&error))?;
        rows.into_iter().map(|row| PyTuple::new(py, row)).collect()
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(Conversation { questions, thread, .. }) = self.0.take() else { return Ok(()) };
        drop(questions);
        let ended = py.detach(|| thread.join());
        ended.unwrap_or(Err(SessionError::Closed)).map_err(|error| refused(&error))
    }
}

impl Conversation {
    /// Waits for the next answer, and says so now and then; an error where Python wants to do something
    /// else.
    fn wait(
        &self,
        py: Python<'_>,
        say: impl Fn(Duration) -> PyResult<()>,
    ) -> PyResult<Result<Rows, SessionError>> {
        let start = Instant::now();
        let mut next_word = FIRST_WORD;
        loop {
            match py.detach(|| self.next()) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals()?;
                    let elapsed = start.elapsed();
                    if elapsed >= next_word {
                        next_word *= 2;
                        say(elapsed)?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(SessionError::Closed)),
            }
        }
    }

    fn next(&self) -> Result<Result<Rows, SessionError>, RecvTimeoutError> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.recv_timeout(SIGNALS_WAIT)
    }
}

/// Connects, answers questions until there are no more, and says goodbye.
fn answer(
    url: &str,
    password: Option<&str>,
    questions: &Receiver<String>,
    answers: &Sender<Result<Rows, SessionError>>,
) -> Result<(), SessionError> {
    let mut session = match AdminSession::connect(url, password) {
        Ok(session) => session,
        Err(error) => {
            let _ = answers.send(Err(error));
            return Ok(());
        }
    };
    // Whoever asked may have stopped waiting.
    let _ = answers.send(Ok(Rows::new()));
    while let Ok(sql) = questions.recv() {
        let _ = answers.send(session.query(&sql));
    }
    session.close()
}

fn refused(error: &SessionError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
