//! One connection for administration, on the same driver as the load: settings, counters, versions.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use contract::{Collect, Connection, Driver, Limits, Purpose, SqlError};
use eventloop::{EventLoop, TaskId, Timestamp};

use crate::target::{Target, TargetError, TargetOptions, with_driver};

const LIMITS: Limits =
    Limits { connect: Duration::from_secs(10), statement: Duration::from_mins(10) };

/// Rows as text; None is NULL.
pub type Rows = Vec<Vec<Option<String>>>;

/// Why a session gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The URL is wrong.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The server said no.
    #[error("{0}")]
    Server(#[from] SqlError),
    /// The operating system said no.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// It was closed, or had lost its connection before.
    #[error("the session is closed")]
    Closed,
}

/// Questions in, answers out: the task of the loop lives between them.
#[derive(Default)]
struct Mailbox {
    question: Option<String>,
    answer: Option<Result<Rows, SqlError>>,
    closing: bool,
}

/// A connection that answers one question after another, each waited for.
pub struct AdminSession {
    event_loop: EventLoop<'static>,
    task: TaskId,
    mailbox: Rc<RefCell<Mailbox>>,
}

impl AdminSession {
    /// Connects and logs in.
    pub fn connect(url: &str, password: Option<&str>) -> Result<Self, SessionError> {
        let target =
            Target::new(url, password, TargetOptions::for_purpose(Purpose::Administration))?;
        with_driver!(target, driver => Self::with_driver(driver))
    }

    fn with_driver<D: Driver>(driver: D) -> Result<Self, SessionError> {
        let mut event_loop = EventLoop::new()?;
        let mailbox = Rc::new(RefCell::new(Mailbox::default()));
        let (handle, box_of_task) = (event_loop.handle(), Rc::clone(&mailbox));
        let task = event_loop.spawn(async move {
            let connected = driver.connect(&handle, LIMITS).await;
            handle.clear_deadline();
            let connection = match connected {
                Ok(connection) => connection,
                Err(error) => {
                    box_of_task.borrow_mut().answer = Some(Err(error));
                    return;
                }
            };
            box_of_task.borrow_mut().answer = Some(Ok(Rows::new()));
            answer_questions(connection, &handle, &box_of_task).await;
        });
        let mut session = Self { event_loop, task, mailbox };
        session.wait_for_answer()?;
        Ok(session)
    }

    /// Executes one statement and waits for its rows.
    pub fn query(&mut self, sql: &str) -> Result<Rows, SessionError> {
        if self.event_loop.live_tasks() == 0 {
            return Err(SessionError::Closed);
        }
        self.mailbox.borrow_mut().question = Some(sql.to_owned());
        self.event_loop.handle().wake(self.task);
        self.wait_for_answer()
    }

    /// Says goodbye to the server.
    pub fn close(&mut self) -> Result<(), SessionError> {
        self.mailbox.borrow_mut().closing = true;
        self.event_loop.handle().wake(self.task);
        while self.event_loop.live_tasks() > 0 {
            self.event_loop.turn(Timestamp(u64::MAX))?;
        }
        Ok(())
    }

    fn wait_for_answer(&mut self) -> Result<Rows, SessionError> {
        loop {
            self.event_loop.turn(Timestamp(u64::MAX))?;
            if let Some(answer) = self.mailbox.borrow_mut().answer.take() {
                return Ok(answer?);
            }
            if self.event_loop.live_tasks() == 0 {
                return Err(SessionError::Closed);
            }
        }
    }
}

/// None in place of a question asks for the end.
async fn answer_questions<C: Connection>(
    mut connection: C,
    handle: &eventloop::Handle,
    mailbox: &RefCell<Mailbox>,
) {
    loop {
        let next = handle.park_until(|| {
            let mut mailbox = mailbox.borrow_mut();
            if mailbox.closing { Some(None) } else { mailbox.question.take().map(Some) }
        });
        let Some(sql) = next.await else { break };
        let mut rows = Collect::default();
        let result = connection.query(&sql, &mut rows).await;
        handle.clear_deadline();
        let lost = result.as_ref().is_err_and(|error| error.class().ends_connection());
        mailbox.borrow_mut().answer = Some(result.map(|_| rows.rows));
        if lost {
            return;
        }
    }
    connection.close().await;
}
