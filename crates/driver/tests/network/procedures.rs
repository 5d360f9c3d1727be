//! Procedures and functions, which may return more than one result set.

use contract::{Access, Connection, Discard, ErrorClass, Executed, Request, SessionOptions, Value};
use driver::Protocol;

use crate::support::transactions::{ByStatement, queue};
use crate::support::{connect, execute_all, query_error, rows, run, statements, value};
use crate::{mysql_server, postgres_server};

const PROTOCOLS: [Protocol; 2] = [Protocol::Prepared, Protocol::Text];

const TABLE: [&str; 2] =
    ["CREATE TABLE t (id INT PRIMARY KEY, k INT)", "INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"];

/// The first returns two result sets, of unlike columns, and writes between them; the second returns
/// none; the third fails behind a result set.
const OF_MYSQL: [&str; 3] = [
    "CREATE PROCEDURE several(n INT) BEGIN \
     SELECT n AS asked; UPDATE t SET k = k + 1 WHERE id <= n; \
     SELECT id, k, 'text' AS more FROM t WHERE id <= n ORDER BY id; END",
    "CREATE PROCEDURE silent(n INT) UPDATE t SET k = k + 1 WHERE id = n",
    "CREATE PROCEDURE fails(n INT) BEGIN SELECT n; SIGNAL SQLSTATE '45000'; END",
];

const CALLS: [&str; 4] = [
    "CALL several(?)",
    "/* second */ call silent(?)",
    "SELECT id FROM t WHERE id = ?",
    "CALL fails(?)",
];
const SEVERAL: usize = 0;
const SILENT: usize = 1;
const SELECT: usize = 2;
const FAILS: usize = 3;

#[test]
fn all_result_sets_of_a_procedure_belong_to_its_call() {
    let server = mysql_server::Server::start(&[]);
    let mut make = TABLE.to_vec();
    make.extend(OF_MYSQL);
    let root = server.driver(Protocol::Text);
    run(|handle| async move { execute_all(&mut connect(&root, &handle).await, &make).await });
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        let firsts: Vec<i64> = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&CALLS)).await.unwrap();
            connection.take_statement_counts();
            let mut seen = ByStatement::default();
            // Columns need not be sent again: each result set has its own all the same.
            for _ in 0..3 {
                let several = connection.execute(SEVERAL, &[Value::Int(2)], &mut seen).await;
                assert_eq!(several.unwrap(), Executed::Rows(3));
                let silent = connection.execute(SILENT, &[Value::Int(9)], &mut Discard).await;
                assert_eq!(silent.unwrap(), Executed::Affected(0));
                let error = connection.execute(FAILS, &[Value::Int(1)], &mut Discard).await;
                assert_eq!(error.unwrap_err().sqlstate(), "45000");
                let select = connection.execute(SELECT, &[Value::Int(3)], &mut seen).await;
                assert_eq!(select.unwrap(), Executed::Rows(1));
            }
            assert_eq!(rows(&mut connection, "CALL several(3)").await.len(), 4);
            let counters = connection.take_counters();
            assert_eq!((counters.read, counters.other, counters.round_trips), (7, 3, 10));
            let counts = connection.take_statement_counts();
            assert_eq!((counts[SEVERAL].executions, counts[SEVERAL].rows), (3, 9));
            seen.rows.iter().map(|(_, first)| *first).collect()
        });
        assert_eq!(firsts, [2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3], "{protocol:?}");
    }
}

