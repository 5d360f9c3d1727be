//! Time limits, lost connections, arrival times, and answers and questions of every size.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::mysql_server::Server;
use crate::support::{
    LIMITS, connect, execute_all, query_error, run, run_all, sizes, statements, value,
};
use contract::{Connection, Discard, Driver, ErrorClass, Limits};
use driver::Protocol;
use driver::mysql::MysqlDriver;
use eventloop::Timestamp;

#[test]
fn a_statement_that_takes_too_long_is_given_up() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(move |handle| async move {
        let limits = Limits { statement: Duration::from_secs(1), ..LIMITS };
        let mut connection = driver.connect(&handle, limits).await.unwrap();
        let error = query_error(&mut connection, "SELECT SLEEP(30)").await;
        assert_eq!(error.class(), ErrorClass::Timeout);
        assert!(error.class().ends_connection());
        assert!(error.message().contains("within 1 s"), "{error}");
    });
}

/// What a connection is waited for to do.
#[derive(Clone, Copy, PartialEq)]
enum Doing {
    /// It executes `SLEEP`: one that executes something may still be at its last statement.
    Sleeping,
    /// It waits for a statement.
    Nothing,
    /// It is gone.
    Gone,
}

/// Waits on a connection of its own until a connection does that.
fn wait_for(driver: &MysqlDriver, id: &str, doing: Doing) {
    let condition = match doing {
        Doing::Sleeping => "state = 'User sleep'",
        Doing::Nothing => "command = 'Sleep'",
        Doing::Gone => "TRUE",
    };
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id} AND {condition}"
    );
    let wanted = if doing == Doing::Gone { "0" } else { "1" };
    let driver = driver.clone();
    run(move |handle| async move {
        let mut watcher = connect(&driver, &handle).await;
        while value(&mut watcher, &sql).await != wanted {
            handle.sleep_until(Timestamp::now() + Duration::from_millis(10)).await;
        }
    });
}

/// Ends the statement that a connection has under way, and waits until it is answered.
fn interrupt(driver: &MysqlDriver, id: &str) {
    wait_for(driver, id, Doing::Sleeping);
    let (killer, kill) = (driver.clone(), format!("KILL QUERY {id}"));
    run(move |handle| async move {
        execute_all(&mut connect(&killer, &handle).await, &[&kill]).await;
    });
    wait_for(driver, id, Doing::Nothing);
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
            wait_for(&driver, &id, Doing::Gone);
            query_error(&mut victim, "SELECT 1").await
        }
    });
    assert_eq!(idle.class(), ErrorClass::ConnectionLost, "{idle}");
    let error = run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let id = value(&mut connection, "SELECT CONNECTION_ID()").await;
        let killer = std::thread::spawn(move || {
            wait_for(&driver, &id, Doing::Sleeping);
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
    let held_up = Duration::from_millis(100);
    let id = Rc::new(RefCell::new(None::<String>));
    let tasks = [true, false].map(|asks| {
        let (driver, id) = (driver.clone(), Rc::clone(&id));
        move |handle: eventloop::Handle| async move {
            if asks {
                let mut connection = connect(&driver, &handle).await;
                let own = value(&mut connection, "SELECT CONNECTION_ID()").await;
                *id.borrow_mut() = Some(own);
                // It is interrupted, which some servers call an error.
                let answer = connection.query("SELECT SLEEP(30)", &mut Discard).await;
                assert_ne!(answer.err().map(|error| error.class()), Some(ErrorClass::Timeout));
                return (connection.last_arrival(), Timestamp::now());
            }
            while id.borrow().is_none() {
                handle.sleep_until(Timestamp::now() + Duration::from_millis(1)).await;
            }
            let other = id.take().unwrap();
            // The other's answer arrives while this one holds the loop up.
            std::thread::spawn(move || interrupt(&driver, &other)).join().unwrap();
            std::thread::sleep(held_up);
            (Timestamp::now(), Timestamp::now())
        }
    });
    let results = run_all(tasks.into());
    let (arrived, read) = results[0];
    let unread_ns = u128::from(read.since(arrived));
    assert!(unread_ns >= held_up.as_nanos(), "it arrived {unread_ns} ns before it was read");
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
