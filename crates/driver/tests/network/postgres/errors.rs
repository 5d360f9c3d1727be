//! Statements that fail on a real server, and what is left of the transaction and the connection.

use crate::postgres_server::Server;
use crate::support::{connect, execute_all, query_error, run, statements, transactions, value};
use contract::{Access, Collect, Connection, Discard, ErrorClass, Executed, SqlError, Value};
use driver::Protocol;
use driver::postgres::{PostgresConnection, PostgresDriver};
use eventloop::Handle;

fn meaning(error: &SqlError) -> (ErrorClass, &str) {
    (error.class(), error.sqlstate())
}

#[test]
fn errors_have_their_classes_and_leave_the_connection_usable() {
    const TABLES: [&str; 4] = [
        "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(3))",
        "INSERT INTO parent VALUES (1, 'one')",
        "CREATE TABLE child (id INT NOT NULL REFERENCES parent, CHECK (id > 0))",
        "CREATE ROLE reader",
    ];
    const ERRORS: [(&str, ErrorClass, &str); 18] = [
        ("SELEKT", ErrorClass::InvalidStatement, "42601"),
        ("SELECT * FROM nowhere", ErrorClass::InvalidStatement, "42P01"),
        ("SELECT nothing FROM parent", ErrorClass::InvalidStatement, "42703"),
        ("SELECT nothing(1)", ErrorClass::InvalidStatement, "42883"),
        ("CREATE TABLE no.where (id INT)", ErrorClass::InvalidStatement, "3F000"),
        ("INSERT INTO parent VALUES (1, 'two')", ErrorClass::DuplicateKey, "23505"),
        ("INSERT INTO parent VALUES (2, 'four')", ErrorClass::ConstraintViolation, "22001"),
        ("INSERT INTO child VALUES (2)", ErrorClass::ConstraintViolation, "23503"),
        ("INSERT INTO child VALUES (NULL)", ErrorClass::ConstraintViolation, "23502"),
        ("INSERT INTO child VALUES (0)", ErrorClass::ConstraintViolation, "23514"),
        ("SELECT 1 / (id - 1) FROM parent", ErrorClass::ConstraintViolation, "22012"),
        ("SELECT 'x'::int", ErrorClass::ConstraintViolation, "22P02"),
        ("SET ROLE reader; SELECT * FROM parent", ErrorClass::AccessDenied, "42501"),
        ("SET statement_timeout = 50; SELECT pg_sleep(30)", ErrorClass::ResourceExhausted, "57014"),
        ("DO $$ BEGIN RAISE 'ours' USING ERRCODE = 'ZZ123'; END $$", ErrorClass::Other, "ZZ123"),
        ("CREATE TABLE parent (id INT)", ErrorClass::AlreadyExists, "42P07"),
        ("ALTER TABLE parent ADD PRIMARY KEY (name)", ErrorClass::AlreadyExists, "42P16"),
        ("COPY parent TO '/no/where'", ErrorClass::Other, "58P01"),
    ];
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &TABLES).await;
        for (sql, class, sqlstate) in ERRORS {
            let error = query_error(&mut connection, sql).await;
            assert_eq!(meaning(&error), (class, sqlstate), "{sql}: {error}");
            assert_eq!(value(&mut connection, "SELECT 'still here'").await, "still here", "{sql}");
        }
    });
}

#[test]
fn a_statement_that_takes_other_parameters_than_it_is_given_is_refused_before_any_load() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let error = connection.prepare(&statements(&["SELECT $1::int"])).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::InvalidStatement);
        assert!(error.message().contains("takes 1: SELECT $1::int"), "{error}");
    });
}

#[test]
fn an_error_among_the_rows_is_the_answer() {
    let server = Server::start(&[]);
    for protocol in [Protocol::Prepared, Protocol::Text] {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let select = "SELECT 1 / (? - x) FROM generate_series(1, 20000) x";
            connection.prepare(&statements(&[select])).await.unwrap();
            let values = [Value::Int(15_000)];
            let error = connection.execute(0, &values, &mut Discard).await.unwrap_err();
            assert_eq!(error.sqlstate(), "22012");
            let error = connection.execute(0, &values, &mut Collect::default()).await.unwrap_err();
            assert_eq!(error.sqlstate(), "22012");
            let executed = connection.execute(0, &[Value::Int(0)], &mut Discard).await.unwrap();
            assert_eq!(executed, Executed::Rows(20_000));
        });
    }
}

#[test]
fn a_failed_transaction_takes_nothing_but_its_rollback() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[transactions::CREATE]).await;
        for ends_with_commit in [false, true] {
            connection.begin(Access::ReadWrite).await.unwrap();
            execute_all(&mut connection, &["INSERT INTO t VALUES (1, 0)"]).await;
            let duplicate = query_error(&mut connection, "INSERT INTO t VALUES (1, 0)").await;
            assert_eq!(meaning(&duplicate), (ErrorClass::DuplicateKey, "23505"));
            let error = query_error(&mut connection, "SELECT 1").await;
            assert_eq!(meaning(&error), (ErrorClass::Other, "25P02"));
            if ends_with_commit {
                connection.take_counters();
                let error = connection.commit().await.unwrap_err();
                assert_eq!(meaning(&error), (ErrorClass::Other, "25P02"), "{error}");
                assert!(error.message().contains("rolled back at COMMIT"), "{error}");
                assert_eq!(connection.take_counters().other, 0, "it did not succeed");
            }
            connection.rollback().await.unwrap();
            assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t").await, "0");
        }
        connection.take_statement_counts();
        connection.rollback().await.unwrap();
        assert!(connection.take_statement_counts().is_empty(), "nothing was open");
    });
}

