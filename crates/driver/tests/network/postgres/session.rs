//! What happens beside the answers: preparing, notices, settings that change.

use crate::postgres_server::Server;
use crate::support::transactions::{queue, reads_travel_together};
use crate::support::{connect, execute_all, query_error, rows, run, statements, value};
use contract::{Collect, Connection, Discard, ErrorClass, Executed, SessionOptions, Value};
use driver::Protocol;
use driver::postgres::PostgresConnection;

const PROTOCOLS: [Protocol; 2] = [Protocol::Prepared, Protocol::Text];

/// Executes a statement without parameters and gives its rows.
async fn execute(connection: &mut PostgresConnection, statement: usize) -> Vec<String> {
    let mut answer = Collect::default();
    connection.execute(statement, &[], &mut answer).await.unwrap();
    answer.rows.into_iter().map(|row| row[0].clone().unwrap()).collect()
}

#[test]
fn what_the_server_says_unasked_disturbs_no_answer() {
    // Notices before, between and behind rows; a setting that the server reports; a notification
    // in the middle of nothing.
    const NOISY: [&str; 6] = [
        "CREATE FUNCTION noise(x INT) RETURNS INT LANGUAGE plpgsql AS $$ \
         BEGIN RAISE NOTICE 'row %', repeat('n', x); \
         PERFORM set_config('application_name', 'row ' || x, false); RETURN x; END $$",
        "LISTEN news",
        "SET client_min_messages = 'debug1'",
        "SET TIME ZONE 'Europe/Vienna'",
        "DROP TABLE IF EXISTS nowhere",
        "NOTIFY news, 'by itself'",
    ];
    let server = Server::start(&[]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut noisy = connect(&driver, &handle).await;
            let mut other = connect(&driver, &handle).await;
            execute_all(&mut noisy, &["DROP FUNCTION IF EXISTS noise"]).await;
            execute_all(&mut noisy, &NOISY).await;
            let select = "SELECT noise(x::int) FROM generate_series(1, 500) x";
            noisy.prepare(&statements(&[select])).await.unwrap();
            for _ in 0..3 {
                execute_all(&mut other, &["NOTIFY news, 'from elsewhere'"]).await;
                let executed = noisy.execute(0, &[], &mut Discard).await.unwrap();
                assert_eq!(executed, Executed::Rows(500));
                execute_all(&mut other, &["NOTIFY news"]).await;
                let expected: Vec<String> = (1..=500).map(|x: i32| x.to_string()).collect();
                assert_eq!(execute(&mut noisy, 0).await, expected);
            }
        });
    }
}

#[test]
fn a_statement_whose_columns_change_is_lost_until_it_is_prepared_anew() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &["CREATE TABLE t (k INT)", "INSERT INTO t VALUES (42)"])
            .await;
        let select = statements(&["SELECT * FROM t"]);
        connection.prepare(&select).await.unwrap();
        for alter in ["ALTER k TYPE TEXT", "ADD more INT", "ALTER k TYPE NUMERIC(9,1) USING 42"] {
            assert_eq!(execute(&mut connection, 0).await, ["42"], "{alter}");
            execute_all(&mut connection, &[&format!("ALTER TABLE t {alter}")]).await;
            let error = connection.execute(0, &[], &mut Discard).await.unwrap_err();
            assert_eq!(error.class(), ErrorClass::StatementLost);
            assert!(error.message().contains("must not change result type"), "{error}");
            connection.prepare_anew().await.unwrap();
        }
        assert_eq!(execute(&mut connection, 0).await, ["42.0"]);
    });
}

