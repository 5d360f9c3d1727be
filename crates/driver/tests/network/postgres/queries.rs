//! Statements on a real server: answers, and what is counted of them.

use crate::postgres_server::Server;
use crate::support::{Rows, connect, execute_all, rows, run, statements, transactions};
use contract::{
    Collect, Connection, ErrorClass, Row, RowSink, SqlError, StatementCount, StatementCounters,
    Value,
};
use driver::Protocol;

const PROTOCOLS: [Protocol; 3] = [Protocol::Prepared, Protocol::Extended, Protocol::Text];

const ALL_TYPES: &str = "CREATE TABLE types (id INT PRIMARY KEY, small SMALLINT, big BIGINT, \
    exact NUMERIC(20,4), real_ REAL, double_ DOUBLE PRECISION, truth BOOLEAN, day DATE, \
    moment TIMESTAMP(3), stamp TIMESTAMPTZ, clock TIME(2), span INTERVAL, text TEXT, \
    varying VARCHAR(400), fixed CHAR(5), bytes BYTEA, identity UUID, document JSONB, list INT[], \
    kind KIND, bits BIT(8), address INET)";

const FILL: [&str; 5] = [
    "SET TIME ZONE 'UTC'",
    "CREATE TYPE kind AS ENUM ('a', 'b')",
    ALL_TYPES,
    "INSERT INTO types VALUES (1, -32768, 9223372036854775807, -12345.6789, 1.5, 2.25, true, \
     '2026-02-03', '2026-02-03 04:05:06.789', '2026-02-03 04:05:06.123456+01', '23:59:58.99', \
     '1 day 2 hours', 'it''s π', repeat('x', 300), 'ab', '\\x00ff', \
     '00112233-4455-6677-8899-aabbccddeeff', '{\"a\": 1}', '{1,NULL,3}', 'b', B'01000001', \
     '10.0.0.1/8')",
    "INSERT INTO types (id) VALUES (2)",
];

/// The answers to statements with parameters under each protocol.
fn answers(setup: &'static [&'static str], questions: &'static [(&str, &[Value])]) -> [Rows; 3] {
    let server = Server::start(&[]);
    PROTOCOLS.map(|protocol| {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            execute_all(&mut connection, &["BEGIN"]).await;
            execute_all(&mut connection, setup).await;
            let texts: Vec<&str> = questions.iter().map(|(sql, _)| *sql).collect();
            connection.prepare(&statements(&texts)).await.unwrap();
            let mut answer = Collect::default();
            for (statement, (_, values)) in questions.iter().enumerate() {
                connection.execute(statement, values, &mut answer).await.unwrap();
            }
            connection.rollback().await.unwrap();
            answer.rows
        })
    })
}

#[test]
fn all_protocols_give_the_same_answers() {
    const QUESTION: (&str, &[Value]) = (
        "SELECT *, ? + 1, ?::text, ?::text FROM types WHERE id <= ? ORDER BY id",
        &[Value::Int(-5), Value::Text("q'\\?"), Value::Null, Value::Int(3)],
    );
    let [prepared, extended, text] = answers(&FILL, &[QUESTION]);
    assert_eq!((&prepared, &prepared), (&extended, &text));
    let expected = [
        "1",
        "-32768",
        "9223372036854775807",
        "-12345.6789",
        "1.5",
        "2.25",
        "t",
        "2026-02-03",
        "2026-02-03 04:05:06.789",
        "2026-02-03 03:05:06.123456+00",
        "23:59:58.99",
        "1 day 02:00:00",
        "it's π",
        &"x".repeat(300),
        "ab   ",
        "\\x00ff",
        "00112233-4455-6677-8899-aabbccddeeff",
        "{\"a\": 1}",
        "{1,NULL,3}",
        "b",
        "01000001",
        "10.0.0.1/8",
        "-4",
        "q'\\?",
        "NULL",
    ];
    let shown = prepared[0].iter().map(|field| field.as_deref().unwrap_or("NULL"));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert!(prepared[1][1..22].iter().all(Option::is_none));
}

#[test]
fn parameters_mean_the_same_wherever_they_stand() {
    const QUESTIONS: &[(&str, &[Value])] = &[
        ("SELECT 5-?::int", &[Value::Int(-1)]),
        ("SELECT ?::smallint", &[Value::Int(-32768)]),
        ("SELECT ?::bigint", &[Value::Int(i64::MIN)]),
        ("SELECT 2-?::float8", &[Value::Double(-0.5)]),
        ("SELECT ?::float8", &[Value::Double(1e300)]),
        ("SELECT 10 / ?::float8", &[Value::Double(4.0)]),
        ("SELECT '?', \"?\", ?::text FROM (SELECT 1 AS \"?\") AS t", &[Value::Text("?")]),
        ("SELECT $$?$$ || E'\\'?' || ?::text -- ?", &[Value::Text("a'b\\'c\"d\n\\\\")]),
        ("SELECT ?::text || /* ? */ ?::text", &[Value::Text(""), Value::Text("🚀")]),
    ];
    let [prepared, extended, text] = answers(&[], QUESTIONS);
    assert_eq!(prepared, extended);
    assert_eq!(prepared, text);
    let first = |row: &Vec<Option<String>>| row[0].clone().unwrap();
    let expected = [
        "6",
        "-32768",
        "-9223372036854775808",
        "2.5",
        "1e+300",
        "2.5",
        "?",
        "?'?a'b\\'c\"d\n\\\\",
        "🚀",
    ];
    assert_eq!(prepared.iter().map(first).collect::<Vec<_>>(), expected);
}

