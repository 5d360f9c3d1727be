//! Layers in front of servers, which speak the protocol in their own way.

use std::sync::{Arc, Mutex};

use crate::support::mysql_impostor::{AUTOCOMMIT, done, impostor, packet, refusal};
use crate::support::{LIMITS, run, statements};
use contract::{
    Access, Connection, Discard, Driver, ErrorClass, Pipelining, Probe, SessionOptions, SqlError,
    Value,
};
use driver::Protocol;
use driver::mysql::{MysqlConnection, MysqlDriver};

const EXECUTE: u8 = 0x17;

/// Flags of a layer that shows neither autocommit nor an open transaction.
const NONE: u8 = 0;

const ASK: &str = "SELECT @@autocommit";

const UPDATE: &str = "UPDATE t SET v = 1";

/// What a layer was told, in its order.
type Heard = Arc<Mutex<Vec<String>>>;

fn driver_at(port: u16, autocommit: bool) -> MysqlDriver {
    let url = format!("mysql://root@127.0.0.1:{port}/");
    let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
    driver.with_session(SessionOptions { autocommit, ..SessionOptions::default() })
}

/// A result set of one row with one field; the flags never change.
fn result_set(column_type: u8, fields: &[u8]) -> Vec<u8> {
    let definition =
        [&b"\x03def\0\0\0\0\0\x0c\x2d\0\x78\0\0\0"[..], &[column_type], &[0; 5]].concat();
    let end = [&[0xfe][..], &done(0, AUTOCOMMIT, "")[1..]].concat();
    let payloads: [&[u8]; 4] = [&[1, 1], &definition, fields, &end];
    payloads.iter().zip(1..).flat_map(|(payload, number)| packet(number, payload)).collect()
}

/// In the text protocol.
fn text(text: &str) -> Vec<u8> {
    let length = [u8::try_from(text.len()).unwrap()];
    result_set(0xfd, &[&length, text.as_bytes()].concat())
}

/// In the binary protocol.
fn integer(value: i32) -> Vec<u8> {
    result_set(0x03, &[&[0, 0][..], &value.to_le_bytes()].concat())
}

/// A layer that answers everything with the flag of autocommit and no other.
fn silent_layer(
    words: &'static [&'static str],
    execute: impl Fn() -> Vec<u8> + Send + 'static,
) -> (u16, Heard) {
    layer_with(AUTOCOMMIT, words, execute)
}

/// A layer that answers everything with the same flags. Asked for autocommit, it says these words one
/// after another; an execution is answered by `execute`.
fn layer_with(
    flags: u8,
    words: &'static [&'static str],
    execute: impl Fn() -> Vec<u8> + Send + 'static,
) -> (u16, Heard) {
    let heard = Heard::default();
    let told = Arc::clone(&heard);
    let mut words = words.iter();
    let port = impostor(flags, move |command| {
        if command[0] == EXECUTE {
            return Some(execute());
        }
        let sql = String::from_utf8_lossy(&command[1..]).into_owned();
        told.lock().unwrap().push(sql.clone());
        match sql.as_str() {
            ASK => Some(text(words.next()?)),
            _ => Some(packet(1, &done(0, flags, ""))),
        }
    });
    (port, heard)
}

fn connect(port: u16, autocommit: bool) -> Result<(), SqlError> {
    run(move |handle| async move {
        driver_at(port, autocommit).connect(&handle, LIMITS).await.map(drop)
    })
}

fn updated() -> Vec<u8> {
    packet(1, &done(1, AUTOCOMMIT, ""))
}

async fn prepared(port: u16, autocommit: bool, handle: &eventloop::Handle) -> MysqlConnection {
    let mut connection = driver_at(port, autocommit).connect(handle, LIMITS).await.unwrap();
    connection.prepare(&statements(&[UPDATE])).await.unwrap();
    connection
}

