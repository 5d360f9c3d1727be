//! What breaks a connection in the middle, and what was acknowledged before.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::mysql_server::Server;
use crate::support::mysql_impostor::{AUTOCOMMIT, IN_TRANSACTION, done, impostor, packet, refusal};
use crate::support::{Certificates, LIMITS, connect, query_error, run, statements, value};
use contract::{Access, Connection, Discard, Driver, ErrorClass, Request, SessionOptions};
use driver::Protocol;
use driver::mysql::MysqlDriver;

fn driver_at(port: u16, parameters: &str, protocol: Protocol) -> MysqlDriver {
    let url = format!("mysql://root@127.0.0.1:{port}/?{parameters}");
    MysqlDriver::from_url(&url, None, protocol).unwrap()
}

/// A server that is told to stop says so to everybody, also to whom it has just answered.
#[test]
fn a_commit_that_was_acknowledged_is_no_failure_although_the_server_goes() {
    let goodbye = packet(0, &refusal(1053, "08S01", "Server shutdown in progress"));
    // The whole of it, and what may have arrived of it by then.
    for bytes in [goodbye.len(), 20, 6, 4, 1] {
        for protocol in [Protocol::Prepared, Protocol::Text, Protocol::Multi] {
            let goodbye = goodbye[..bytes].to_vec();
            // The first is that of SET autocommit=0, which the flags confirm.
            let off = done(0, 0, "");
            let mut answers = [off.clone(), done(1, IN_TRANSACTION, ""), off].into_iter();
            let port = impostor(AUTOCOMMIT, move |_| {
                let answer = packet(1, &answers.next()?);
                Some(if answers.len() > 0 { answer } else { [answer, goodbye.clone()].concat() })
            });
            let session = SessionOptions { autocommit: false, ..SessionOptions::default() };
            let driver = driver_at(port, "", protocol).with_session(session);
            run(move |handle| async move {
                let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
                connection.prepare(&statements(&["UPDATE t SET v = 1"])).await.unwrap();
                connection.execute(0, &[], &mut Discard).await.unwrap();
                if connection.sends_batches() {
                    connection.queue(Request::Commit).unwrap();
                    connection.flush(&mut Discard, &mut Vec::new()).await.unwrap();
                } else {
                    connection.commit().await.unwrap();
                }
                connection.begin(Access::ReadWrite).await.unwrap();
                let error = query_error(&mut connection, "SELECT 1").await;
                assert!(error.class().ends_connection(), "{error}");
                if bytes > 20 {
                    assert_eq!(error.class(), ErrorClass::ConnectionLost);
                    assert!(error.message().contains("shutdown in progress"), "{error}");
                }
            });
        }
    }
}

/// Hands bytes on in both directions. What comes from the server is damaged once it is told to.
fn damaging_proxy(server_port: u16, damages: &Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let damages = Arc::clone(damages);
    std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(("127.0.0.1", server_port)).unwrap();
        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        std::thread::spawn(move || hand_on(from, to, |_| {}));
        hand_on(server, client, |bytes| {
            if damages.load(Ordering::SeqCst)
                && let Some(last) = bytes.last_mut()
            {
                *last ^= 1;
            }
        });
    });
    port
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, change: impl Fn(&mut [u8])) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        change(&mut buffer[..length]);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn a_record_that_does_not_decrypt_ends_the_connection() {
    let certificates = Certificates::make();
    let server = Server::start(&[
        &format!("--ssl-cert={}", certificates.path("server.pem")),
        &format!("--ssl-key={}", certificates.path("server.key")),
    ]);
    let damages = Arc::new(AtomicBool::new(false));
    let port = damaging_proxy(server.port, &damages);
    let driver = driver_at(port, "ssl_mode=required", Protocol::Prepared);
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        assert_eq!(value(&mut connection, "SELECT 1").await, "1");
        damages.store(true, Ordering::SeqCst);
        let error = query_error(&mut connection, "SELECT 2").await;
        assert_eq!(error.class(), ErrorClass::ConnectionLost, "{error}");
        assert!(error.class().ends_connection() && error.message().contains("TLS"), "{error}");
    });
}
