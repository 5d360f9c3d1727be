//! Time limits, lost connections, and answers and questions of every size.

use std::fs;
use std::time::Duration;

use crate::postgres_server::Server;
use crate::support::{LIMITS, connect, query_error, run, sizes, value};
use contract::{Connection, Driver, ErrorClass, Limits, SqlError};
use driver::Protocol;
use driver::postgres::PostgresDriver;
use eventloop::{Handle, Timestamp};
use rustix::process::{Pid, Signal, kill_process};

const POLL: Duration = Duration::from_millis(10);
const SLEEP: &str = "SELECT pg_sleep(30)";

#[test]
fn a_statement_that_takes_too_long_is_given_up() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let limits = Limits { statement: Duration::from_secs(1), ..LIMITS };
        let mut connection = driver.connect(&handle, limits).await.unwrap();
        let error = query_error(&mut connection, SLEEP).await;
        assert_eq!(error.class(), ErrorClass::Timeout);
        assert!(error.class().ends_connection());
        assert!(error.message().contains("within 1 s"), "{error}");
    });
}

/// A process of the server's: the one of the connection, another, and their parent.
const OWN: &str = "SELECT pg_backend_pid()";
const OTHER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
const PARENT: &str = r"SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)";

/// The error of a statement when a process of the server's gets a signal, before or in its middle.
fn error_after(signal: Signal, process: &'static str, is_idle: bool) -> SqlError {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let own = value(&mut connection, OWN).await;
        let process = value(&mut connection, process).await;
        if is_idle {
            // A process that is still at sending its last answer tells no more than that.
            wait_for_event(&driver, &handle, &own, "ClientRead").await;
            send(signal, &process);
            // Whatever ends the connection has its process end last.
            while is_running(&own) {
                std::thread::sleep(POLL);
            }
            return query_error(&mut connection, SLEEP).await;
        }
        let sender = std::thread::spawn(move || {
            run(|handle| async move {
                wait_for_event(&driver, &handle, &own, "PgSleep").await;
            });
            send(signal, &process);
        });
        let error = query_error(&mut connection, SLEEP).await;
        sender.join().unwrap();
        error
    })
}

fn send(signal: Signal, process: &str) {
    kill_process(Pid::from_raw(process.parse().unwrap()).unwrap(), signal).unwrap();
}

/// Looks whether a process has not ended, be it that its parent has not heard of that yet.
fn is_running(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
}

/// Waits on a connection of its own until a process waits for such an event.
async fn wait_for_event(driver: &PostgresDriver, handle: &Handle, process: &str, event: &str) {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = {process} AND wait_event = '{event}'"
    );
    let mut watcher = connect(driver, handle).await;
    while value(&mut watcher, &sql).await != "1" {
        handle.sleep_until(Timestamp::now() + POLL).await;
    }
    watcher.close().await;
}

#[test]
fn who_loses_the_connection_learns_why() {
    const IDLE: bool = true;
    const BUSY: bool = false;
    const CASES: [(Signal, &str, bool, &str, &str); 9] = [
        (Signal::TERM, OWN, IDLE, "57P01", "terminating connection due to administrator command"),
        (Signal::TERM, OWN, BUSY, "57P01", "terminating connection due to administrator command"),
        (Signal::KILL, OWN, IDLE, "08006", "the server closed the connection"),
        (Signal::KILL, OWN, BUSY, "08006", "the server closed the connection"),
        (Signal::KILL, OTHER, IDLE, "57P02", "because of crash of another server process"),
        (Signal::KILL, OTHER, BUSY, "57P02", "because of crash of another server process"),
        (Signal::QUIT, PARENT, BUSY, "57P01", "due to immediate shutdown command"),
        (Signal::KILL, PARENT, IDLE, "57P01", "due to unexpected postmaster exit"),
        (Signal::KILL, PARENT, BUSY, "08006", "the server closed the connection"),
    ];
    std::thread::scope(|scope| {
        for (signal, process, is_idle, sqlstate, words) in CASES {
            scope.spawn(move || {
                let error = error_after(signal, process, is_idle);
                let case = format!("{signal:?} {process} {is_idle}: {error}");
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
