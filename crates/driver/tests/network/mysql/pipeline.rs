//! Statements that are sent without waiting for each other, on a real server.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::mysql_server::Server;
use crate::support::transactions::{queue, reads_travel_together};
use crate::support::{LIMITS, connect, execute_all, run, run_all, statements, value};
use contract::{
    Access, Collect, Connection, Discard, Driver, ErrorClass, Executed, Limits, SessionOptions,
    StatementCounters, Value,
};
use driver::Protocol;
use driver::mysql::{MysqlConnection, MysqlDriver};
use eventloop::{Handle, Timestamp};

const CREATE: &str = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";

const INSERT: usize = 0;
const UPDATE: usize = 1;
const SELECT: usize = 2;

fn pipelining(server: &Server) -> MysqlDriver {
    let session = SessionOptions { autocommit: false, ..SessionOptions::default() };
    server.driver(Protocol::Prepared).with_session(session)
}

async fn prepare(connection: &mut MysqlConnection) {
    let sql = [
        "INSERT INTO t VALUES (?, ?)",
        "UPDATE t SET v = v + ? WHERE id = ?",
        "SELECT id, v FROM t WHERE id >= ? ORDER BY id",
    ];
    connection.prepare(&statements(&sql)).await.unwrap();
    connection.take_statement_counts();
    connection.take_counters();
}

/// A connection with its statements prepared, to a new table.
async fn connect_to_table(driver: &MysqlDriver, handle: &Handle, fill: &[&str]) -> MysqlConnection {
    let mut connection = connect(driver, handle).await;
    execute_all(&mut connection, &[CREATE]).await;
    execute_all(&mut connection, fill).await;
    prepare(&mut connection).await;
    connection
}

async fn contents(connection: &mut MysqlConnection) -> String {
    let sql = "SELECT GROUP_CONCAT(CONCAT(id, '=', v) ORDER BY id) FROM t";
    let contents = value(connection, sql).await;
    connection.rollback().await.unwrap();
    contents
}

#[test]
fn statements_are_carried_out_in_their_order_in_one_round_trip() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    run(move |handle| async move {
        let mut connection = connect_to_table(&driver, &handle, &[]).await;
        assert!(connection.pipelines() && !connection.sends_batches());
        connection.begin(Access::ReadWrite).await.unwrap();
        for id in 0..20 {
            queue(&mut connection, INSERT, &[id, 10]);
            queue(&mut connection, UPDATE, &[1 + id, id]);
        }
        let mut results = Vec::new();
        connection.flush(&mut Discard, &mut results).await.unwrap();
        assert_eq!(results, [Executed::Affected(1); 40]);
        let StatementCounters { round_trips, .. } = connection.take_counters();
        assert_eq!(round_trips, 1);
        connection.commit().await.unwrap();
        assert!(contents(&mut connection).await.starts_with("0=11,1=12,2=13,"));
        let counts = connection.take_statement_counts();
        let executions = |start: &str| {
            counts.iter().filter(|c| c.sql.starts_with(start)).map(|c| c.executions).sum::<u64>()
        };
        assert_eq!((executions("INSERT"), executions("UPDATE")), (20, 20));
        let as_server_counts = "SELECT variable_value FROM information_schema.session_status \
                                WHERE variable_name = 'COM_STMT_EXECUTE'";
        assert_eq!(value(&mut connection, as_server_counts).await, "40");
    });
}

#[test]
fn rows_are_read_behind_writes_in_the_same_round_trip() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    run(move |handle| async move {
        let mut connection = connect_to_table(&driver, &handle, &[]).await;
        // Twice: columns are not sent again.
        for first in [0, 10] {
            for id in first..first + 3 {
                queue(&mut connection, INSERT, &[id, id * id]);
            }
            queue(&mut connection, SELECT, &[first]);
            let (mut answer, mut results) = (Collect::default(), Vec::new());
            connection.flush(&mut answer, &mut results).await.unwrap();
            assert_eq!(results[3], Executed::Rows(3));
            let found: Vec<_> = answer.rows.iter().map(|row| row[1].clone().unwrap()).collect();
            assert_eq!(found, [0, 1, 2].map(|id: i64| (first + id).pow(2).to_string()));
            assert_eq!(connection.take_counters().round_trips, 1);
        }
        let mut results = Vec::new();
        queue(&mut connection, SELECT, &[0]);
        connection.flush(&mut Discard, &mut results).await.unwrap();
        assert_eq!(results, [Executed::Rows(6)]);
        queue(&mut connection, INSERT, &[0, 0]);
        queue(&mut connection, SELECT, &[0]);
        let refused = connection.flush(&mut Discard, &mut results).await;
        assert_eq!(refused.unwrap_err().class(), ErrorClass::DuplicateKey);
        connection.rollback().await.unwrap();
        // What was queued and never sent is gone with its transaction.
        queue(&mut connection, INSERT, &[5, 5]);
        connection.rollback().await.unwrap();
        queue(&mut connection, SELECT, &[0]);
        connection.flush(&mut Discard, &mut results).await.unwrap();
        assert_eq!(results, [Executed::Rows(0)]);
    });
}