/// The first column of each row as an integer.
#[derive(Default)]
struct Integers(Vec<Option<i64>>);

impl RowSink for Integers {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        self.0.push(row.int(0)?);
        assert_eq!(row.int(row.columns()).unwrap_err().class(), ErrorClass::InvalidStatement);
        Ok(())
    }
}

#[test]
fn integers_are_read_from_every_type_that_holds_them() {
    let server = Server::start(&[]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            for kind in ["smallint", "int", "bigint", "oid", "numeric"] {
                let sql = format!("SELECT x::{kind} FROM (VALUES (7), (NULL)) AS v (x)");
                connection.prepare(&statements(&[&sql])).await.unwrap();
                let mut integers = Integers::default();
                connection.execute(0, &[], &mut integers).await.unwrap();
                assert_eq!(integers.0, [Some(7), None], "{kind}");
            }
            let mut integers = Integers::default();
            for sql in ["SELECT '7'::text", "SELECT 7.5", "SELECT 1e30::numeric", "SELECT true"] {
                let error = connection.query(sql, &mut integers).await.unwrap_err();
                assert_eq!(error.class(), ErrorClass::InvalidStatement, "{sql}: {error}");
            }
            // What the sink does not like is no trouble of the connection's.
            connection
                .query("SELECT sum(x) FROM generate_series(1, 3) x", &mut integers)
                .await
                .unwrap();
            assert_eq!(integers.0, [Some(6)]);
        });
    }
}

#[test]
fn what_statements_did_is_counted_as_the_server_counts_it() {
    let server = Server::start(&["shared_preload_libraries=pg_stat_statements"]);
    for protocol in PROTOCOLS {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut observer = connect(&driver, &handle).await;
            execute_all(&mut observer, &["DROP TABLE IF EXISTS t", transactions::CREATE]).await;
            execute_all(&mut observer, &START_COUNTING).await;
            let mut connection = connect(&driver, &handle).await;
            transactions::work(&mut connection).await;
            let counters = connection.take_counters();
            assert_eq!(counters.counts(), transactions::WORK);
            assert_eq!(counters.unread_ns > 0, connection.has_kernel_timestamps());
            assert_eq!(connection.take_counters(), StatementCounters::default());
            let mut counts = connection.take_statement_counts();
            assert!(connection.take_statement_counts().is_empty());
            // The server's extension takes no note of a statement that failed.
            let insert = counts.iter_mut().find(|count| count.sql.starts_with("INSERT")).unwrap();
            insert.executions -= 1;
            let seen = rows(&mut observer, COUNTED).await;
            assert_eq!(seen, as_rows(&counts), "{protocol:?}");
        });
    }
}

const START_COUNTING: [&str; 2] =
    ["CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "SELECT pg_stat_statements_reset()"];

const COUNTED: &str = r"SELECT regexp_replace(query, '\$\d', '?', 'g') AS sql, calls, rows
    FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY sql";

/// The counts in the server's form: it takes every number for a parameter.
fn as_rows(counts: &[StatementCount]) -> Rows {
    let fields = |count: &StatementCount| {
        let numbers = [count.executions, count.rows + count.affected].map(|n| n.to_string());
        [count.sql.replace('1', "?")].into_iter().chain(numbers).map(Some).collect()
    };
    let mut rows: Rows = counts.iter().map(fields).collect();
    rows.sort();
    rows
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

#[test]
fn in_the_extended_protocol_the_server_keeps_no_statement() {
    const KEPT: &str = "SELECT count(*) FROM pg_prepared_statements WHERE name <> ''";
    let server = Server::start(&[]);
    for (protocol, kept) in [(Protocol::Prepared, "2"), (Protocol::Extended, "0")] {
        let driver = server.driver(protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            connection.prepare(&statements(&[KEPT, "SELECT ?::int"])).await.unwrap();
            let mut answer = Collect::default();
            // Each other's columns are forgotten between them.
            connection.execute(0, &[], &mut answer).await.unwrap();
            connection.execute(1, &[Value::Int(7)], &mut answer).await.unwrap();
            connection.execute(0, &[], &mut answer).await.unwrap();
            let found: Vec<_> = answer.rows.iter().map(|row| row[0].as_deref()).collect();
            assert_eq!(found, [Some(kept), Some("7"), Some(kept)], "{protocol:?}");
        });
    }
}