#[test]
fn calls_travel_with_other_statements() {
    let server = mysql_server::Server::start(&[]);
    let mut make = TABLE.to_vec();
    make.extend(OF_MYSQL);
    let root = server.driver(Protocol::Text);
    run(|handle| async move { execute_all(&mut connect(&root, &handle).await, &make).await });
    // As one text, and as packets one behind the other.
    let pipelined = SessionOptions { autocommit: false, ..SessionOptions::default() };
    for driver in
        [server.driver(Protocol::Multi), server.driver(Protocol::Prepared).with_session(pipelined)]
    {
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&CALLS)).await.unwrap();
            connection.describe_session().await.unwrap();
            connection.rollback().await.unwrap();
            for _ in 0..2 {
                let (mut seen, mut results) = (ByStatement::default(), Vec::new());
                if connection.sends_batches() {
                    connection.queue(Request::Begin(Access::ReadWrite)).unwrap();
                }
                for (statement, parameter) in
                    [(SEVERAL, 1), (SELECT, 3), (SILENT, 1), (SEVERAL, 2), (SELECT, 2)]
                {
                    queue(&mut connection, statement, &[parameter]);
                }
                connection.flush(&mut seen, &mut results).await.unwrap();
                let found = [(0, 1), (0, 1), (1, 3), (3, 2), (3, 1), (3, 2), (4, 2)];
                assert_eq!(seen.rows, found);
                let rows = Executed::Rows;
                assert_eq!(results, [rows(2), rows(1), Executed::Affected(1), rows(3), rows(1)]);
                connection.commit().await.unwrap();
            }
            queue(&mut connection, SELECT, &[1]);
            queue(&mut connection, FAILS, &[1]);
            let failed = connection.flush(&mut Discard, &mut Vec::new()).await.unwrap_err();
            assert_eq!(failed.class(), ErrorClass::Other, "{failed}");
            connection.rollback().await.unwrap();
            assert_eq!(value(&mut connection, "SELECT MAX(id) FROM t").await, "3");
        });
    }
}

/// What only looks like one statement is found out by the number of answers.
#[test]
fn answers_that_belong_to_no_statement_are_no_success() {
    let server = mysql_server::Server::start(&[]);
    let mut make = TABLE.to_vec();
    make.extend(OF_MYSQL);
    let root = server.driver(Protocol::Text);
    run(|handle| async move { execute_all(&mut connect(&root, &handle).await, &make).await });
    for sql in [
        "SET STATEMENT max_statement_time=9 FOR CALL several(1)",
        "EXECUTE IMMEDIATE 'CALL several(1)'",
        "BEGIN NOT ATOMIC SELECT 1; SELECT 2; END",
    ] {
        let driver = server.driver(Protocol::Multi);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&[sql, CALLS[SELECT]])).await.unwrap();
            connection.queue(Request::Execute { statement: 0, parameters: &[] }).unwrap();
            queue(&mut connection, 1, &[3]);
            let flushed = connection.flush(&mut Discard, &mut Vec::new()).await;
            let error = flushed.expect_err(sql);
            assert!(error.message().contains("2 statements were sent together, and "), "{error}");
        });
    }
}

#[test]
fn procedures_and_functions_of_postgresql_are_called() {
    let server = postgres_server::Server::start(&[]);
    let mut make = TABLE.to_vec();
    make.extend([
        "CREATE FUNCTION several(n INT) RETURNS SETOF INT LANGUAGE sql AS \
         'SELECT id FROM t WHERE id <= n ORDER BY id'",
        "CREATE PROCEDURE silent(n INT) LANGUAGE sql AS 'UPDATE t SET k = k + 1 WHERE id = n'",
        "CREATE PROCEDURE answers(INOUT n INT) LANGUAGE plpgsql AS 'BEGIN n := n + 1; END'",
        "CREATE PROCEDURE fails(n INT) LANGUAGE plpgsql AS \
         'BEGIN RAISE EXCEPTION USING ERRCODE = ''45000''; END'",
    ]);
    let root = server.driver(Protocol::Text);
    run(|handle| async move { execute_all(&mut connect(&root, &handle).await, &make).await });
    let calls = ["SELECT several(?::int)", "CALL silent(?::int)", "CALL answers(?::int)"];
    for protocol in [Protocol::Prepared, Protocol::Text, Protocol::Multi] {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&calls)).await.unwrap();
            let mut seen = ByStatement::default();
            let mut results = Vec::new();
            for (statement, parameter) in [(0, 2), (1, 1), (2, 7)] {
                if connection.sends_batches() {
                    queue(&mut connection, statement, &[parameter]);
                } else {
                    let parameter = [Value::Int(parameter)];
                    let executed = connection.execute(statement, &parameter, &mut seen).await;
                    results.push(executed.unwrap());
                }
            }
            if connection.sends_batches() {
                connection.flush(&mut seen, &mut results).await.unwrap();
            }
            let expected = [Executed::Rows(2), Executed::Affected(0), Executed::Rows(1)];
            assert_eq!(results, expected, "{protocol:?}");
            assert_eq!(seen.rows.iter().map(|(_, first)| *first).collect::<Vec<_>>(), [1, 2, 8]);
            assert_eq!(query_error(&mut connection, "CALL fails(1)").await.sqlstate(), "45000");
            assert_eq!(value(&mut connection, "SELECT k FROM t WHERE id = 1").await.len(), 1);
        });
    }
}
