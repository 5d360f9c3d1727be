//! A connection that answers at once and writes down what it was asked.

#[path = "../call/mod.rs"]
mod call;

use std::rc::Rc;

use contract::{
    Access, BulkMethod, Client as _, Connection, Dialect, Ending, Executed, RowSink, RowSource,
    SqlError, Statement, StatementCount, StatementCounters, Value, Verb, Workload,
};
use eventloop::Timestamp;
use serde_json::Value as Json;
use workload::sysbench::Sysbench;

pub use call::{Call, at_once, draw_next};

/// Answers as a server with all rows of a table does: a range has all its rows, a write changes one.
pub struct Recorder {
    pub calls: Vec<Call>,
    pub counters: StatementCounters,
    statements: Rc<[Statement]>,
}

impl Recorder {
    pub fn new(statements: Rc<[Statement]>) -> Self {
        Self { calls: Vec::new(), counters: StatementCounters::default(), statements }
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
        self.counters.count_of(Verb::of(sql), executed);
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
        _: &mut S,
    ) -> Result<Executed, SqlError> {
        let sql = self.statements[statement].sql.clone();
        assert_eq!(sql.matches('?').count(), parameters.len(), "{sql}");
        Ok(self.answer(&sql, parameters))
    }

    async fn query<S: RowSink>(&mut self, sql: &str, _: &mut S) -> Result<Executed, SqlError> {
        Ok(self.answer(sql, &[]))
    }

    async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.answer(&format!("BEGIN {access:?}"), &[]);
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        self.answer("COMMIT", &[]);
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), SqlError> {
        self.answer("ROLLBACK", &[]);
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
