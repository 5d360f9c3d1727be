//! An open database: its time limits, and its errors in words.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use contract::{ErrorClass, SqlError};
use eventloop::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, ffi};

use super::{error, lock_waits};

/// How many instructions of its virtual machine `SQLite` executes between two looks at the clock:
/// a fraction of a millisecond's work.
const INSTRUCTIONS_PER_LOOK: c_int = 10_000;

/// Why a wait may have been shorter than its limit.
const NO_WAIT: &str = ", and a deferred transaction that turns to writing does not wait at all";

/// `SQLite` knows no SQLSTATE; this one says "general error".
const SQLSTATE: [u8; 5] = *b"HY000";

/// A connection to a file. `SQLite` makes and ends it, statements are in `statement.rs`.
pub(super) struct Database {
    // Closed before the watch is dropped, to which SQLite holds a pointer.
    connection: Connection,
    watch: Rc<Watch>,
    busy_timeout: Duration,
}

/// Sees to it that a statement ends in time.
struct Watch {
    limit: Duration,
    /// Zero until the statement has lived long enough for a first look at the clock: a short one
    /// then reads no clock at all.
    deadline: Cell<Timestamp>,
}

impl Database {
    /// Opens a file, and makes it where it is missing.
    ///
    /// The library is built with `SQLITE_ENABLE_STAT4`. Where ANALYZE has run, it would then plan
    /// anew at each execution of a prepared range over an index, because the best plan may depend
    /// on the parameters; that doubles the cost of the statement, and a prepared statement would
    /// not be one. The query planner stability guarantee turns it off.
    pub fn open(
        path: &str,
        busy_timeout: Duration,
        statement_limit: Duration,
    ) -> Result<Self, SqlError> {
        let connection = open_file(path)
            .and_then(|connection| {
                connection.busy_timeout(busy_timeout)?;
                connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
                Ok(connection)
            })
            .map_err(|error| open_error(path, &error))?;
        let watch = Rc::new(Watch { limit: statement_limit, deadline: Cell::default() });
        let database = Self { connection, watch, busy_timeout };
        database.install_watch();
        Ok(database)
    }

    fn install_watch(&self) {
        let watch = Rc::as_ptr(&self.watch);
        // SAFETY: the watch has an address of its own, is only read through shared references, and
        // is dropped after the connection is closed. The pointer is that of a shared owner, so that
        // it stays valid when this value moves, as it would not for a box.
        unsafe {
            ffi::sqlite3_progress_handler(
                self.handle(),
                INSTRUCTIONS_PER_LOOK,
                Some(is_out_of_time),
                watch.cast_mut().cast(),
            );
        }
    }

    /// The handle for calls into the library; valid as long as this value.
    #[inline]
    pub fn handle(&self) -> *mut ffi::sqlite3 {
        // SAFETY: the handle is not used to close the connection.
        unsafe { self.connection.handle() }
    }

    /// A statement begins: its time limit counts from here.
    #[inline]
    pub fn restart_watch(&self) {
        self.watch.deadline.set(Timestamp::default());
    }

    /// Whether a transaction is open. `SQLite` ends one by itself after some errors.
    pub fn in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Rows that were changed since the connection was made, those by triggers included.
    #[inline]
    pub fn total_changes(&self) -> u64 {
        self.connection.total_changes()
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed itself.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.connection.changes()
    }