#[test]
fn a_transaction_is_known_to_be_open_from_what_the_server_says() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[transactions::CREATE]).await;
        // Not by our own call.
        execute_all(&mut connection, &["BEGIN", "INSERT INTO t VALUES (1, 0)"]).await;
        connection.rollback().await.unwrap();
        assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t").await, "0");
        connection.begin(Access::ReadWrite).await.unwrap();
        execute_all(&mut connection, &["INSERT INTO t VALUES (2, 0)", "COMMIT"]).await;
        connection.take_statement_counts();
        connection.rollback().await.unwrap();
        assert!(connection.take_statement_counts().is_empty());
        assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t").await, "1");
    });
}

#[test]
fn one_of_two_that_block_each_other_gets_a_deadlock_and_can_go_on() {
    let server = Server::start(&["deadlock_timeout=100ms"]);
    let in_transaction = "SELECT (now() <> statement_timestamp())::int";
    let errors = transactions::deadlock(&server.driver(Protocol::Prepared), in_transaction);
    assert_eq!(errors.len(), 1);
    assert_eq!(meaning(&errors[0]), (ErrorClass::Deadlock, "40P01"));
    assert!(errors[0].class().is_retryable());
    // Who waits for whom is said behind the message.
    assert!(errors[0].message().contains("waits for ShareLock"), "{}", errors[0]);
}

/// Two connections, a table with two rows, and a transaction of the first that has changed one.
async fn locked(driver: &PostgresDriver, handle: &Handle) -> [PostgresConnection; 2] {
    let mut holder = connect(driver, handle).await;
    let fill = "INSERT INTO t VALUES (0, 0), (1, 0)";
    execute_all(&mut holder, &[transactions::CREATE, fill]).await;
    let mut other = connect(driver, handle).await;
    holder.begin(Access::ReadWrite).await.unwrap();
    execute_all(&mut other, &["BEGIN ISOLATION LEVEL REPEATABLE READ"]).await;
    assert_eq!(value(&mut other, "SELECT SUM(k) FROM t").await, "0");
    execute_all(&mut holder, &["UPDATE t SET k = 1 WHERE id = 0"]).await;
    [holder, other]
}

#[test]
fn a_lock_that_is_not_granted_in_time_is_an_error() {
    let server = Server::start(&["lock_timeout=100ms"]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let [mut holder, mut waiter] = locked(&driver, &handle).await;
        for sql in ["UPDATE t SET k = 2", "SELECT * FROM t FOR UPDATE NOWAIT"] {
            let error = query_error(&mut waiter, sql).await;
            assert_eq!(meaning(&error), (ErrorClass::LockWaitTimeout, "55P03"), "{sql}");
            waiter.rollback().await.unwrap();
        }
        holder.commit().await.unwrap();
        execute_all(&mut waiter, &["UPDATE t SET k = 2"]).await;
        assert_eq!(value(&mut holder, "SELECT SUM(k) FROM t").await, "4");
    });
}

#[test]
fn a_row_that_has_changed_since_the_snapshot_is_a_serialization_failure() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let [mut holder, mut other] = locked(&driver, &handle).await;
        holder.commit().await.unwrap();
        let error = query_error(&mut other, "UPDATE t SET k = 2 WHERE id = 0").await;
        assert_eq!(meaning(&error), (ErrorClass::SerializationFailure, "40001"));
        assert!(error.class().is_retryable());
        other.rollback().await.unwrap();
        execute_all(&mut other, &["UPDATE t SET k = 2 WHERE id = 0"]).await;
    });
}

/// Of two that each read what the other writes, one is told at COMMIT.
#[test]
fn a_commit_that_fails_is_an_error_and_leaves_nothing_open() {
    let server = Server::start(&["default_transaction_isolation=serializable"]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut first = connect(&driver, &handle).await;
        let mut second = connect(&driver, &handle).await;
        let fill = "INSERT INTO t VALUES (0, 0), (1, 0)";
        execute_all(&mut first, &[transactions::CREATE, fill]).await;
        for (connection, id) in [(&mut first, 0), (&mut second, 1)] {
            connection.begin(Access::ReadWrite).await.unwrap();
            let update = format!("UPDATE t SET k = (SELECT SUM(k) + 1 FROM t) WHERE id = {id}");
            execute_all(connection, &[&update]).await;
        }
        first.commit().await.unwrap();
        let error = second.commit().await.unwrap_err();
        assert_eq!(meaning(&error), (ErrorClass::SerializationFailure, "40001"));
        second.take_statement_counts();
        second.rollback().await.unwrap();
        assert!(second.take_statement_counts().is_empty());
        assert_eq!(value(&mut second, "SELECT SUM(k) FROM t").await, "1");
    });
}

#[test]
fn who_may_only_read_is_told_so() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[transactions::CREATE, "BEGIN READ ONLY"]).await;
        let error = query_error(&mut connection, "INSERT INTO t VALUES (1, 1)").await;
        assert_eq!(meaning(&error), (ErrorClass::ReadOnly, "25006"));
        connection.rollback().await.unwrap();
        execute_all(&mut connection, &["INSERT INTO t VALUES (1, 1)"]).await;
    });
}
