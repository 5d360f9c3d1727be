//! Transactions that mean the same on every server, on a table `t` with the columns `id` and `k`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use contract::{
    Access, Connection, Discard, Driver, ErrorClass, Executed, Request, Row, RowSink, SqlError,
    StatementCounters, Value,
};
use eventloop::{Handle, Timestamp};

use super::{connect, execute_all, run, run_all, statements, value};

pub const CREATE: &str = "CREATE TABLE t (id INT PRIMARY KEY, k INT)";

/// Sixteen statements that succeed, of which some find nothing, and an INSERT that fails.
pub async fn work<C: Connection>(connection: &mut C) {
    let texts = [
        "SELECT id, k FROM t WHERE id <= ?",
        "INSERT INTO t VALUES (?, ?)",
        "UPDATE t SET k = k + 1 WHERE id = ?",
        "DELETE FROM t WHERE id = ?",
    ];
    connection.prepare(&statements(&texts)).await.unwrap();
    connection.begin(Access::ReadWrite).await.unwrap();
    for id in 0..3 {
        let executed = connection.execute(1, &[Value::Int(id), Value::Int(0)], &mut Discard).await;
        assert_eq!(executed.unwrap(), Executed::Affected(1));
    }
    connection.commit().await.unwrap();
    let again = connection.execute(1, &[Value::Int(1), Value::Null], &mut Discard).await;
    assert_eq!(again.unwrap_err().class(), ErrorClass::DuplicateKey);
    connection.begin(Access::ReadOnly).await.unwrap();
    for last in (-1..4).rev() {
        connection.execute(0, &[Value::Int(last)], &mut Discard).await.unwrap();
    }
    connection.rollback().await.unwrap();
    // Nothing is open any more: nothing is sent.
    connection.rollback().await.unwrap();
    for id in [1, 9] {
        connection.execute(2, &[Value::Int(id)], &mut Discard).await.unwrap();
        connection.execute(3, &[Value::Int(id)], &mut Discard).await.unwrap();
    }
}

/// What is counted of a batch: BEGIN, an update that finds a row and one that does not, COMMIT.
pub async fn batch<C: Connection>(connection: &mut C) -> StatementCounters {
    execute_all(connection, &[CREATE, "INSERT INTO t VALUES (0, 0)"]).await;
    let update = statements(&["UPDATE t SET k = k + 1 WHERE id = ?"]);
    connection.prepare(&update).await.unwrap();
    connection.take_counters();
    assert!(connection.sends_batches());
    connection.queue(Request::Begin(Access::ReadWrite)).unwrap();
    for id in [0, 1] {
        let parameters = &[Value::Int(id)];
        connection.queue(Request::Execute { statement: 0, parameters }).unwrap();
    }
    connection.queue(Request::Commit).unwrap();
    connection.flush(&mut Discard, &mut Vec::new()).await.unwrap();
    connection.take_counters().counts()
}

/// What [`work`] counts.
pub const WORK: StatementCounters =
    StatementCounters { read: 5, write: 5, other: 6, unchanged: 2, round_trips: 16, unread_ns: 0 };

/// BEGIN and COMMIT change nothing because they can't.
pub const BATCH: StatementCounters =
    StatementCounters { read: 0, write: 1, other: 3, unchanged: 1, round_trips: 1, unread_ns: 0 };

/// The first columns of rows, each with the place of its statement among those sent together.
#[derive(Default)]
pub struct ByStatement {
    place: usize,
    pub rows: Vec<(usize, i64)>,
    /// Rows of this one are not wanted.
    refused: Option<usize>,
}

impl RowSink for ByStatement {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        if self.refused == Some(self.place) {
            return Err(SqlError::driver(ErrorClass::InvalidStatement, "not wanted"));
        }
        self.rows.push((self.place, row.int(0)?.unwrap()));
        Ok(())
    }

    fn rows_of(&mut self, statement: usize) {
        self.place = statement;
    }
}

