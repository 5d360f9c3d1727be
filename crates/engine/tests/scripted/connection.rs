//! A driver for the scripted server. It waits and stamps as the real ones do.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use contract::{
    Access, BulkMethod, Connection, Dialect, Driver, ErrorClass, Executed, Limits, RowSink,
    RowSource, SqlError, Statement, StatementCount, StatementCounters, Value,
};
use eventloop::simulation::VirtualSocket;
use eventloop::{Handle, Timestamp};

use super::server::{ROUND_TRIP, Reply, Server, Welcome};

pub struct ScriptedDriver(pub Server);

pub struct ScriptedConnection {
    server: Server,
    socket: VirtualSocket,
    handle: Handle,
    limits: Limits,
    statements: Rc<[Statement]>,
    /// When the server closes it.
    closed: Timestamp,
    last_arrival: Timestamp,
    counters: StatementCounters,
    executions: Vec<u64>,
    refuses_rollback: bool,
}

/// Counts those who connect, however their attempt ends.
struct Connecting<'a>(&'a Server);

impl<'a> Connecting<'a> {
    fn begin(server: &'a Server) -> Self {
        let truth = &mut server.state().truth;
        truth.connecting += 1;
        truth.most_connecting = truth.most_connecting.max(truth.connecting);
        Self(server)
    }
}

impl Drop for Connecting<'_> {
    fn drop(&mut self) {
        self.0.state().truth.connecting -= 1;
    }
}

impl Driver for ScriptedDriver {
    type Connection = ScriptedConnection;
    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    async fn connect(
        &self,
        handle: &Handle,
        limits: Limits,
    ) -> Result<ScriptedConnection, SqlError> {
        let _connecting = Connecting::begin(&self.0);
        let (welcome, closed) = self.0.state().welcome(handle.now());
        let socket = handle.register_virtual();
        let now = handle.now();
        socket.set_readable_from(match welcome {
            Welcome::After(pause) => (now + ROUND_TRIP + pause).min(closed),
            Welcome::Refuse => now + ROUND_TRIP,
            Welcome::Hang => closed,
        });
        handle.set_deadline(handle.turn_time() + limits.connect);
        wait_for(&socket, handle).await?;
        if welcome == Welcome::Refuse {
            self.0.state().truth.refused += 1;
            return Err(SqlError::driver(ErrorClass::ConnectionRefused, "connection refused"));
        }
        if closed <= handle.now() {
            return Err(lost("the server closed the connection"));
        }
        socket.set_readable_from(closed);
        self.0.state().truth.connections += 1;
        Ok(ScriptedConnection {
            server: self.0.clone(),
            socket,
            handle: handle.clone(),
            limits,
            statements: Rc::from([]),
            closed,
            last_arrival: Timestamp::default(),
            counters: StatementCounters::default(),
            executions: Vec::new(),
            refuses_rollback: false,
        })
    }
}

/// Waits until there is something to read, or the deadline is over. What was only just asked is not
/// looked for at once, as in the real drivers.
async fn wait_for(socket: &VirtualSocket, handle: &Handle) -> Result<(), SqlError> {
    let mut just_asked = true;
    poll_fn(|_| {
        if std::mem::take(&mut just_asked) {
            return Poll::Pending;
        }
        if handle.with_read_buffer(|_| socket.is_readable(handle.now())) {
            return Poll::Ready(Ok(()));
        }
        if handle.deadline_expired() {
            return Poll::Ready(Err(SqlError::driver(ErrorClass::Timeout, "no answer in time")));
        }
        Poll::Pending
    })
    .await
}

fn deadlock() -> SqlError {
    SqlError::server(ErrorClass::Deadlock, 1213, *b"40001", "Deadlock found")
}

impl ScriptedConnection {
    async fn ask(&mut self, statement: usize) -> Result<(), SqlError> {
        let (now, sent_at) = (self.handle.now(), self.handle.turn_time());
        self.executions[statement] += 1;
        let (arrives, reply) = self.server.state().ask(statement, now, &mut self.closed);
        self.socket.set_readable_from(arrives);
        self.handle.set_deadline(sent_at + self.limits.statement);
        wait_for(&self.socket, &self.handle).await?;
        self.handle.clear_deadline();
        self.last_arrival = self.stamp(arrives, sent_at);
        self.server.state().taken(statement, reply, arrives);
        self.socket.set_readable_from(self.closed);
        match reply {
            Reply::Done => Ok(()),
            Reply::Deadlock => Err(deadlock()),
            Reply::DeadlockTwice => {
                self.refuses_rollback = true;
                Err(deadlock())
            }
            Reply::Refusal => {
                Err(SqlError::server(ErrorClass::Other, 1105, *b"HY000", "Scripted refusal"))
            }
            Reply::ReadOnly => {
                Err(SqlError::server(ErrorClass::ReadOnly, 1290, *b"HY000", "--read-only"))
            }
            Reply::Lost => Err(lost("the server closed the connection")),
        }
    }

    /// What the kernel's stamp on the wall clock makes of a time of arrival.
    fn stamp(&self, arrived: Timestamp, sent_at: Timestamp) -> Timestamp {
        let time = self.handle.wall_offset().monotonic(self.socket.wall_ns(arrived));
        time.min(self.handle.now()).max(sent_at)
    }
}

impl Connection for ScriptedConnection {
    fn server_version(&self) -> &'static str {
        "scripted"
    }

    fn leave_host(&mut self) -> bool {
        true
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.statements = Rc::clone(statements);
        self.executions = vec![0; statements.len()];
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        _: &[Value<'_>],
        _: &mut S,
    ) -> Result<Executed, SqlError> {
        self.ask(statement).await?;
        self.counters.count(Executed::Rows(1));
        Ok(Executed::Rows(1))
    }

    async fn query<S: RowSink>(&mut self, _: &str, _: &mut S) -> Result<Executed, SqlError> {
        Ok(Executed::Affected(0))
    }

    async fn begin(&mut self, _: Access) -> Result<(), SqlError> {
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), SqlError> {
        if std::mem::take(&mut self.refuses_rollback) { Err(deadlock()) } else { Ok(()) }
    }

    async fn load(
        &mut self,
        _: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        Ok((0, method))
    }

    fn last_arrival(&self) -> Timestamp {
        self.last_arrival
    }

    fn has_kernel_timestamps(&self) -> bool {
        true
    }

    fn take_counters(&mut self) -> StatementCounters {
        std::mem::take(&mut self.counters)
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        let counts = self.statements.iter().zip(&mut self.executions);
        let count = |(statement, executions): (&Statement, &mut u64)| StatementCount {
            sql: statement.sql.clone(),
            executions: std::mem::take(executions),
            ..StatementCount::default()
        };
        counts.map(count).collect()
    }

    async fn close(self) {}
}

fn lost(message: &str) -> SqlError {
    SqlError::server(ErrorClass::ConnectionLost, 2013, *b"HY000", message)
}