#[test]
fn statements_are_prepared_once_and_given_back() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let error = connection.prepare(&statements(&["SELECT 1", "SELEKT 2"])).await.unwrap_err();
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::InvalidStatement, "42601"));
        assert!(error.message().contains("while preparing SELEKT 2"), "{error}");
        let texts = ["SELECT ?::int", "SELECT ?::text, 'it''s ?'"];
        connection.prepare(&statements(&texts)).await.unwrap();
        let sql = "SELECT statement FROM pg_prepared_statements WHERE NOT from_sql ORDER BY name";
        let known = rows(&mut connection, sql).await.concat();
        assert_eq!(
            known,
            ["SELECT $1::int", "SELECT $1::text, 'it''s ?'"].map(|sql| Some(sql.to_owned()))
        );
        connection.execute(0, &[Value::Int(1)], &mut Discard).await.unwrap();
        connection.prepare(&statements(&[])).await.unwrap();
        assert!(rows(&mut connection, sql).await.is_empty());
        let counts = connection.take_statement_counts();
        let select = counts.iter().find(|count| count.sql == "SELECT").unwrap();
        assert_eq!(select.executions, 3, "what was counted outlives the statement: {counts:?}");
    });
}

#[test]
fn statements_that_the_server_has_lost_are_prepared_anew() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        connection.prepare(&statements(&["SELECT 42", "SELECT 43"])).await.unwrap();
        assert_eq!(execute(&mut connection, 0).await, ["42"]);
        for lost in ["DEALLOCATE ALL", "DEALLOCATE s1"] {
            execute_all(&mut connection, &[lost]).await;
            let error = connection.execute(1, &[], &mut Discard).await.unwrap_err();
            assert_eq!((error.class(), error.sqlstate()), (ErrorClass::StatementLost, "26000"));
            connection.prepare_anew().await.unwrap();
            assert_eq!(execute(&mut connection, 1).await, ["43"]);
        }
        let counts = connection.take_statement_counts();
        let executions = |sql| counts.iter().find(|c| c.sql == sql).unwrap().executions;
        assert_eq!(["SELECT 42", "SELECT 43"].map(executions), [1, 4], "{counts:?}");
    });
}

#[test]
fn what_cannot_be_executed_is_not_sent() {
    let server = Server::start(&[]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&["SELECT ?::text"])).await.unwrap();
            for (statement, values) in [(0, &[][..]), (0, &[Value::Null, Value::Null]), (1, &[])] {
                let error = connection.execute(statement, values, &mut Discard).await.unwrap_err();
                assert_eq!(error.class(), ErrorClass::InvalidStatement, "{error}");
            }
            assert!(connection.take_statement_counts().is_empty());
            assert_eq!(value(&mut connection, "SELECT 1").await, "1");
        });
    }
}

#[test]
fn a_zero_byte_is_refused_and_does_no_harm() {
    let server = Server::start(&[]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&["SELECT ?::text"])).await.unwrap();
            let values = [Value::Text("zero\0'; DROP TABLE t; --")];
            let error = connection.execute(0, &values, &mut Discard).await.unwrap_err();
            assert!(!error.class().ends_connection(), "{protocol:?}: {error}");
            let error = query_error(&mut connection, "SELECT 'zero\0'").await;
            assert!(!error.class().ends_connection(), "{protocol:?}: {error}");
            let error = connection.prepare(&statements(&["SELECT '\0'"])).await;
            assert_eq!(error.is_err(), protocol == Protocol::Prepared);
            assert_eq!(value(&mut connection, "SELECT 1").await, "1");
        });
    }
}

#[test]
fn statements_of_every_kind_say_what_they_did() {
    const KINDS: [(&str, Executed); 12] = [
        ("CREATE TABLE t (id INT)", Executed::Affected(0)),
        ("INSERT INTO t SELECT generate_series(1, 5)", Executed::Affected(5)),
        ("INSERT INTO t VALUES (6) RETURNING id", Executed::Rows(1)),
        ("UPDATE t SET id = id WHERE id > 2", Executed::Affected(4)),
        ("DELETE FROM t WHERE id = 1 RETURNING id, id", Executed::Rows(1)),
        ("WITH gone AS (DELETE FROM t WHERE id = 2) SELECT 1", Executed::Rows(1)),
        ("CREATE TABLE u AS SELECT * FROM t", Executed::Affected(4)),
        ("SELECT FROM t", Executed::Rows(4)),
        ("SELECT id FROM t WHERE false", Executed::Rows(0)),
        ("SHOW search_path", Executed::Rows(1)),
        ("", Executed::Affected(0)),
        ("DROP TABLE t, u", Executed::Affected(0)),
    ];
    let server = Server::start(&[]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            for (sql, expected) in KINDS {
                connection.prepare(&statements(&[sql])).await.unwrap();
                let executed = connection.execute(0, &[], &mut Discard).await.unwrap();
                assert_eq!(executed, expected, "{protocol:?}: {sql}");
            }
        });
    }
}