/// Reads and writes travel together, and each row comes with the place of its statement.
pub async fn reads_travel_together<C: Connection>(connection: &mut C) {
    execute_all(connection, &["DROP TABLE IF EXISTS t", CREATE, "COMMIT"]).await;
    let texts = [
        "INSERT INTO t VALUES (?, ?)",
        "SELECT id, k FROM t WHERE id >= ? ORDER BY id",
        "SELECT k FROM t WHERE id = ?",
    ];
    connection.prepare(&statements(&texts)).await.unwrap();
    // Twice: columns need not be sent again. Then with a sink that refuses.
    for refused in [None, None, Some(2)] {
        connection.begin(Access::ReadWrite).await.unwrap();
        connection.take_counters();
        for (statement, parameters) in
            [(0, &[0, 5][..]), (0, &[1, 6]), (1, &[0]), (2, &[1]), (2, &[9]), (1, &[1])]
        {
            queue(connection, statement, parameters);
        }
        let (mut sink, mut results) = (ByStatement { refused, ..Default::default() }, Vec::new());
        let outcome = connection.flush(&mut sink, &mut results).await;
        let (affected, rows) = (Executed::Affected(1), Executed::Rows);
        assert_eq!(results, [affected, affected, rows(2), rows(1), rows(0), rows(1)]);
        assert_eq!(connection.take_counters().round_trips, 1);
        if refused.is_some() {
            assert!(outcome.unwrap_err().to_string().contains("not wanted"));
        } else {
            outcome.unwrap();
            assert_eq!(sink.rows, [(2, 0), (2, 1), (3, 6), (5, 1)]);
        }
        connection.rollback().await.unwrap();
    }
    // An error in their midst is told, and what was read before it is there.
    connection.begin(Access::ReadWrite).await.unwrap();
    for (statement, parameters) in [(0, &[0, 5][..]), (1, &[0]), (0, &[0, 5]), (2, &[0])] {
        queue(connection, statement, parameters);
    }
    let (mut sink, mut results) = (ByStatement::default(), Vec::new());
    let error = connection.flush(&mut sink, &mut results).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::DuplicateKey);
    assert_eq!(sink.rows[0], (1, 0));
    connection.rollback().await.unwrap();
    let executed = connection.execute(1, &[Value::Int(0)], &mut Discard).await;
    assert_eq!(executed.unwrap(), Executed::Rows(0), "all was taken back");
}

/// Puts a statement with integers behind those that the next flush sends.
pub fn queue<C: Connection>(connection: &mut C, statement: usize, parameters: &[i64]) {
    let parameters: Vec<Value<'_>> = parameters.iter().copied().map(Value::Int).collect();
    connection.queue(Request::Execute { statement, parameters: &parameters }).unwrap();
}

/// The errors of two transactions that each want what the other has. `in_transaction` is a query
/// that gives 0 outside of transactions.
pub fn deadlock<D: Driver + Clone + 'static>(
    driver: &D,
    in_transaction: &'static str,
) -> Vec<SqlError> {
    let setup = driver.clone();
    run(|handle| async move {
        let mut connection = connect(&setup, &handle).await;
        execute_all(&mut connection, &[CREATE, "INSERT INTO t VALUES (0, 0), (1, 0)"]).await;
    });
    let waiting = Rc::new(Cell::new(0));
    let tasks = [0, 1].map(|mine| {
        let (driver, waiting) = (driver.clone(), Rc::clone(&waiting));
        move |handle: Handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let update = statements(&["UPDATE t SET k = k + 1 WHERE id = ?"]);
            connection.prepare(&update).await.unwrap();
            let outcome = cross(&mut connection, mine, &waiting, &handle).await;
            connection.rollback().await.unwrap();
            assert_eq!(value(&mut connection, in_transaction).await, "0");
            outcome.err()
        }
    });
    run_all(tasks.into()).into_iter().flatten().collect()
}

/// Takes what is its own, and what the other has when both have that.
async fn cross<C: Connection>(
    connection: &mut C,
    mine: i64,
    waiting: &Cell<u32>,
    handle: &Handle,
) -> Result<(), SqlError> {
    connection.begin(Access::ReadWrite).await?;
    connection.execute(0, &[Value::Int(mine)], &mut Discard).await?;
    waiting.set(waiting.get() + 1);
    while waiting.get() < 2 {
        handle.sleep_until(Timestamp::now() + Duration::from_millis(1)).await;
    }
    connection.execute(0, &[Value::Int(1 - mine)], &mut Discard).await?;
    connection.commit().await
}
