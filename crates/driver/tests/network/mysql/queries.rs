//! Statements on a real server.

use crate::mysql_server::Server;
use crate::support::{
    connect, execute_all, query_error, rows, run, statements, transactions, value,
};
use contract::{
    Access, Collect, Connection, Dialect, Discard, ErrorClass, StatementCount, StatementCounters,
    Value, Verb,
};
use driver::Protocol;
use driver::mysql::MysqlConnection;

const ALL_TYPES: &str = "CREATE TABLE types (id INT PRIMARY KEY, tiny TINYINT, small SMALLINT UNSIGNED, \
    medium MEDIUMINT, big BIGINT UNSIGNED, exact DECIMAL(20,4), real_ FLOAT, double_ DOUBLE, \
    day DATE, moment DATETIME(3), stamp TIMESTAMP(6) NULL, clock TIME(2), year_ YEAR, \
    text VARCHAR(100) CHARACTER SET utf8mb4, long_ LONGTEXT, kind ENUM('a','b'), bits BIT(8))";

#[test]
fn both_protocols_give_the_same_answers() {
    let server = Server::start(&["--max-allowed-packet=64M"]);
    let fill = [
        ALL_TYPES,
        "INSERT INTO types VALUES (1, -128, 65535, -8388608, 18446744073709551615, -12345.6789, \
         1.5, 2.25, '2026-02-03', '2026-02-03 04:05:06.789', '2026-02-03 04:05:06.123456', \
         '-838:59:58.99', 2026, 'it''s π', REPEAT('x', 300), 'b', b'01000001')",
        "INSERT INTO types (id) VALUES (2)",
        "INSERT INTO types (id, day, moment, clock, text) \
         VALUES (3, '0000-00-00', '0000-00-00', '00:00:00', '')",
    ];
    let answers = [Protocol::Prepared, Protocol::Text].map(|protocol| {
        let driver = server.driver(protocol);
        run(move |handle| async move {
            let mut connection = connect(&driver, &handle).await;
            execute_all(&mut connection, &["SET sql_mode=''", "DROP TABLE IF EXISTS types"]).await;
            execute_all(&mut connection, &fill).await;
            let select = "SELECT *, ? + 1, ?, ? FROM types WHERE id <= ? ORDER BY id";
            connection
                .prepare(&statements(&[select, "SELECT SUM(tiny), COUNT(*) FROM types"]))
                .await
                .unwrap();
            let mut answer = Collect::default();
            let values = [Value::Int(-5), Value::Text("q'\\?"), Value::Null, Value::Int(3)];
            connection.execute(0, &values, &mut answer).await.unwrap();
            connection.execute(1, &[], &mut answer).await.unwrap();
            answer.rows
        })
    });
    let [prepared, text] = answers;
    assert_eq!(prepared, text);
    assert_eq!(prepared.len(), 4);
    let first: Vec<&str> =
        prepared[0].iter().map(|field| field.as_deref().unwrap_or("NULL")).collect();
    let expected = [
        "1",
        "-128",
        "65535",
        "-8388608",
        "18446744073709551615",
        "-12345.6789",
        "1.5",
        "2.25",
        "2026-02-03",
        "2026-02-03 04:05:06.789",
        "2026-02-03 04:05:06.123456",
        "-838:59:58.99",
        "2026",
        "it's π",
        &"x".repeat(300),
        "b",
        "A",
        "-4",
        "q'\\?",
        "NULL",
    ];
    assert_eq!(first, expected);
    assert!(prepared[1][1..17].iter().all(Option::is_none));
    assert_eq!(prepared[3], [Some("-128".to_owned()), Some("3".to_owned())]);
}

