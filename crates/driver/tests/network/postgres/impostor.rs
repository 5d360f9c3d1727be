//! What only a server that is none would send: a socket that says what a script tells it to.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use crate::support::{self, LIMITS, run};
use contract::{Collect, Connection, Driver, ErrorClass, Limits, SqlError};
use driver::Protocol;
use driver::postgres::PostgresDriver;

const READY: &[u8] = b"Z\0\0\0\x05I";

fn message(tag: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], payload].concat()
}

fn authentication(method: u8, payload: &[u8]) -> Vec<u8> {
    message(b'R', &[&[0, 0, 0, method], payload].concat())
}

/// All that a server says to whom it takes in without a proof.
fn welcome() -> Vec<u8> {
    let version = message(b'S', b"server_version\x0017\0");
    [&authentication(0, b"")[..], &version, READY].concat()
}

/// Listens once: whenever something comes, it sends the next of these. At the end it waits until
/// the other side has had enough.
fn impostor(parameters: &str, script: Vec<Vec<u8>>) -> PostgresDriver {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut heard = [0; 4096];
        for words in script {
            if socket.read(&mut heard).is_ok_and(|bytes| bytes > 0) {
                let _ = socket.write_all(&words);
            }
        }
        while socket.read(&mut heard).is_ok_and(|bytes| bytes > 0) {}
    });
    let url = format!("postgresql://somebody:secret@127.0.0.1:{port}/?{parameters}");
    PostgresDriver::from_url(&url, None, Protocol::Text).unwrap()
}

fn sign_on_error(parameters: &str, script: &[Vec<u8>]) -> SqlError {
    support::refusal(impostor(parameters, script.to_vec()))
}

/// The error of a query to a server that was honest until then.
fn query_error(answer: &[u8]) -> SqlError {
    let driver = impostor("", vec![welcome(), answer.to_vec()]);
    run(|handle| async move {
        let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
        assert_eq!(connection.server_version(), "PostgreSQL 17");
        connection.query("SELECT 1", &mut Collect::default()).await.unwrap_err()
    })
}

#[test]
fn what_breaks_the_protocol_while_signing_on_is_found_out() {
    let not_http = b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec();
    for words in [
        not_http,
        // Lengths that are none.
        b"R\0\0\0\0".to_vec(),
        b"R\xff\xff\xff\xff\0\0\0\0".to_vec(),
        // An authentication without its number, a salt that is too short.
        message(b'R', b""),
        authentication(5, b"abc"),
        // An error and a setting without an end, a row that nobody asked for.
        message(b'E', b"SFATAL"),
        message(b'S', b"version"),
        message(b'D', b"\0\0"),
        // No version.
        [&authentication(0, b"")[..], READY].concat(),
    ] {
        let error = sign_on_error("", &[words]);
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::Protocol, "08P01"), "{error}");
    }
}

#[test]
fn a_server_must_prove_that_it_knows_the_password() {
    let offer = authentication(10, b"SCRAM-SHA-256\0\0");
    let other = authentication(10, b"SCRAM-MD5\0\0");
    let challenge = authentication(11, b"r=not yours,s=c2FsdA==,i=1");
    for (script, expected) in [
        (&[offer.clone(), welcome()][..], "left out a step of SCRAM-SHA-256"),
        (&[offer, challenge.clone()], "can't be answered"),
        (&[challenge], "left out a step of SCRAM-SHA-256"),
        (&[other], "the server offers only SCRAM-MD5"),
    ] {
        let error = sign_on_error("", script);
        assert_eq!(error.class(), ErrorClass::AccessDenied, "{error}");
        assert!(error.message().contains(expected), "{error}");
    }
}