#[test]
fn reads_travel_together_with_writes() {
    let server = Server::start(&[]);
    let batching = server.driver(Protocol::Multi);
    for driver in [pipelining(&server), batching] {
        run(move |handle| async move {
            reads_travel_together(&mut connect(&driver, &handle).await).await;
        });
    }
}

#[test]
fn answers_are_waited_for_whatever_their_size_and_however_late_they_are() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let rows: Vec<String> = (1..=12).map(|id| format!("({id}, 0)")).collect();
        let fill = format!("INSERT INTO t VALUES {}", rows.join(","));
        execute_all(&mut connection, &[CREATE, &fill, "COMMIT"]).await;
        connection.prepare(&statements(&["UPDATE t SET v = v + ? WHERE id <= ?"])).await.unwrap();
        // "Rows matched: 12  Changed: 12" is longer than what comes after it.
        for last in [12, 1, 12] {
            for _ in 0..3 {
                queue(&mut connection, 0, &[1, last]);
            }
            let mut results = Vec::new();
            connection.flush(&mut Discard, &mut results).await.unwrap();
            assert_eq!(results, [Executed::Affected(last.cast_unsigned()); 3]);
        }
        connection.commit().await.unwrap();
        // Late, and in two pieces.
        let slow = "UPDATE t SET v = v + ? + SLEEP(0.3) WHERE id <= ?";
        connection.prepare(&statements(&[slow])).await.unwrap();
        for _ in 0..2 {
            let began = Timestamp::now();
            queue(&mut connection, 0, &[1, 1]);
            queue(&mut connection, 0, &[1, 1]);
            connection.flush(&mut Discard, &mut Vec::new()).await.unwrap();
            assert!(Timestamp::now().seconds_from(began) >= 0.6);
        }
        connection.rollback().await.unwrap();
    });
}

/// A limit is that of one statement: several that wait for locks take longer together.
#[test]
fn each_answer_has_its_own_time() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    run(move |handle| async move {
        let mut holder = connect_to_table(&driver, &handle, &["INSERT INTO t VALUES (1, 1)"]).await;
        holder.commit().await.unwrap();
        holder.execute(UPDATE, &[1, 1].map(Value::Int), &mut Discard).await.unwrap();
        let limits = Limits { statement: Duration::from_secs(3), ..LIMITS };
        let mut waiting = driver.connect(&handle, limits).await.unwrap();
        execute_all(&mut waiting, &["SET innodb_lock_wait_timeout = 2"]).await;
        prepare(&mut waiting).await;
        for _ in 0..2 {
            queue(&mut waiting, UPDATE, &[1, 1]);
        }
        let error = waiting.flush(&mut Discard, &mut Vec::new()).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::LockWaitTimeout);
        waiting.rollback().await.unwrap();
    });
}

#[test]
fn each_answer_to_one_text_has_its_own_time() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Multi);
    run(move |handle| async move {
        let limits = Limits { statement: Duration::from_secs(3), ..LIMITS };
        let mut connection = driver.connect(&handle, limits).await.unwrap();
        connection.prepare(&statements(&["SELECT SLEEP(?)"])).await.unwrap();
        for _ in 0..2 {
            queue(&mut connection, 0, &[2]);
        }
        let mut results = Vec::new();
        connection.flush(&mut Discard, &mut results).await.unwrap();
        assert_eq!(results, [Executed::Rows(1); 2]);
    });
}

