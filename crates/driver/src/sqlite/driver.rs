//! From a URL to connections.

use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract::{Dialect, Driver, ErrorClass, Limits, SqlError};
use eventloop::Handle;

use super::connection::SqliteConnection;
use super::database::Database;
use super::pragma;
use super::url::{Options, UrlError};

/// How long a statement waits for a lock where the URL does not say.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A file, and how each connection to it is set.
#[derive(Debug)]
pub struct SqliteDriver {
    options: Options,
    /// Connections are made one after another: only a connection that is alone can change a journal
    /// mode, and many that try at the same time all fail, without waiting.
    connecting: Mutex<()>,
}

impl SqliteDriver {
    /// Reads a URL; see the [module](super) for what it may say. Nothing is opened yet.
    pub fn from_url(url: &str) -> Result<Self, UrlError> {
        Ok(Self { options: Options::parse(url)?, connecting: Mutex::new(()) })
    }

    fn open(&self, limits: Limits) -> Result<SqliteConnection, SqlError> {
        let longest = limits.connect.min(limits.statement);
        let busy_timeout = self.options.busy_timeout.unwrap_or(BUSY_TIMEOUT.min(longest));
        if busy_timeout > longest {
            let message = format!(
                "busy_timeout={} ms is longer than the time limits of {longest:?} for \
                 connecting and for a statement; make it shorter, or the limits longer",
                busy_timeout.as_millis()
            );
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        // Whoever panicked while holding it left nothing half done: there is nothing inside.
        let _alone = self.connecting.lock().unwrap_or_else(PoisonError::into_inner);
        let database = Rc::new(Database::open(&self.options.path, busy_timeout, limits.statement)?);
        pragma::apply(&database, &self.options.settings)?;
        SqliteConnection::new(database, self.options.begin)
    }
}

impl Driver for SqliteDriver {
    type Connection = SqliteConnection;

    const BLOCKING: bool = true;

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn connect(&self, _: &Handle, limits: Limits) -> Result<SqliteConnection, SqlError> {
        self.open(limits)
    }
}