#[test]
fn what_comes_with_the_consent_to_encrypt_is_not_taken_for_the_servers() {
    let injected = [b"S", &welcome()[..]].concat();
    for words in [injected, message(b'E', b"\0"), b"X".to_vec()] {
        let error = sign_on_error("ssl_mode=required", &[words]);
        assert_eq!(error.class(), ErrorClass::Protocol, "{error}");
    }
    let script = [b"S".to_vec(), b"certainly no handshake".to_vec()];
    let error = sign_on_error("ssl_mode=required", &script);
    assert_eq!(error.class(), ErrorClass::AccessDenied, "{error}");
    assert!(error.message().starts_with("TLS"), "{error}");
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    for parameters in ["", "ssl_mode=preferred"] {
        let driver = impostor(parameters, Vec::new());
        let limits = Limits { connect: Duration::from_millis(200), ..LIMITS };
        let error =
            run(|handle| async move { driver.connect(&handle, limits).await.err().unwrap() });
        assert_eq!(error.class(), ErrorClass::Timeout);
        assert!(error.message().contains("within 0.2 s"), "{error}");
    }
}

/// Answers what is said first with `welcome`, and whatever comes next with the same words for ever.
fn flood(welcome: Vec<u8>, words: &[u8]) -> PostgresDriver {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let many = words.repeat(1 + 100_000 / words.len());
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut heard = [0; 4096];
        for first in [welcome, Vec::new()] {
            if socket.read(&mut heard).is_ok() && !first.is_empty() {
                socket.write_all(&first).unwrap();
            }
        }
        while socket.write_all(&many).is_ok() {}
    });
    let url = format!("postgresql://somebody:secret@127.0.0.1:{port}/");
    PostgresDriver::from_url(&url, None, Protocol::Text).unwrap()
}

#[test]
fn what_a_server_never_stops_to_say_holds_nobody_past_a_deadline() {
    let notice = message(b'N', b"SNOTICE\0C00000\0Mstill here\0\0");
    let error = message(b'E', b"SERROR\0C22012\0Mstill wrong\0\0");
    let short = Limits { connect: Duration::from_secs(1), statement: Duration::from_millis(300) };
    for words in [notice.clone(), error] {
        let driver = flood(welcome(), &words);
        let refusal = run(|handle| async move {
            let mut connection = driver.connect(&handle, short).await.unwrap();
            connection.query("SELECT 1", &mut Collect::default()).await.unwrap_err()
        });
        assert_eq!(refusal.class(), ErrorClass::Timeout, "{refusal}");
    }
    let driver = flood(notice.clone(), &notice);
    let refusal = run(|handle| async move { driver.connect(&handle, short).await.err().unwrap() });
    assert_eq!(refusal.class(), ErrorClass::Timeout, "{refusal}");
}

#[test]
fn what_breaks_the_protocol_in_an_answer_is_found_out() {
    let column = message(b'T', b"\0\x01x\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0");
    let two_fields = message(b'D', b"\0\x02\xff\xff\xff\xff\xff\xff\xff\xff");
    let torn_field = message(b'D', b"\0\x01\0\0\0\x09x");
    let done = message(b'C', b"SELECT 0\0");
    for answer in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        [&column, &two_fields, READY].concat(),
        [&column, &torn_field, READY].concat(),
        [&done, READY, READY].concat(),
        // Ready, but nothing was done; rows are wanted, but none were offered.
        READY.to_vec(),
        message(b'G', b"\0\0\0"),
    ] {
        let error = query_error(&answer);
        assert_eq!(error.class(), ErrorClass::Protocol, "{error}");
    }
}

/// What stands between a server and its clients may leave out the severity that is never translated.
#[test]
fn an_error_with_less_in_it_is_understood() {
    let refusal = message(b'E', b"SFATAL\0C53300\0Mno more connections\0\0");
    let error = sign_on_error("", &[refusal]);
    assert_eq!(error.class(), ErrorClass::TooManyConnections, "{error}");
    let error = query_error(&message(b'E', b"SFATAL\0CXX000\0Mserver gone\0\0"));
    assert_eq!(error.class(), ErrorClass::ConnectionLost, "{error}");
}
