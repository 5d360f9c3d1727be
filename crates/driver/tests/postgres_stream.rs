//! Time limits, lost connections, and answers and questions of every size.

mod postgres_server;
mod support;

use std::process::Command;
use std::time::Duration;

use contract::{Driver, ErrorClass, Limits, SqlError};
use driver::Protocol;
use eventloop::Timestamp;
use postgres_server::Server;
use support::{LIMITS, connect, query_error, run, sizes, value};

const SLEEP: &str = "SELECT pg_sleep(30)";

#[test]
fn a_statement_that_takes_too_long_is_given_up() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let limits = Limits { statement: Duration::from_millis(300), ..LIMITS };
        let mut connection = driver.connect(&handle, limits).await.unwrap();
        let error = query_error(&mut connection, SLEEP).await;
        assert_eq!(error.class(), ErrorClass::Timeout);
        assert!(error.class().ends_connection());
        assert!(error.message().contains("within 0.3 s"), "{error}");
    });
}

/// A process of the server's: the one of the connection, another, and their parent.
const OWN: &str = "SELECT pg_backend_pid()";
const OTHER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
const PARENT: &str = r"SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)";

/// The error of a statement when a process of the server's gets a signal, before or in its middle.
fn error_after(signal: &'static str, process: &'static str, is_idle: bool) -> SqlError {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let process = value(&mut connection, process).await;
        let sender = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            Command::new("kill").args(["-s", signal, &process]).status().unwrap()
        });
        if is_idle {
            handle.sleep_until(Timestamp::now() + Duration::from_millis(500)).await;
        }
        let error = query_error(&mut connection, SLEEP).await;
        assert!(sender.join().unwrap().success());
        error
    })
}

#[test]
fn who_loses_the_connection_learns_why() {
    const IDLE: bool = true;
    const BUSY: bool = false;
    const CASES: [(&str, &str, bool, &str, &str); 9] = [
        ("TERM", OWN, IDLE, "57P01", "terminating connection due to administrator command"),
        ("TERM", OWN, BUSY, "57P01", "terminating connection due to administrator command"),
        ("KILL", OWN, IDLE, "08006", "the server closed the connection"),
        ("KILL", OWN, BUSY, "08006", "the server closed the connection"),
        ("KILL", OTHER, IDLE, "57P02", "because of crash of another server process"),
        ("KILL", OTHER, BUSY, "57P02", "because of crash of another server process"),
        ("QUIT", PARENT, BUSY, "57P01", "due to immediate shutdown command"),
        ("KILL", PARENT, IDLE, "57P01", "due to unexpected postmaster exit"),
        ("KILL", PARENT, BUSY, "08006", "the server closed the connection"),
    ];
    std::thread::scope(|scope| {
        for (signal, process, is_idle, sqlstate, words) in CASES {
            scope.spawn(move || {
                let error = error_after(signal, process, is_idle);
                let case = format!("{signal} {process} {is_idle}: {error}");
                let meaning = (error.class(), error.sqlstate());
                assert_eq!(meaning, (ErrorClass::ConnectionLost, sqlstate), "{case}");
                assert!(error.message().contains(words), "{case}");
            });
        }
    });
}

#[test]
fn answers_of_every_size_keep_the_connection_in_step() {
    let server = Server::start(&[]);
    let numbered = "SELECT x, REPEAT('y', 119) FROM generate_series(1, 10000) x WHERE x <= ?";
    sizes::answers_keep_the_connection_in_step(server.driver(Protocol::Prepared), numbered);
}

#[test]
fn questions_of_every_size_arrive() {
    let server = Server::start(&[]);
    for protocol in [Protocol::Prepared, Protocol::Text] {
        sizes::questions_arrive(server.driver(protocol));
    }
}
