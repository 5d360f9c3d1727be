//! A folder for each test, connections to a file in it, and a poll that takes no waiting.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use contract::{Collect, Connection, Driver, Executed, Limits, SqlError};
use driver::sqlite::{SqliteConnection, SqliteDriver};
use eventloop::EventLoop;

pub const LIMITS: Limits =
    Limits { connect: Duration::from_secs(10), statement: Duration::from_secs(10) };

/// The value of a future that must be ready at its first poll, as all of this driver's are.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a future of a blocking driver is not ready"),
    }
}

/// A folder that goes when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("dbdyno-sqlite-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// The URL of this folder's database. The path is absolute, so it adds the fourth slash.
    pub fn url(&self, options: &str) -> String {
        format!("sqlite:///{}{options}", self.path("test.db"))
    }

    pub fn try_connect(&self, options: &str) -> Result<SqliteConnection, SqlError> {
        connect(&self.url(options), LIMITS)
    }

    pub fn connect(&self, options: &str) -> SqliteConnection {
        self.try_connect(options).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn connect(url: &str, limits: Limits) -> Result<SqliteConnection, SqlError> {
    let event_loop = EventLoop::new().unwrap();
    now(SqliteDriver::from_url(url).unwrap().connect(&event_loop.handle(), limits))
}

pub fn query(connection: &mut SqliteConnection, sql: &str) -> Result<Executed, SqlError> {
    now(connection.query(sql, &mut Collect::default()))
}

/// Executes a statement that must succeed.
pub fn run(connection: &mut SqliteConnection, sql: &str) {
    query(connection, sql).unwrap();
}

/// All rows as text.
pub fn rows(connection: &mut SqliteConnection, sql: &str) -> Vec<Vec<Option<String>>> {
    let mut answer = Collect::default();
    now(connection.query(sql, &mut answer)).unwrap();
    answer.rows
}

/// The only field of the only row.
pub fn field(connection: &mut SqliteConnection, sql: &str) -> String {
    let mut rows = rows(connection, sql);
    assert_eq!(rows.len(), 1, "{sql}");
    rows.remove(0).remove(0).unwrap()
}