    /// What the call that just returned `code` meant by it.
    #[inline]
    pub fn check(&self, code: c_int) -> Result<(), SqlError> {
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.error(code)) }
    }

    /// The error of the call that just returned `code`.
    #[cold]
    pub fn error(&self, code: c_int) -> SqlError {
        // SAFETY: the message is never null, ends in a zero byte, and is copied at once.
        let words = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.handle())) }.to_string_lossy();
        let advice = self.advice(code);
        let message = format!("{words} ({}){advice}", error::describe(code).name);
        SqlError::server(error::class(code, &words), code, SQLSTATE, message)
    }

    /// The same error, with what was being done.
    pub fn error_during(doing: &str, error: &SqlError) -> SqlError {
        let message = format!("{doing}: {}", error.message());
        SqlError::server(error.class(), error.code(), SQLSTATE, message)
    }

    /// What `SQLite` leaves unsaid.
    fn advice(&self, code: c_int) -> String {
        match code {
            ffi::SQLITE_BUSY_SNAPSHOT => {
                ": another connection wrote after this transaction had begun to read".to_owned()
            }
            ffi::SQLITE_INTERRUPT => {
                format!(": no answer within the time limit of {:?}", self.watch.limit)
            }
            _ if error::primary(code) == ffi::SQLITE_BUSY => {
                let limit_ms = self.busy_timeout.as_millis();
                let deferred = if self.in_transaction() { NO_WAIT } else { "" };
                format!(": waits for a lock end after busy_timeout={limit_ms} ms{deferred}")
            }
            _ => String::new(),
        }
    }
}

fn open_file(path: &str) -> rusqlite::Result<Connection> {
    // A connection never leaves its thread, so the library's own mutex would only cost time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    match lock_waits::vfs() {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs),
        None => Connection::open_with_flags(path, flags),
    }
}

fn open_error(path: &str, error: &rusqlite::Error) -> SqlError {
    let directory = Path::new(path).parent().filter(|directory| !directory.as_os_str().is_empty());
    let hint = match directory {
        Some(directory) if !directory.is_dir() => format!(
            "; there is no directory {}, and an absolute path takes four slashes: sqlite:////…",
            directory.display()
        ),
        _ => String::new(),
    };
    if let rusqlite::Error::SqliteFailure(failure, _) = error {
        let code = failure.extended_code;
        let error::ResultCode { name, class, .. } = error::describe(code);
        return SqlError::server(
            *class,
            code,
            SQLSTATE,
            format!("can't open {path} ({name}){hint}"),
        );
    }
    let message = format!("can't open {path}: {error}{hint}");
    SqlError::driver(ErrorClass::ConnectionRefused, message)
}

/// Called by `SQLite` now and then; anything but zero ends the statement.
unsafe extern "C" fn is_out_of_time(watch: *mut c_void) -> c_int {
    // SAFETY: the pointer is the one that `install_watch` gave, and the watch still lives.
    let watch = unsafe { &*watch.cast::<Watch>() };
    let now = Timestamp::now();
    if watch.deadline.get() == Timestamp::default() {
        watch.deadline.set(now + watch.limit);
    }
    c_int::from(now >= watch.deadline.get())
}

#[cfg(test)]
mod tests {
    use contract::Discard;

    use super::*;
    use crate::sqlite::statement::PreparedStatement;

    /// Under Miri this looks at the pointer itself; `SQLite` is none of it.
    #[test]
    fn the_watch_is_found_where_it_was_after_its_owner_has_moved() {
        let watch = Rc::new(Watch { limit: Duration::ZERO, deadline: Cell::default() });
        let pointer = Rc::as_ptr(&watch);
        let moved = std::hint::black_box(Box::new(watch));
        moved.deadline.set(Timestamp::default());
        // SAFETY: the watch lives in `moved`.
        assert_eq!(unsafe { is_out_of_time(pointer.cast_mut().cast()) }, 1);
        assert_ne!(moved.deadline.get(), Timestamp::default());
    }

    #[test]
    fn the_time_limit_counts_from_the_beginning_of_each_statement() {
        let hour = Duration::from_hours(1);
        let database = Rc::new(Database::open(":memory:", hour, hour).unwrap());
        let execute = |sql: &str| {
            PreparedStatement::new(&database, sql).unwrap().execute(&[], &mut Discard).unwrap();
            database.watch.deadline.get()
        };
        let long = execute(
            "WITH RECURSIVE s(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM s WHERE x < 10000) \
             SELECT max(x) FROM s",
        );
        assert!(long > Timestamp::now(), "a long statement has had a look at the clock");
        assert_eq!(execute("SELECT 1"), Timestamp::default());
    }
}
