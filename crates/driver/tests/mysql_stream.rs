//! Time limits, lost connections, arrival times, and answers and questions of every size.

mod mysql_server;
mod support;

use std::time::Duration;

use contract::{Connection, Discard, Driver, ErrorClass, Limits};
use driver::Protocol;
use eventloop::Timestamp;
use mysql_server::Server;
use support::{LIMITS, connect, execute_all, query_error, run, run_all, sizes, statements, value};

#[test]
fn a_statement_that_takes_too_long_is_given_up() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let limits = Limits { statement: Duration::from_millis(300), ..LIMITS };
        let mut connection = driver.connect(&handle, limits).await.unwrap();
        let error = query_error(&mut connection, "SELECT SLEEP(30)").await;
        assert_eq!(error.class(), ErrorClass::Timeout);
        assert!(error.class().ends_connection());
        assert!(error.message().contains("within 0.3 s"), "{error}");
    });
}

#[test]
fn a_connection_that_the_server_ends_is_lost() {
    let mut server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    let idle = run(|handle| {
        let driver = driver.clone();
        async move {
            let mut killer = connect(&driver, &handle).await;
            let mut victim = connect(&driver, &handle).await;
            let id = value(&mut victim, "SELECT CONNECTION_ID()").await;
            execute_all(&mut killer, &[&format!("KILL {id}")]).await;
            handle.sleep_until(Timestamp::now() + Duration::from_millis(200)).await;
            query_error(&mut victim, "SELECT 1").await
        }
    });
    assert_eq!(idle.class(), ErrorClass::ConnectionLost, "{idle}");
    let error = run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            server.kill();
        });
        let error = query_error(&mut connection, "SELECT SLEEP(30)").await;
        killer.join().unwrap();
        error
    });
    assert_eq!((error.class(), error.code()), (ErrorClass::ConnectionLost, 2013), "{error}");
}

#[test]
fn arrival_times_lie_between_question_and_answer() {
    let server = Server::start(&[]);
    for kernel_timestamps in [true, false] {
        let driver = server.driver(Protocol::Prepared).with_kernel_timestamps(kernel_timestamps);
        run(move |handle| async move {
            let mut connection = connect(&driver, &handle).await;
            assert_eq!(connection.has_kernel_timestamps(), kernel_timestamps);
            connection.prepare(&statements(&["DO SLEEP(0.02)"])).await.unwrap();
            for _ in 0..20 {
                let asked = Timestamp::now();
                connection.execute(0, &[], &mut Discard).await.unwrap();
                let arrived = connection.last_arrival();
                assert!(arrived.since(asked) >= 20_000_000, "before the server answered");
                assert!(arrived <= Timestamp::now(), "in the future");
            }
        });
    }
}

#[test]
fn the_kernel_knows_when_an_answer_arrived_that_is_read_late() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    let tasks = [0_u64, 300].map(|busy_ms| {
        let driver = driver.clone();
        move |handle: eventloop::Handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let start = Timestamp::now();
            if busy_ms > 0 {
                // The other's answer arrives while this one holds the loop up.
                handle.sleep_until(start + Duration::from_millis(20)).await;
                std::thread::sleep(Duration::from_millis(busy_ms));
                return (0, 0);
            }
            connection.query("SELECT SLEEP(0.1)", &mut Discard).await.unwrap();
            (connection.last_arrival().since(start), Timestamp::now().since(start))
        }
    });
    let results = run_all(tasks.into());
    let (arrived, read) = results[0];
    assert!(read >= 300_000_000, "the loop was not held up");
    assert!(arrived < read - 50_000_000, "arrived {arrived}, read {read}");
}

#[test]
fn answers_of_every_size_keep_the_connection_in_step() {
    let server = Server::start(&["--max-allowed-packet=128M"]);
    let numbered = "SELECT seq, REPEAT('y', 119) FROM seq_1_to_10000 WHERE seq <= ?";
    sizes::answers_keep_the_connection_in_step(server.driver(Protocol::Prepared), numbered);
}

#[test]
fn questions_of_every_size_arrive() {
    let server = Server::start(&["--max-allowed-packet=128M"]);
    for protocol in [Protocol::Prepared, Protocol::Text] {
        sizes::questions_arrive(server.driver(protocol));
    }
}