#[test]
fn what_stands_behind_an_error_is_taken_back_with_the_rest() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    run(move |handle| async move {
        let fill = ["INSERT INTO t VALUES (1, 1)", "COMMIT"];
        let mut connection = connect_to_table(&driver, &handle, &fill).await;
        for id in [0, 1, 2] {
            queue(&mut connection, INSERT, &[id, 5]);
        }
        let mut results = Vec::new();
        let error = connection.flush(&mut Discard, &mut results).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::DuplicateKey);
        assert_eq!(results.len(), 2, "the third was carried out, too");
        assert_eq!(connection.take_counters().round_trips, 1, "though the first has failed");
        connection.rollback().await.unwrap();
        assert_eq!(contents(&mut connection).await, "1=1");
        // The connection goes on as if nothing had been.
        queue(&mut connection, INSERT, &[2, 5]);
        connection.flush(&mut Discard, &mut results).await.unwrap();
        connection.commit().await.unwrap();
        assert_eq!(contents(&mut connection).await, "1=1,2=5");
    });
}

/// It has opened a transaction all the same, and holds locks: the server must be told that it is over.
#[test]
fn a_first_statement_that_fails_is_rolled_back() {
    let server = Server::start(&[]);
    for protocol in [Protocol::Prepared, Protocol::Text] {
        let session = SessionOptions { autocommit: false, ..SessionOptions::default() };
        let driver = server.driver(protocol).with_session(session);
        run(move |handle| async move {
            let mut connection = connect(&driver, &handle).await;
            execute_all(&mut connection, &["DROP TABLE IF EXISTS t", CREATE]).await;
            execute_all(&mut connection, &["INSERT INTO t VALUES (1, 1)", "COMMIT"]).await;
            prepare(&mut connection).await;
            let again = [Value::Int(1), Value::Int(1)];
            let refused = connection.execute(INSERT, &again, &mut Discard).await;
            assert_eq!(refused.unwrap_err().class(), ErrorClass::DuplicateKey);
            assert!(connection.in_transaction());
            connection.rollback().await.unwrap();
            assert!(!connection.in_transaction());
            let rollbacks = "SELECT variable_value FROM information_schema.session_status \
                             WHERE variable_name = 'COM_ROLLBACK'";
            assert_eq!(value(&mut connection, rollbacks).await, "1", "{protocol:?}");
        });
    }
}

#[test]
fn what_stands_behind_a_deadlock_is_taken_back_although_its_transaction_is_over() {
    let server = Server::start(&[]);
    let driver = pipelining(&server);
    let setup = driver.clone();
    run(|handle| async move {
        let mut connection = connect(&setup, &handle).await;
        let rows = "INSERT INTO t VALUES (0, 0), (1, 0)";
        execute_all(&mut connection, &[CREATE, rows, "COMMIT"]).await;
    });
    let ready = Rc::new(Cell::new(0));
    let tasks = [0, 1].map(|mine| {
        let (driver, ready) = (driver.clone(), Rc::clone(&ready));
        move |handle: Handle| async move {
            let mut connection = connect(&driver, &handle).await;
            prepare(&mut connection).await;
            connection
                .execute(UPDATE, &[Value::Int(1), Value::Int(mine)], &mut Discard)
                .await
                .unwrap();
            ready.set(ready.get() + 1);
            while ready.get() < 2 {
                handle.sleep_until(Timestamp::now() + Duration::from_millis(1)).await;
            }
            // The other's row, on which one of them meets a deadlock, and a row that nobody holds.
            queue(&mut connection, UPDATE, &[1, 1 - mine]);
            queue(&mut connection, INSERT, &[100 + mine, 0]);
            let outcome = connection.flush(&mut Discard, &mut Vec::new()).await;
            match &outcome {
                Ok(()) => connection.commit().await.unwrap(),
                Err(_) => connection.rollback().await.unwrap(),
            }
            outcome.err().map(|error| (mine, error.class()))
        }
    });
    let victims: Vec<_> = run_all(tasks.into()).into_iter().flatten().collect();
    let [(victim, ErrorClass::Deadlock)] = victims[..] else { panic!("{victims:?}") };
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        assert_eq!(contents(&mut connection).await, format!("0=1,1=1,{}=0", 101 - victim));
    });
}
