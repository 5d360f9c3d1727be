//! Answers that come in pieces: how long what has arrived may lie unread.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::mysql_impostor::{AUTOCOMMIT, IN_TRANSACTION, done, impostor, packet, refusal};
use crate::support::{LIMITS, statements};
use contract::{Connection, Discard, Driver, Request, SessionOptions, SqlError};
use driver::Protocol;
use driver::mysql::{MysqlConnection, MysqlDriver};
use eventloop::{EventLoop, Handle, Timestamp};

const STATEMENTS: usize = 10;
const UPDATED: &str = "Rows matched: 1  Changed: 1  Warnings: 0";

/// Answers to all commands but the last, of which each is in turn as long, and to the last.
fn answers(each: &[u8], last: Vec<u8>) -> Vec<u8> {
    [packet(1, each).repeat(STATEMENTS - 1), last].concat()
}

/// A result set of one row.
fn row(text: &str) -> Vec<u8> {
    let definition = b"\x03def\0\0\0\0\0\x0c\x2d\0\x78\0\0\0\xfd\0\0\0\0\0";
    let length = [u8::try_from(text.len()).unwrap()];
    let fields = [&[0, 0][..], &length, text.as_bytes()].concat();
    let end = [&[0xfe][..], &done(0, IN_TRANSACTION, "")[1..]].concat();
    let payloads: [&[u8]; 4] = [&[1, 1], definition, &fields, &end];
    payloads.iter().zip(1..).flat_map(|(payload, number)| packet(number, payload)).collect()
}

/// What the server sends at once behind the last command of each round: each time less than before.
fn rounds() -> Vec<Vec<u8>> {
    let (long, short) = (done(1, IN_TRANSACTION, UPDATED), done(1, IN_TRANSACTION, ""));
    let error = refusal(1213, "40001", "");
    [
        answers(&long, row(&"x".repeat(200))),
        answers(&long, row("x")),
        answers(&long, packet(1, &long)),
        answers(&long, packet(1, &short)),
        answers(&error, packet(1, &short)),
        answers(&short, packet(1, &error)),
        answers(&short, packet(1, &short)),
    ]
    .to_vec()
}

/// The state of a socket in `/proc/net/tcp`.
const ESTABLISHED: &str = "01";

/// Bytes that have arrived from a local port, and that nobody has read.
fn unread_bytes(port: u16) -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let remote = format!("0100007F:{port:04X}");
    let mut sockets = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    // Others with that port may linger, whose connections have ended.
    let socket = sockets.find(|fields| fields[2] == remote && fields[3] == ESTABLISHED).unwrap();
    usize::from_str_radix(socket[4].split_once(':').unwrap().1, 16).unwrap()
}

async fn ask(connection: &mut MysqlConnection) -> Result<(), SqlError> {
    for _ in 0..STATEMENTS {
        connection.queue(Request::Execute { statement: 0, parameters: &[] })?;
    }
    connection.flush(&mut Discard, &mut Vec::new()).await
}

/// The client's side: it asks once for each round, and counts the answers.
async fn client(driver: MysqlDriver, handle: Handle, answered: Rc<Cell<usize>>) {
    let mut connection = driver.connect(&handle, LIMITS).await.unwrap();
    connection.prepare(&statements(&["UPDATE t SET v = 1"])).await.unwrap();
    for _ in rounds() {
        // Some are refused: what counts is when it is known.
        let _ = ask(&mut connection).await;
        answered.set(answered.get() + 1);
    }
}

/// The loop's beat, at which deadlines are looked at, would find what no event tells of. So the loop is
/// turned by hand, and an answer has to be found at the first turn after it has arrived as a whole.
#[test]
fn an_answer_that_is_complete_is_never_left_lying() {
    let (release, released) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let mut commands = 0;
    let mut is_set_up = false;
    let mut rounds_left = rounds().into_iter();
    let port = impostor(AUTOCOMMIT, move |_| {
        if !std::mem::replace(&mut is_set_up, true) {
            // SET autocommit=0, which the flags confirm.
            return Some(packet(1, &done(0, 0, "")));
        }
        commands += 1;
        if commands % STATEMENTS > 0 {
            return Some(Vec::new());
        }
        tell.send(()).unwrap();
        released.recv().unwrap();
        rounds_left.next()
    });
    let url = format!("mysql://root@127.0.0.1:{port}/");
    let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
    let driver =
        driver.with_session(SessionOptions { autocommit: false, ..SessionOptions::default() });

    let mut event_loop = EventLoop::new().unwrap();
    let answered = Rc::new(Cell::new(0));
    event_loop.spawn(client(driver, event_loop.handle(), Rc::clone(&answered)));
    for (round, answer) in rounds().iter().enumerate() {
        while told.try_recv().is_err() {
            event_loop.turn(Timestamp::now() + Duration::from_millis(1)).unwrap();
        }
        release.send(()).unwrap();
        while unread_bytes(port) < answer.len() {
            std::thread::sleep(Duration::from_millis(1));
        }
        event_loop.turn(Timestamp::now()).unwrap();
        assert_eq!(answered.get(), round + 1, "an answer of {} bytes is unread", answer.len());
    }
}
