//! What a driver offers.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use eventloop::{Handle, Timestamp};

use crate::dataset::{BulkMethod, RowSource};
use crate::error::{ErrorClass, SqlError};
use crate::session::{Pipelining, SessionFacts};
use crate::statement::{Access, Dialect, Probe, Request, Statement};
use crate::statement_counters::{Executed, StatementCount, StatementCounters};
use crate::value::{RowSink, Value};
use crate::workload::Fact;

/// How long a driver may wait.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To connect, log in, and prepare one statement.
    pub connect: Duration,
    /// For the answer to one statement.
    pub statement: Duration,
}

/// One of the hosts among which a driver spreads its connections, and what became of it so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCount {
    /// Its name and port, or the path of its socket.
    pub host: String,
    /// Connections that were made to it.
    pub connections: u64,
    /// Attempts that came to nothing.
    pub failed_attempts: u64,
    /// Why the last of those did.
    pub last_failure: Option<String>,
}

/// How to reach a server, or several that are alike. One driver is shared by all workers.
pub trait Driver: Send + Sync + 'static {
    /// What it makes.
    type Connection: Connection + 'static;

    /// True where a statement blocks its thread; the engine then gives each client its own.
    const BLOCKING: bool;

    /// The server's SQL.
    fn dialect(&self) -> Dialect;

    /// The hosts that connections go to, and what became of them; nothing for what has none.
    fn hosts(&self) -> Vec<HostCount> {
        Vec::new()
    }

    /// Whether prepared statements share round trips, as far as it was tried out.
    fn pipelining(&self) -> Pipelining {
        Pipelining::Off
    }

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

    /// Which of [`Driver::hosts`] it leads to.
    fn host(&self) -> usize {
        0
    }

    /// Has later connections go to other hosts for a while, because this one takes no writes. Where there
    /// is no other, its name or address may lead to another server now. False where none ever does.
    fn leave_host(&mut self) -> bool {
        false
    }

    /// Makes statements ready; [`execute`](Self::execute) names them by their index.
    fn prepare(
        &mut self,
        statements: &Rc<[Statement]>,
    ) -> impl Future<Output = Result<(), SqlError>>;

    /// Makes them ready again on a server that no longer knows them, and sets the session up as at
    /// first. What they did so far still counts.
    fn prepare_anew(&mut self) -> impl Future<Output = Result<(), SqlError>> {
        async { Ok(()) }
    }

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

    /// Whether a transaction is open, as far as the server has said.
    fn in_transaction(&self) -> bool {
        false
    }

    /// Asks the server what the connection runs with; an error where that is not what it was set to.
    fn describe_session(&mut self) -> impl Future<Output = Result<SessionFacts, SqlError>> {
        async { Ok(SessionFacts { isolation: None, autocommit: true }) }
    }

    /// Whether statements are to be handed over together where none needs another's answer: by
    /// [`queue`](Self::queue) and [`flush`](Self::flush).
    fn sends_batches(&self) -> bool {
        false
    }

    /// Whether statements may be handed over in the same way although nobody asked for it. A COMMIT
    /// must not be among them: what follows an error may be carried out all the same, in a
    /// transaction that has then to be rolled back.
    fn pipelines(&self) -> bool {
        false
    }

    /// Tries out whether the server takes several of the prepared statements in one round trip, and
    /// answers them in their order; [`Driver::pipelining`] then says it. Asked once, of one connection.
    /// Returns whether this one can still be used.
    fn try_out(&mut self, _probes: &[Probe]) -> impl Future<Output = bool> {
        async { true }
    }

    /// Puts a request behind those that the next [`flush`](Self::flush) sends.
    fn queue(&mut self, _request: Request<'_>) -> Result<(), SqlError> {
        let message = "this connection sends one statement at a time";
        Err(SqlError::driver(ErrorClass::InvalidStatement, message))
    }

    /// Sends what was queued in one go and waits for all answers; the sink is told
    /// [whose rows](RowSink::rows_of) it is given. `results` is overwritten with what each
    /// [`Request::Execute`] did. The first error is told, and the sink may be given rows after it;
    /// where the connection [`sends_batches`](Self::sends_batches) it ends the batch, and nothing
    /// behind it is carried out. [`Limits::statement`] holds for each answer by itself.
    fn flush<S: RowSink>(
        &mut self,
        _sink: &mut S,
        _results: &mut Vec<Executed>,
    ) -> impl Future<Output = Result<(), SqlError>> {
        async { Ok(()) }
    }

    /// Sends rows by the fastest way that `method` allows; returns how many, and the way taken. Where
    /// a transaction is open they belong to it, and the caller ends it.
    fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> impl Future<Output = Result<(u64, BulkMethod), SqlError>>;

    /// Why the server would not have its own bulk format, where [`BulkMethod::Auto`] then took INSERT.
    fn bulk_refusal(&self) -> Option<&SqlError> {
        None
    }

    /// When the last answer arrived: the kernel's time where the socket gives one.
    fn last_arrival(&self) -> Timestamp;

    /// Whether [`last_arrival`](Self::last_arrival) is the kernel's time.
    fn has_kernel_timestamps(&self) -> bool;

    /// Statements that succeeded since this was last asked.
    fn take_counters(&mut self) -> StatementCounters;

    /// Every statement sent since the connection was made, or since this was last asked.
    fn take_statement_counts(&mut self) -> Vec<StatementCount>;

    /// What else the driver has counted, by name, since this was last asked.
    fn take_facts(&mut self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// Says goodbye.
    fn close(self) -> impl Future<Output = ()>;
}