#[test]
fn a_layer_that_obeys_and_does_not_say_so_is_asked() {
    for flags in [AUTOCOMMIT, NONE] {
        let (port, heard) = layer_with(flags, &["0", "0"], updated);
        run(move |handle| async move {
            let mut connection = prepared(port, false, &handle).await;
            assert!(!connection.in_transaction());
            for ends_with in ["COMMIT", "ROLLBACK"] {
                connection.execute(0, &[], &mut Discard).await.unwrap();
                assert!(connection.in_transaction());
                if ends_with == "COMMIT" {
                    connection.commit().await.unwrap();
                } else {
                    connection.rollback().await.unwrap();
                }
                assert!(!connection.in_transaction());
            }
            // Nothing is open: nothing is sent.
            connection.rollback().await.unwrap();
        });
        let expected = ["SET autocommit=0", ASK, "COMMIT", ASK, "COMMIT", "COMMIT", "ROLLBACK"];
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}

#[test]
fn a_layer_whose_flags_show_nothing_keeps_a_transaction_open_until_its_end() {
    let (port, heard) = layer_with(NONE, &["1"], updated);
    run(move |handle| async move {
        let mut connection = prepared(port, true, &handle).await;
        connection.begin(Access::ReadWrite).await.unwrap();
        connection.execute(0, &[], &mut Discard).await.unwrap();
        assert!(connection.in_transaction());
        connection.rollback().await.unwrap();
    });
    let expected = ["SET autocommit=1", ASK, "BEGIN", "ROLLBACK"];
    assert_eq!(*heard.lock().unwrap(), expected);
}

/// What flags do not show follows from the statements, however they are written.
#[test]
fn a_layer_whose_flags_show_nothing_is_sent_the_rollback_of_every_open_transaction() {
    for (before, sql, is_open) in [
        ("BEGIN", "ROLLBACK TO SAVEPOINT s", true),
        ("BEGIN", "rollback work to s", true),
        ("BEGIN", "RELEASE SAVEPOINT s", true),
        ("BEGIN", "COMMIT AND CHAIN", true),
        ("BEGIN", "ROLLBACK WORK AND CHAIN", true),
        ("BEGIN", "/* x */ COMMIT AND NO CHAIN", false),
        ("BEGIN", "# x\nrollback", false),
        ("SET @a = 1", "/* x */ START TRANSACTION WITH CONSISTENT SNAPSHOT", true),
        ("SET @a = 1", "START REPLICA", false),
        ("SET @a = 1", "BEGIN NOT ATOMIC SELECT 1; END", false),
        ("XA START 'a'", "XA END 'a'", true),
        ("XA START 'a'", "XA COMMIT 'a'", false),
        ("XA BEGIN 'a'", "XA ROLLBACK 'a'", false),
        ("SET autocommit=0", UPDATE, true),
        ("SET SESSION autocommit = OFF", "SELECT v FROM t", true),
        ("SET @@autocommit=0; UPDATE t SET v = 1", "COMMIT", false),
        ("SET @@autocommit=0; COMMIT", UPDATE, true),
        ("SET autocommit=0; UPDATE t SET v = 1", "SET autocommit=1", false),
        ("SET autocommit=0; SET autocommit=1", UPDATE, false),
        ("SET completion_type=CHAIN; BEGIN; COMMIT", UPDATE, true),
        ("SET completion_type=CHAIN; SET autocommit=1; BEGIN; COMMIT", UPDATE, true),
    ] {
        let (port, heard) = layer_with(NONE, &["1"], updated);
        run(move |handle| async move {
            let mut connection = driver_at(port, true).connect(&handle, LIMITS).await.unwrap();
            for sql in before.split("; ").chain([sql]) {
                connection.query(sql, &mut Discard).await.unwrap();
            }
            assert_eq!(connection.in_transaction(), is_open, "{before}; {sql}");
            connection.rollback().await.unwrap();
        });
        let told_to_roll_back = heard.lock().unwrap().last().unwrap() == "ROLLBACK";
        assert_eq!(told_to_roll_back, is_open, "{sql}");
    }
}

/// The first connection asks, for all: none of them sets what the flag already shows.
#[test]
fn a_layer_that_always_shows_autocommit_is_asked_whether_it_is_on() {
    for (word, is_kept) in [("1", true), ("0", false)] {
        let words: &'static [&'static str] = if is_kept { &["1"] } else { &["0"] };
        let (port, heard) = silent_layer(words, updated);
        let described = run(move |handle| async move {
            let mut connection = driver_at(port, true).connect(&handle, LIMITS).await.unwrap();
            connection.describe_session().await
        });
        assert_eq!(heard.lock().unwrap().iter().filter(|sql| *sql == ASK).count(), 1);
        match described {
            Ok(facts) => assert!(is_kept && facts.autocommit),
            Err(error) => {
                assert!(!is_kept, "{error}");
                let expected = format!("does not keep autocommit=1: it answers {word}");
                assert!(error.message().contains(&expected), "{error}");
            }
        }
    }
}

#[test]
fn a_layer_that_does_not_obey_or_forgets_it_at_commit_is_refused() {
    for flags in [AUTOCOMMIT, NONE] {
        for words in [&["1"][..], &["0", "1"]] {
            let (port, _) = layer_with(flags, words, updated);
            let error = connect(port, false).unwrap_err();
            assert_eq!(error.class(), ErrorClass::InvalidStatement);
            assert!(error.message().contains("does not keep autocommit=0"), "{error}");
        }
    }
}

#[test]
fn what_failed_is_rolled_back_although_the_layer_tells_of_no_transaction() {
    let duplicate = || packet(1, &refusal(1062, "23000", "Duplicate entry"));
    let (port, heard) = silent_layer(&[], duplicate);
    run(move |handle| async move {
        let mut connection = prepared(port, true, &handle).await;
        connection.begin(Access::ReadWrite).await.unwrap();
        let error = connection.execute(0, &[], &mut Discard).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::DuplicateKey);
        connection.rollback().await.unwrap();
    });
    assert_eq!(*heard.lock().unwrap(), ["BEGIN", "ROLLBACK"]);
}

