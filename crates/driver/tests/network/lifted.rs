//! What of a server's settings is lifted for connections that are no part of the load.

use contract::{Collect, Connection, Driver, Purpose, SessionOptions};
use driver::Protocol;

use crate::support::{connect, execute_all, query_error, rows, run, value};
use crate::{mysql_server, postgres_server};

const PURPOSES: [Purpose; 3] = [Purpose::Load, Purpose::Preparation, Purpose::Administration];

#[test]
fn limits_of_mysql_hold_for_the_load_alone() {
    let server = mysql_server::Server::start(&[
        "--max-statement-time=7",
        "--sql-mode=ANSI_QUOTES,PIPES_AS_CONCAT",
    ]);
    let root = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut root = connect(&root, &handle).await;
        execute_all(&mut root, &["SET GLOBAL sql_select_limit = 2"]).await;
    });
    for (purpose, seen, time_limit, quotes_text, both) in [
        (Purpose::Load, 2, "7.000000", false, "12"),
        (Purpose::Preparation, 3, "0.000000", false, "12"),
        (Purpose::Administration, 3, "0.000000", true, "1"),
    ] {
        let session = SessionOptions::for_purpose(purpose);
        let driver = server.driver(Protocol::Text).with_session(session);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let three = "SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3";
            assert_eq!(rows(&mut connection, three).await.len(), seen, "{purpose:?}");
            let told = value(&mut connection, "SELECT @@max_statement_time").await;
            assert_eq!(told, time_limit, "{purpose:?}");
            let quoted = connection.query("SELECT \"text\"", &mut Collect::default()).await;
            assert_eq!(quoted.is_ok(), quotes_text, "{purpose:?}");
            assert_eq!(value(&mut connection, "SELECT 1 || 2").await, both, "{purpose:?}");
        });
    }
}

/// Fewer rows than were asked for would be less work than is counted.
#[test]
fn a_load_is_refused_where_mysql_returns_fewer_rows_than_are_asked_for() {
    let server = mysql_server::Server::start(&[]);
    let root = server.driver(Protocol::Text);
    for (limit, said) in [
        ("5", Some("the server ends each SELECT after 5 rows (sql_select_limit=5)")),
        ("1", Some("after 1 rows")),
        ("0", Some("autocommit")),
        ("DEFAULT", None),
    ] {
        let set = format!("SET GLOBAL sql_select_limit = {limit}");
        let root = root.clone();
        run(|handle| async move { execute_all(&mut connect(&root, &handle).await, &[&set]).await });
        for purpose in PURPOSES {
            let session = SessionOptions::for_purpose(purpose);
            let driver = server.driver(Protocol::Text).with_session(session);
            let described = run(|handle| async move {
                connect(&driver, &handle).await.describe_session().await
            });
            let said = said.filter(|_| purpose == Purpose::Load);
            let refusal = described.err().map(|error| error.message().to_owned());
            let is_as_expected = match (said, &refusal) {
                (Some(said), Some(refusal)) => refusal.contains(said),
                (said, refusal) => said.is_none() && refusal.is_none(),
            };
            assert!(is_as_expected, "{limit} {purpose:?}: {refusal:?}");
        }
    }
}

#[test]
fn a_load_is_refused_where_mysql_does_more_at_commit_than_to_commit() {
    for completion in ["CHAIN", "RELEASE"] {
        let option = format!("--completion-type={completion}");
        let server = mysql_server::Server::start(&[&option]);
        for purpose in PURPOSES {
            let session = SessionOptions::for_purpose(purpose);
            let driver = server.driver(Protocol::Text).with_session(session);
            let described = run(|handle| async move {
                connect(&driver, &handle).await.describe_session().await
            });
            let refusal = described.err().map(|error| error.message().to_owned());
            let said = format!("(completion_type={completion})");
            let is_refused = refusal.as_ref().is_some_and(|refusal| refusal.contains(&said));
            assert_eq!(
                is_refused,
                purpose == Purpose::Load,
                "{completion} {purpose:?}: {refusal:?}"
            );
        }
    }
}

#[test]
fn a_mysql_server_that_knows_no_such_setting_is_used_without_it() {
    // Of these two, MariaDB knows the first alone, and MySQL the second.
    let server = mysql_server::Server::start(&["--max-statement-time=7"]);
    let session = SessionOptions::for_purpose(Purpose::Administration);
    let driver = server.driver(Protocol::Text).with_session(session);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let error = query_error(&mut connection, "SET SESSION max_execution_time=0").await;
        assert_eq!(error.code(), 1193);
        let sent = connection.take_statement_counts();
        assert_eq!(sent.iter().map(|count| count.executions).sum::<u64>(), 2, "one round trip");
    });
}

#[test]
fn limits_of_postgresql_hold_for_the_load_alone() {
    let server = postgres_server::Server::start(&[
        "statement_timeout=7s",
        "lock_timeout=6s",
        "idle_in_transaction_session_timeout=5s",
        "idle_session_timeout=4s",
    ]);
    for purpose in PURPOSES {
        let session = SessionOptions::for_purpose(purpose);
        let driver = server.driver(Protocol::Text).with_session(session);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            for (name, limit) in [
                ("statement_timeout", "7s"),
                ("lock_timeout", "6s"),
                ("idle_in_transaction_session_timeout", "5s"),
                ("idle_session_timeout", "4s"),
            ] {
                let expected = if purpose == Purpose::Load { limit } else { "0" };
                let told = value(&mut connection, &format!("SHOW {name}")).await;
                assert_eq!(told, expected, "{name}, {purpose:?}");
            }
        });
    }
}

#[test]
fn a_limit_that_cuts_off_the_question_itself_is_lifted() {
    let server = postgres_server::Server::start(&["statement_timeout=1ms"]);
    let session = SessionOptions::for_purpose(Purpose::Administration);
    let driver = server.driver(Protocol::Text).with_session(session);
    run(|handle| async move {
        for _ in 0..30 {
            let mut connection = connect(&driver, &handle).await;
            assert_eq!(value(&mut connection, "SHOW statement_timeout").await, "0");
        }
    });
}

#[test]
fn rows_that_a_policy_hides_are_an_error_to_those_who_ask_for_all() {
    let server = postgres_server::Server::start(&[]);
    let owner = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut owner = connect(&owner, &handle).await;
        let make = [
            "CREATE TABLE hidden (k INT)",
            "INSERT INTO hidden VALUES (1), (2), (3)",
            "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY odd ON hidden USING (k % 2 = 1)",
            "CREATE USER another PASSWORD 'theirs'",
            "GRANT SELECT ON hidden TO another",
        ];
        execute_all(&mut owner, &make).await;
    });
    for purpose in PURPOSES {
        let driver = driver::postgres::PostgresDriver::from_url(
            &server.url_of("another:theirs"),
            None,
            Protocol::Text,
        );
        let driver = driver.unwrap().with_session(SessionOptions::for_purpose(purpose));
        run(|handle| async move {
            let mut connection = driver.connect(&handle, crate::support::LIMITS).await.unwrap();
            if purpose == Purpose::Administration {
                let error = query_error(&mut connection, "SELECT k FROM hidden").await;
                assert_eq!(error.sqlstate(), "42501");
                assert!(error.message().contains("row-level security"), "{error}");
            } else {
                assert_eq!(rows(&mut connection, "SELECT k FROM hidden").await.len(), 2);
            }
        });
    }
}
