//! A scripted server over real sockets, with a driver and a workload of one statement to match.
//!
//! A request is one byte; the answer is one byte: `0` for done, anything else for an error of the
//! script's. What the server does is decided by a script that sees the number of the request and the
//! time since the first one.

#![allow(dead_code, reason = "each test file uses a part of this")]

pub mod outcome;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use contract::{
    Access, BulkMethod, Client, Connection, Dialect, Driver, Ending, ErrorClass, Executed, Fact,
    Limits, RowSink, RowSource, SqlError, Statement, StatementCount, Tally, Value, Workload,
};
use eventloop::{Handle, Registration, Timestamp};
use random::{Purpose, Stream};

/// What the server does with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    Answer,
    AnswerAfter(Duration),
    Deadlock,
    Refuse,
    Hang,
    CutConnection,
    AnswerAndClose,
}

type Script = dyn Fn(u64, Duration) -> Reaction + Send + Sync;

/// Listens on a loopback port until the test process ends.
pub fn serve(script: impl Fn(u64, Duration) -> Reaction + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let script: Arc<Script> = Arc::new(script);
    let requests = Arc::new(AtomicU64::new(0));
    let first = Arc::new(std::sync::OnceLock::new());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (script, requests) = (Arc::clone(&script), Arc::clone(&requests));
            let first = Arc::clone(&first);
            std::thread::spawn(move || answer(stream.unwrap(), &*script, &requests, &first));
        }
    });
    address
}

fn answer(
    mut stream: TcpStream,
    script: &Script,
    requests: &AtomicU64,
    first: &std::sync::OnceLock<Instant>,
) {
    stream.set_nodelay(true).unwrap();
    let mut request = [0];
    while stream.read_exact(&mut request).is_ok() {
        let number = requests.fetch_add(1, Ordering::SeqCst);
        let reply = match script(number, first.get_or_init(Instant::now).elapsed()) {
            Reaction::Answer => 0,
            Reaction::AnswerAfter(pause) => {
                std::thread::sleep(pause);
                0
            }
            Reaction::Deadlock => 1,
            Reaction::Refuse => 2,
            Reaction::Hang => {
                std::thread::sleep(Duration::from_hours(1));
                0
            }
            Reaction::CutConnection => return,
            Reaction::AnswerAndClose => {
                let _ = stream.write_all(&[0]);
                return;
            }
        };
        if stream.write_all(&[reply]).is_err() {
            return;
        }
    }
}

pub struct ScriptedDriver(pub SocketAddr);

pub struct ScriptedConnection {
    stream: TcpStream,
    handle: Handle,
    _registration: Registration,
    limit: Duration,
    last_arrival: Timestamp,
    tally: Tally,
    executions: u64,
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
        let refused = |error: std::io::Error| {
            SqlError::driver(ErrorClass::ConnectionRefused, error.to_string())
        };
        let stream = TcpStream::connect(self.0).map_err(refused)?;
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        Ok(ScriptedConnection {
            _registration: handle.register(&stream).unwrap(),
            stream,
            handle: handle.clone(),
            limit: limits.statement,
            last_arrival: Timestamp::default(),
            tally: Tally::default(),
            executions: 0,
        })
    }
}

impl Connection for ScriptedConnection {
    fn server_version(&self) -> &'static str {
        "scripted"
    }

    async fn prepare(&mut self, _: &Rc<[Statement]>) -> Result<(), SqlError> {
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        _: usize,
        _: &[Value<'_>],
        _: &mut S,
    ) -> Result<Executed, SqlError> {
        self.executions += 1;
        self.stream.write_all(b"?").map_err(|error| lost(&error.to_string()))?;
        self.handle.set_deadline(self.handle.turn_time() + self.limit);
        let mut reply = [0];
        let (handle, stream) = (self.handle.clone(), &mut self.stream);
        let read = handle
            .park_until(|| match stream.read(&mut reply) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => handle
                    .deadline_expired()
                    .then(|| Err(SqlError::driver(ErrorClass::Timeout, "no answer in time"))),
                Err(error) => Some(Err(lost(&error.to_string()))),
                Ok(0) => Some(Err(lost("the server closed the connection"))),
                Ok(_) => Some(Ok(())),
            })
            .await;
        self.handle.clear_deadline();
        read?;
        self.last_arrival = Timestamp::now();
        match reply[0] {
            0 => {
                self.tally.count(Executed::Rows(1));
                Ok(Executed::Rows(1))
            }
            1 => Err(SqlError::server(ErrorClass::Deadlock, 1213, *b"40001", "Deadlock found")),
            _ => Err(SqlError::server(ErrorClass::Other, 1105, *b"HY000", "Scripted refusal")),
        }
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
        Ok(())
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
        false
    }

    fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        let executions = std::mem::take(&mut self.executions);
        vec![StatementCount { sql: "?".to_owned(), executions, rows: 0, affected: 0 }]
    }

    async fn close(self) {}
}

fn lost(message: &str) -> SqlError {
    SqlError::server(ErrorClass::ConnectionLost, 2013, *b"HY000", message)
}

/// One statement a transaction; remembers what it drew and what it sent.
pub struct OneStatement {
    pub log: Arc<std::sync::Mutex<Vec<(u64, u64)>>>,
}

pub struct OneStatementClient {
    index: u64,
    inputs: Stream,
    drawn: u64,
    log: Arc<std::sync::Mutex<Vec<(u64, u64)>>>,
    executed: u64,
}

impl Workload for OneStatement {
    type Client = OneStatementClient;

    fn transactions(&self) -> Vec<String> {
        vec!["one".to_owned()]
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([Statement { sql: "?".to_owned() }])
    }

    fn client(&self, seed: u64, index: u64, _: u64) -> OneStatementClient {
        OneStatementClient {
            index,
            inputs: Stream::new(seed, Purpose::Inputs, index),
            drawn: 0,
            log: Arc::clone(&self.log),
            executed: 0,
        }
    }
}

impl Client for OneStatementClient {
    fn draw(&mut self, _: usize) {
        self.drawn = self.inputs.bits();
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        self.log.lock().unwrap().push((self.index, self.drawn));
        self.executed += 1;
        connection.execute(0, &[], &mut contract::Discard).await?;
        Ok(Ending::Committed)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("executed", Fact::Count(self.executed))]
    }
}