#[test]
fn what_statements_did_is_counted_as_the_server_counts_it() {
    for protocol in [Protocol::Prepared, Protocol::Text] {
        let server = Server::start(&[]);
        let driver = server.driver(protocol);
        run(move |handle| async move {
            let mut observer = connect(&driver, &handle).await;
            execute_all(&mut observer, &[transactions::CREATE]).await;
            let before = server_counts(&mut observer).await;
            let mut connection = connect(&driver, &handle).await;
            transactions::work(&mut connection).await;
            let after = server_counts(&mut observer).await;
            let counters = connection.take_counters();
            assert_eq!(counters.counts(), transactions::WORK);
            // An answer is read later than it arrives, which only the kernel of a TCP socket tells.
            assert_eq!(counters.unread_ns > 0, connection.has_kernel_timestamps());
            assert_eq!(connection.take_counters(), StatementCounters::default());
            let counts = connection.take_statement_counts();
            assert!(connection.take_statement_counts().is_empty());
            for ((name, after), (_, before)) in after.iter().zip(&before) {
                let counted: u64 = counts
                    .iter()
                    .filter(|count| Verb::of(&count.sql, Dialect::MySql).name() == name)
                    .map(|count| count.executions)
                    .sum();
                // The observer's own question is a SHOW STATUS, which is none of these.
                assert_eq!(after - before, counted, "{name} {protocol:?}: {counts:?}");
            }
            let select = counts.iter().find(|count| count.sql.starts_with("SELECT id")).unwrap();
            let StatementCount { executions, rows, affected, without_rows, .. } = select;
            assert_eq!([*executions, *rows, *affected, *without_rows], [5, 9, 0, 1]);
            let unchanged = counts.iter().filter(|count| count.sql.starts_with("UPDATE"));
            assert_eq!(unchanged.map(|count| count.without_rows).sum::<u64>(), 1);
        });
    }
}

async fn server_counts(connection: &mut MysqlConnection) -> Vec<(String, u64)> {
    let status = rows(connection, "SHOW GLOBAL STATUS LIKE 'Com\\_%'").await;
    let names = ["begin", "commit", "delete", "insert", "rollback", "select", "update"];
    names
        .into_iter()
        .map(|name| {
            let variable = Some(format!("Com_{name}"));
            let row = status.iter().find(|row| row[0] == variable).unwrap();
            (name.to_owned(), row[1].as_ref().unwrap().parse().unwrap())
        })
        .collect()
}

#[test]
fn a_transaction_is_known_to_be_open_from_what_the_server_says() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &["CREATE TABLE t (id INT PRIMARY KEY)"]).await;
        connection.begin(Access::ReadWrite).await.unwrap();
        execute_all(&mut connection, &["INSERT INTO t VALUES (1)"]).await;
        let duplicate = query_error(&mut connection, "INSERT INTO t VALUES (1)").await;
        assert_eq!(duplicate.class(), ErrorClass::DuplicateKey);
        connection.rollback().await.unwrap();
        assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t").await, "0");
        // What a statement commits by itself is not rolled back, though the server is asked to.
        connection.begin(Access::ReadWrite).await.unwrap();
        execute_all(&mut connection, &["INSERT INTO t VALUES (2)", "CREATE TABLE u (id INT)"])
            .await;
        connection.rollback().await.unwrap();
        assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t").await, "1");
    });
}

#[test]
fn errors_have_their_classes() {
    let server = Server::start(&["--max-prepared-stmt-count=1"]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let tables = [
            "CREATE TABLE parent (id INT PRIMARY KEY)",
            "CREATE TABLE child (id INT NOT NULL, FOREIGN KEY (id) REFERENCES parent (id), CHECK (id > 0))",
        ];
        execute_all(&mut connection, &tables).await;
        for (sql, class, code) in [
            ("SELEKT", ErrorClass::InvalidStatement, 1064),
            ("SELECT * FROM nowhere", ErrorClass::InvalidStatement, 1146),
            ("SELECT nothing FROM parent", ErrorClass::InvalidStatement, 1054),
            ("CREATE TABLE parent (id INT)", ErrorClass::AlreadyExists, 1050),
            ("ALTER TABLE parent ADD PRIMARY KEY (id)", ErrorClass::AlreadyExists, 1068),
            ("INSERT INTO child VALUES (1)", ErrorClass::ConstraintViolation, 1452),
            ("INSERT INTO child VALUES (NULL)", ErrorClass::ConstraintViolation, 1048),
            ("INSERT INTO child VALUES (0)", ErrorClass::ConstraintViolation, 4025),
        ] {
            let error = query_error(&mut connection, sql).await;
            assert_eq!((error.class(), error.code()), (class, code), "{sql}: {error}");
        }
        execute_all(&mut connection, &["SET TRANSACTION READ ONLY"]).await;
        connection.begin(Access::ReadOnly).await.unwrap();
        let error = query_error(&mut connection, "INSERT INTO parent VALUES (1)").await;
        assert_eq!((error.class(), error.code()), (ErrorClass::ReadOnly, 1792));
        connection.rollback().await.unwrap();
        let error = connection.prepare(&statements(&["SELECT 1", "SELECT 2"])).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (ErrorClass::TooManyConnections, 1461));
        assert!(error.message().contains("SELECT 2"), "{error}");
        // Preparing anew gives the old ones back.
        connection.prepare(&statements(&["SELECT ?"])).await.unwrap();
        let error = connection.execute(0, &[], &mut Discard).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::InvalidStatement);
        connection.execute(0, &[Value::Int(1)], &mut Discard).await.unwrap();
    });
}

