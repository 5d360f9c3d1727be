//! What a driver offers.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use eventloop::{Handle, Timestamp};

use crate::dataset::{BulkMethod, RowSource};
use crate::error::SqlError;
use crate::value::{RowSink, Value};

/// Which SQL a server speaks, where a statement must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `MariaDB`, `MySQL` and their relatives.
    MySql,
    /// `SQLite`.
    Sqlite,
    /// `PostgreSQL` and its relatives.
    PostgreSql,
}

/// The first word of a statement: what servers count them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// SELECT
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// BEGIN, START TRANSACTION
    Begin,
    /// COMMIT
    Commit,
    /// ROLLBACK
    Rollback,
    /// Anything else.
    Other,
}

impl Verb {
    /// The verb of a statement.
    pub fn of(sql: &str) -> Self {
        let word = sql.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
        match word.as_str() {
            "select" => Self::Select,
            "insert" => Self::Insert,
            "update" => Self::Update,
            "delete" => Self::Delete,
            "begin" | "start" => Self::Begin,
            "commit" => Self::Commit,
            "rollback" => Self::Rollback,
            _ => Self::Other,
        }
    }

    /// Whether such a statement is there to change rows.
    pub fn writes(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Delete)
    }

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Begin => "begin",
            Self::Commit => "commit",
            Self::Rollback => "rollback",
            Self::Other => "other",
        }
    }
}

/// A statement that a workload will execute many times. Parameters are written `?` for every
/// server; a driver whose server wants another form changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text.
    pub sql: String,
}

/// Whether a transaction will write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    ReadOnly,
    /// It may write.
    ReadWrite,
}

/// What a statement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It returned a result set of so many rows.
    Rows(u64),
    /// It returned none, and changed so many rows.
    Affected(u64),
}

/// Statements by what they did, counted as sysbench does: a *read* returned a result set, a *write*
/// changed at least one row, everything else (BEGIN, COMMIT, an UPDATE that found nothing) is
/// *other*. Only statements that succeeded.
///
/// Under that rule an UPDATE that finds nothing is no write, so that a benchmark on an empty table
/// looks like one that commits very often. How many there are of these is counted beside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Returned a result set.
    pub read: u64,
    /// Changed rows.
    pub write: u64,
    /// Did neither.
    pub other: u64,
    /// Of the others, those that might have changed rows.
    pub unchanged: u64,
}

impl Tally {
    /// Counts one statement that succeeded, and that reads or changes rows.
    #[inline]
    pub fn count(&mut self, executed: Executed) {
        match executed {
            Executed::Rows(_) => self.read += 1,
            Executed::Affected(0) => {
                self.other += 1;
                self.unchanged += 1;
            }
            Executed::Affected(_) => self.write += 1,
        }
    }

    /// Counts one statement that succeeded and may be of another kind than those that read or change
    /// rows: BEGIN has changed nothing because it could not.
    #[inline]
    pub fn count_of(&mut self, verb: Verb, executed: Executed) {
        match executed {
            Executed::Affected(0) if !verb.writes() => self.other += 1,
            _ => self.count(executed),
        }
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, tally: Tally) {
        self.read += tally.read;
        self.write += tally.write;
        self.other += tally.other;
        self.unchanged += tally.unchanged;
    }
}

/// How often one statement was sent over a connection's life, whether or not it succeeded, as
/// servers count it; and the rows of those that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementCount {
    /// The statement's text.
    pub sql: String,
    /// Times sent.
    pub executions: u64,
    /// Rows returned.
    pub rows: u64,
    /// Rows changed.
    pub affected: u64,
}

/// How long a driver may wait.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To connect, log in, and prepare one statement.
    pub connect: Duration,
    /// For the answer to one statement.
    pub statement: Duration,
}

/// How to reach a server. One driver is shared by all workers.
pub trait Driver: Send + Sync + 'static {
    /// What it makes.
    type Connection: Connection + 'static;

    /// True where a statement blocks its thread; the engine then gives each client its own.
    const BLOCKING: bool;

    /// The server's SQL.
    fn dialect(&self) -> Dialect;

    /// Connects and logs in, waiting on the loop of `handle`.
    fn connect(
        &self,
        handle: &Handle,
        limits: Limits,
    ) -> impl Future<Output = Result<Self::Connection, SqlError>>;
}

/// One connection. After an error whose class [ends the connection] it must be dropped.
///
/// [ends the connection]: crate::ErrorClass::ends_connection
pub trait Connection {
    /// The server's own version string.
    fn server_version(&self) -> &str;

    /// Makes statements ready; [`execute`](Self::execute) names them by their index.
    fn prepare(
        &mut self,
        statements: &Rc<[Statement]>,
    ) -> impl Future<Output = Result<(), SqlError>>;

    /// Executes a prepared statement.
    fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> impl Future<Output = Result<Executed, SqlError>>;

    /// Executes a statement once, as text, without parameters.
    fn query<S: RowSink>(
        &mut self,
        sql: &str,
        sink: &mut S,
    ) -> impl Future<Output = Result<Executed, SqlError>>;

    /// Opens a transaction.
    fn begin(&mut self, access: Access) -> impl Future<Output = Result<(), SqlError>>;

    /// Commits it.
    fn commit(&mut self) -> impl Future<Output = Result<(), SqlError>>;

    /// Rolls it back; does nothing where none is open.
    fn rollback(&mut self) -> impl Future<Output = Result<(), SqlError>>;

    /// Sends rows by the fastest way that `method` allows; returns how many, and the way taken.
    fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> impl Future<Output = Result<(u64, BulkMethod), SqlError>>;

    /// When the last answer arrived: the kernel's time where the socket gives one.
    fn last_arrival(&self) -> Timestamp;

    /// Whether [`last_arrival`](Self::last_arrival) is the kernel's time.
    fn has_kernel_timestamps(&self) -> bool;

    /// Statements that succeeded since this was last asked.
    fn take_tally(&mut self) -> Tally;

    /// Every statement sent since the connection was made, or since this was last asked.
    fn take_statement_counts(&mut self) -> Vec<StatementCount>;

    /// Says goodbye.
    fn close(self) -> impl Future<Output = ()>;
}