#[test]
fn a_transaction_that_nobody_opened_begins_in_the_same_round_trip() {
    let server = Server::start(&[]);
    let session = SessionOptions { autocommit: false, ..SessionOptions::default() };
    let driver = server.driver(Protocol::Prepared).with_session(session);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &["CREATE TABLE t (id INT PRIMARY KEY)", "COMMIT"]).await;
        let sql = ["INSERT INTO t VALUES (?)", "SELECT id FROM t WHERE id >= ? ORDER BY id"];
        connection.prepare(&statements(&sql)).await.unwrap();
        connection.take_counters();
        for ids in [[1, 2, 3], [11, 12, 13]] {
            for id in ids {
                queue(&mut connection, 0, &[id]);
            }
            queue(&mut connection, 1, &ids[..1]);
            let mut answer = Collect::default();
            connection.flush(&mut answer, &mut Vec::new()).await.unwrap();
            let found: Vec<_> = answer.rows.iter().map(|row| row[0].clone().unwrap()).collect();
            assert_eq!(found, ids.map(|id| id.to_string()));
            assert_eq!(connection.take_counters().round_trips, 1, "BEGIN among it");
        }
        queue(&mut connection, 0, &[2]);
        queue(&mut connection, 1, &[0]);
        let refused = connection.flush(&mut Discard, &mut Vec::new()).await;
        assert_eq!(refused.unwrap_err().class(), ErrorClass::DuplicateKey);
        connection.rollback().await.unwrap();
        let executed = connection.execute(1, &[Value::Int(0)], &mut Discard).await;
        assert_eq!(executed.unwrap(), Executed::Rows(0), "all was taken back");
    });
}

/// As in a pipeline of pgbench's, where such a BEGIN is prepared.
#[test]
fn a_transaction_that_was_begun_with_options_in_a_pipeline_is_rolled_back() {
    let server = Server::start(&[]);
    for (begin, autocommit) in [
        ("BEGIN ISOLATION LEVEL SERIALIZABLE", true),
        ("START TRANSACTION READ WRITE", true),
        ("BEGIN WORK", true),
        ("/* x */ BEGIN ISOLATION LEVEL SERIALIZABLE", false),
    ] {
        let session = SessionOptions { autocommit, ..SessionOptions::default() };
        let driver = server.driver(Protocol::Prepared).with_session(session);
        run(move |handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let make = ["DROP TABLE IF EXISTS t", "CREATE TABLE t (id INT PRIMARY KEY)"];
            execute_all(&mut connection, &make).await;
            connection.commit().await.unwrap();
            let sql = [begin, "INSERT INTO t VALUES (?)", "SELECT id FROM t", "COMMIT AND CHAIN"];
            connection.prepare(&statements(&sql)).await.unwrap();
            for (statement, parameters) in [(0, &[][..]), (1, &[1]), (3, &[]), (1, &[2]), (1, &[2])]
            {
                queue(&mut connection, statement, parameters);
            }
            let refused = connection.flush(&mut Discard, &mut Vec::new()).await;
            assert_eq!(refused.unwrap_err().class(), ErrorClass::DuplicateKey);
            assert!(connection.in_transaction(), "{begin}");
            connection.rollback().await.unwrap();
            assert!(!connection.in_transaction(), "{begin}");
            assert_eq!(execute(&mut connection, 2).await, ["1"], "{begin}");
        });
    }
}

#[test]
fn reads_travel_together_with_writes() {
    let server = Server::start(&[]);
    for protocol in [Protocol::Prepared, Protocol::Multi] {
        for autocommit in [false, true] {
            let session = SessionOptions { autocommit, ..SessionOptions::default() };
            let driver = server.driver(protocol).with_session(session);
            run(move |handle| async move {
                reads_travel_together(&mut connect(&driver, &handle).await).await;
            });
        }
    }
}