/// What is found out about a layer that answers executions in its own way.
fn tried(execute: impl Fn() -> Vec<u8> + Send + 'static) -> Pipelining {
    let (port, _) = silent_layer(&["0", "0"], execute);
    let driver = driver_at(port, false);
    let found = driver.clone();
    let is_usable = run(move |handle| async move {
        let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
        connection.prepare(&statements(&["SELECT i FROM t WHERE i = ?"])).await.unwrap();
        let probe = |item| Probe { statement: 0, parameters: vec![item], first_column: item };
        let probes: Vec<Probe> = (1..=3).map(probe).collect();
        let is_usable = connection.try_out(&probes).await;
        assert_eq!(connection.pipelines(), is_usable);
        is_usable
    });
    assert_eq!(is_usable, found.pipelining() == Pipelining::On);
    found.pipelining()
}

#[test]
fn round_trips_are_not_shared_where_the_layer_does_not_take_it() {
    let Pipelining::Refused(reason) =
        tried(|| packet(1, &refusal(1047, "08S01", "Unknown command 0")))
    else {
        panic!("it was not found");
    };
    assert!(reason.contains("Unknown command 0") && !reason.contains("--pipelining"), "{reason}");
}

#[test]
fn round_trips_are_not_shared_where_answers_come_in_another_order() {
    let turn = Mutex::new([1, 3, 2].into_iter().cycle());
    let swapped = move || integer(turn.lock().unwrap().next().unwrap());
    let Pipelining::Refused(reason) = tried(swapped) else { panic!("it was not found") };
    assert!(reason.contains("another order"), "{reason}");
}

#[test]
fn round_trips_are_shared_where_answers_come_in_their_order() {
    let turn = Mutex::new((1..=3).cycle());
    let in_order = move || integer(turn.lock().unwrap().next().unwrap());
    assert_eq!(tried(in_order), Pipelining::On);
}

/// It says that it takes several statements in one text, and carries out the first.
#[test]
fn a_layer_that_takes_one_statement_of_several_is_found_out_before_the_load() {
    let port = impostor(AUTOCOMMIT, |_| Some(packet(1, &done(0, AUTOCOMMIT, ""))));
    let url = format!("mysql://root@127.0.0.1:{port}/");
    let driver = MysqlDriver::from_url(&url, None, Protocol::Multi).unwrap();
    let error = run(|handle| async move {
        let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
        connection.prepare(&statements(&[UPDATE])).await.unwrap();
        connection.describe_session().await.unwrap_err()
    });
    assert_eq!(error.class(), ErrorClass::InvalidStatement);
    assert!(error.message().contains("use the protocol prepared or text"), "{error}");
}

#[test]
fn a_server_that_was_not_told_the_types_of_parameters_is_told_them_again() {
    let mut executions = Vec::new();
    let (told, heard) = std::sync::mpsc::channel();
    let port = impostor(AUTOCOMMIT, move |command| match command[0] {
        EXECUTE => {
            // Behind the map of NULLs stands whether types follow.
            executions.push(command[11]);
            told.send(command[11]).unwrap();
            let lost = refusal(1210, "HY000", "Incorrect arguments to mysqld_stmt_execute");
            let answer = if executions.len() == 2 { lost } else { done(1, AUTOCOMMIT, "") };
            Some(packet(1, &answer))
        }
        // To this there is no answer.
        0x19 => Some(Vec::new()),
        _ => Some(packet(1, &done(0, AUTOCOMMIT, ""))),
    });
    let driver = driver_at(port, true);
    run(|handle| async move {
        let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
        connection.prepare(&statements(&["UPDATE t SET v = ?"])).await.unwrap();
        let five = [Value::Int(5)];
        connection.execute(0, &five, &mut Discard).await.unwrap();
        let error = connection.execute(0, &five, &mut Discard).await.unwrap_err();
        assert_eq!(error.class(), ErrorClass::StatementLost);
        assert!(error.message().contains("--db-ps-mode=disable"), "{error}");
        connection.prepare_anew().await.unwrap();
        connection.execute(0, &five, &mut Discard).await.unwrap();
    });
    assert_eq!(heard.iter().take(3).collect::<Vec<_>>(), [1, 0, 1]);
}

/// A layer that ends a connection over an execution leaves no words; a server that is gone after many of
/// them left for another reason.
#[test]
fn a_connection_that_is_lost_over_one_of_its_first_executions_has_advice() {
    for (answered, is_advised) in [(1, true), (40, false)] {
        let mut executions = 0;
        let port = impostor(AUTOCOMMIT, move |command| {
            executions += usize::from(command[0] == EXECUTE);
            (executions <= answered).then(|| packet(1, &done(1, AUTOCOMMIT, "")))
        });
        let driver = driver_at(port, true);
        let error = run(|handle| async move {
            let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
            connection.prepare(&statements(&["UPDATE t SET v = ?"])).await.unwrap();
            let five = [Value::Int(5)];
            for _ in 0..answered {
                connection.execute(0, &five, &mut Discard).await.unwrap();
            }
            connection.execute(0, &five, &mut Discard).await.unwrap_err()
        });
        assert_eq!((error.class(), error.code()), (ErrorClass::ConnectionLost, 2013));
        assert_eq!(error.message().contains("--db-ps-mode=disable"), is_advised, "{error}");
    }
}
