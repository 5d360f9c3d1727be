//! A connection that answers at once and writes down what it was asked.

#[path = "../../call/mod.rs"]
mod call;

use std::rc::Rc;

use contract::{
    Access, BulkMethod, Client as _, Connection, Dialect, Discard, Ending, ErrorClass, Executed,
    Request, Row, RowSink, RowSource, SqlError, Statement, StatementCount, StatementCounters,
    Value, Verb, Workload,
};
use eventloop::Timestamp;
use serde_json::Value as Json;
use workload::sysbench::Sysbench;

pub use call::{Call, at_once, draw_next};

/// Answers as a server with all rows of a table does: a range has all its rows, a write changes one.
pub struct Recorder {
    pub calls: Vec<Call>,
    pub counters: StatementCounters,
    /// Statements travel together, as with the protocol `multi`.
    pub together: bool,
    /// How many calls each round trip carried.
    pub round_trips: Vec<usize>,
    /// Statements with this text fail, and nothing is carried out that was sent behind one.
    pub failing: Option<&'static str>,
    /// As what they fail.
    pub failure: ErrorClass,
    queue: Vec<Call>,
    statements: Rc<[Statement]>,
}

/// What every SELECT gives: one row, with this number.
pub const NUMBER_READ: i64 = 5;

struct OneNumber;

impl Row for OneNumber {
    fn columns(&self) -> usize {
        1
    }

    fn int(&self, _: usize) -> Result<Option<i64>, SqlError> {
        Ok(Some(NUMBER_READ))
    }

    fn text(&self, _: usize, text: &mut String) -> Result<bool, SqlError> {
        text.push_str(&NUMBER_READ.to_string());
        Ok(true)
    }
}

impl Recorder {
    pub fn new(statements: Rc<[Statement]>) -> Self {
        Self {
            calls: Vec::new(),
            counters: StatementCounters::default(),
            together: false,
            round_trips: Vec::new(),
            failing: None,
            failure: ErrorClass::Deadlock,
            queue: Vec::new(),
            statements,
        }
    }

    /// Carries out what one round trip carries.
    fn alone<S: RowSink>(
        &mut self,
        sql: &str,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        assert!(self.queue.is_empty(), "{sql} is sent before what waits");
        self.round_trips.push(1);
        let executed = self.answer(sql, parameters);
        self.refuse(sql)?;
        if sql.starts_with("SELECT") {
            sink.row(&OneNumber)?;
        }
        Ok(executed)
    }

    fn refuse(&self, sql: &str) -> Result<(), SqlError> {
        match self.failing {
            Some(failing) if sql.contains(failing) => {
                Err(SqlError::driver(self.failure, "refused"))
            }
            _ => Ok(()),
        }
    }

    fn answer_call(&mut self, call: &Call) -> Executed {
        let executed = if call.is("SELECT") { Executed::Rows(1) } else { Executed::Affected(1) };
        self.counters.count_of(Verb::of(&call.sql, Dialect::MySql), executed);
        self.calls.push(call.clone());
        executed
    }

    fn answer(&mut self, sql: &str, parameters: &[Value<'_>]) -> Executed {
        let executed = match (sql.split(' ').next(), parameters) {
            (Some("SELECT"), [Value::Int(first), Value::Int(last)]) if !sql.contains("SUM") => {
                Executed::Rows((last - first + 1).unsigned_abs())
            }
            (Some("SELECT"), _) => Executed::Rows(1),
            (Some("BEGIN" | "COMMIT"), _) => Executed::Affected(0),
            _ => Executed::Affected(1),
        };
        self.counters.count_of(Verb::of(sql, Dialect::MySql), executed);
        self.calls.push(Call::new(sql, parameters));
        executed
    }
}

impl Connection for Recorder {
    fn server_version(&self) -> &'static str {
        "recorder"
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.statements = Rc::clone(statements);
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let sql = self.statements[statement].sql.clone();
        assert_eq!(sql.matches('?').count(), parameters.len(), "{sql}");
        self.alone(&sql, parameters, sink)
    }

    async fn query<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        self.alone(sql, &[], sink)
    }

    async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.alone(&format!("BEGIN {access:?}"), &[], &mut Discard).map(drop)
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        self.alone("COMMIT", &[], &mut Discard).map(drop)
    }

    /// Forgets what was queued, as the drivers do.
    async fn rollback(&mut self) -> Result<(), SqlError> {
        self.queue.clear();
        self.alone("ROLLBACK", &[], &mut Discard).map(drop)
    }

    fn sends_batches(&self) -> bool {
        self.together
    }

    fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        assert!(self.together, "nobody asked for it");
        self.queue.push(match request {
            Request::Begin(access) => Call::new(format!("BEGIN {access:?}"), &[]),
            Request::Execute { statement, parameters } => {
                Call::prepared(&self.statements[statement].sql, parameters)
            }
            Request::Commit => Call::new("COMMIT", &[]),
        });
        Ok(())
    }

    async fn flush<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        results.clear();
        let queue = std::mem::take(&mut self.queue);
        assert!(!queue.is_empty(), "nothing to be sent");
        self.round_trips.push(queue.len());
        for call in queue {
            let executed = self.answer_call(&call);
            self.refuse(&call.sql)?;
            if call.is("BEGIN") || call.is("COMMIT") {
                continue;
            }
            sink.rows_of(results.len());
            if call.is("SELECT") {
                sink.row(&OneNumber)?;
            }
            results.push(executed);
        }
        Ok(())
    }

    async fn load(
        &mut self,
        _: &mut dyn RowSource,
        _: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        unreachable!("a client never loads")
    }

    fn last_arrival(&self) -> Timestamp {
        Timestamp::default()
    }

    fn has_kernel_timestamps(&self) -> bool {
        false
    }

    fn take_counters(&mut self) -> StatementCounters {
        std::mem::take(&mut self.counters)
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        Vec::new()
    }

    async fn close(self) {}
}

/// A workload that options describe, all others at their defaults.
pub fn sysbench(options: Json) -> Sysbench {
    Sysbench::new(serde_json::from_value(options).unwrap()).unwrap()
}

/// Run transactions of one client; the calls of each.
pub fn run(
    workload: &Sysbench,
    index: u64,
    transactions: usize,
) -> Vec<(Vec<Call>, StatementCounters)> {
    let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
    let mut client = workload.client(42, index, 4);
    let mut transaction = || {
        assert_eq!(draw_next(&mut client), 0);
        assert_eq!(at_once(client.execute(&mut recorder)).unwrap(), Ending::Committed);
        (std::mem::take(&mut recorder.calls), std::mem::take(&mut recorder.counters))
    };
    (0..transactions).map(|_| transaction()).collect()
}

/// The statements of one transaction on one table, without parameters.
pub fn statements(options: Json) -> (Vec<String>, StatementCounters) {
    let (calls, counters) = run(&sysbench(options), 0, 1).remove(0);
    (calls.into_iter().map(|call| call.sql).collect(), counters)
}