#[test]
fn a_text_that_a_column_can_not_hold_comes_with_advice() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Text);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let table = "CREATE TABLE t (words TEXT CHARACTER SET latin1, number INT)";
        execute_all(&mut connection, &[table]).await;
        for (value, is_advised) in [("('\u{732b}', 1)", true), ("('cat', 'one')", false)] {
            let sql = format!("INSERT INTO t VALUES {value}");
            let error = query_error(&mut connection, &sql).await;
            assert_eq!((error.class(), error.code()), (ErrorClass::ConstraintViolation, 1366));
            assert_eq!(error.message().contains("CHARACTER SET utf8mb4"), is_advised, "{error}");
        }
    });
}

#[test]
fn one_of_two_that_block_each_other_gets_a_deadlock_and_can_go_on() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    let errors = transactions::deadlock(&driver, "SELECT @@in_transaction");
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].class(), errors[0].code()), (ErrorClass::Deadlock, 1213));
    assert!(errors[0].class().is_retryable());
}

#[test]
fn a_lock_that_is_not_granted_leaves_the_transaction_open_until_rolled_back() {
    let server = Server::start(&["--innodb-lock-wait-timeout=1"]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut holder = connect(&driver, &handle).await;
        let mut waiter = connect(&driver, &handle).await;
        let fill = "INSERT INTO t VALUES (0), (1)";
        execute_all(&mut holder, &["CREATE TABLE t (id INT PRIMARY KEY)", fill]).await;
        holder.begin(Access::ReadWrite).await.unwrap();
        execute_all(&mut holder, &["DELETE FROM t WHERE id = 0"]).await;
        waiter.begin(Access::ReadWrite).await.unwrap();
        execute_all(&mut waiter, &["DELETE FROM t WHERE id = 1"]).await;
        let error = query_error(&mut waiter, "DELETE FROM t WHERE id = 0").await;
        assert_eq!((error.class(), error.code()), (ErrorClass::LockWaitTimeout, 1205));
        waiter.rollback().await.unwrap();
        holder.rollback().await.unwrap();
        assert_eq!(value(&mut holder, "SELECT COUNT(*) FROM t").await, "2");
    });
}

#[test]
fn columns_that_change_between_executions_are_noticed() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let fill = "INSERT INTO t VALUES (1, 42)";
        execute_all(&mut connection, &["CREATE TABLE t (id INT PRIMARY KEY, k INT)", fill]).await;
        connection.prepare(&statements(&["SELECT k FROM t"])).await.unwrap();
        for alter in ["BIGINT", "VARCHAR(20)", "DECIMAL(10,1)", "TINYINT"] {
            connection.execute(0, &[], &mut Discard).await.unwrap();
            execute_all(&mut connection, &[&format!("ALTER TABLE t MODIFY k {alter}")]).await;
            // Once without looking, so that what is sent only once must be remembered.
            connection.execute(0, &[], &mut Discard).await.unwrap();
            let mut answer = Collect::default();
            connection.execute(0, &[], &mut answer).await.unwrap();
            let expected = if alter.starts_with("DEC") { "42.0" } else { "42" };
            assert_eq!(answer.rows[0][0].as_deref(), Some(expected), "{alter}");
        }
    });
}

#[test]
fn begin_and_commit_in_a_batch_are_no_writes_that_changed_nothing() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Multi);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        assert_eq!(transactions::batch(&mut connection).await, transactions::BATCH);
    });
}
