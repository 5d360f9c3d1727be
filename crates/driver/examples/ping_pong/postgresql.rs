//! As much of `PostgreSQL`'s protocol as one prepared statement takes.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::wire::Wire;

/// The tag of a message, and its length, in which the tag is not counted.
const HEADER_BYTES: usize = 5;

const PROTOCOL_3: [u8; 4] = [0, 3, 0, 0];
const SSL_REQUEST: [u8; 4] = [4, 210, 22, 47];

/// Bind of statement `s0` with one number.
const BIND: &[u8] = b"B\0\0\0\x17\0s0\0\0\0\0\x01\0\0\0\x0550000\0\0";

/// Execute and Sync end each execution.
const EXECUTE_AND_SYNC: &[u8] = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";

/// Parse, Describe and Sync.
const PREPARATION: &[u8] =
    b"P\0\0\0\x2bs0\0SELECT c FROM sbtest1 WHERE id=$1\0\0\0D\0\0\0\x08Ss0\0S\0\0\0\x04";

/// The server is ready, outside of a transaction.
const READY: &[u8] = b"Z\0\0\0\x05I";

/// The process that the server names to every connection.
const PROCESS: u8 = 1;

pub struct Postgresql;

impl Wire for Postgresql {
    fn question() -> Vec<u8> {
        [BIND, EXECUTE_AND_SYNC].concat()
    }

    fn answer() -> Vec<u8> {
        [message(b'2', b""), row(&[b'7'; 119]), READY.to_vec()].concat()
    }

    fn sign_on(socket: &mut TcpStream) -> io::Result<()> {
        let parameters = b"user\0root\0\0";
        let bytes = 8 + u8::try_from(parameters.len()).unwrap_or(0);
        socket.write_all(&[&[0, 0, 0, bytes], &PROTOCOL_3[..], parameters].concat())?;
        read_until_ready(socket)?;
        socket.write_all(PREPARATION)?;
        read_until_ready(socket)
    }

    fn welcome(socket: &mut TcpStream) -> io::Result<()> {
        let mut length_and_version = [0; 8];
        socket.read_exact(&mut length_and_version)?;
        let [a, b, c, d, version @ ..] = length_and_version;
        if version == SSL_REQUEST {
            socket.write_all(b"N")?;
            return Self::welcome(socket);
        }
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        socket.read_exact(&mut vec![0; length.saturating_sub(length_and_version.len())])?;
        let welcome = [
            message(b'R', &[0; 4]),
            message(b'S', b"server_version\x0017.0\0"),
            message(b'K', &[0, 0, 0, PROCESS, 0, 0, 0, 0]),
        ];
        socket.write_all(&[&welcome.concat(), READY].concat())
    }

    fn is_execution(bytes: &[u8]) -> bool {
        matches!(*bytes, [b'B', a, b, c, d, ..]
            if bytes.len() == 1 + length([a, b, c, d]) + EXECUTE_AND_SYNC.len())
            && bytes.ends_with(EXECUTE_AND_SYNC)
    }

    fn take(bytes: &[u8], executed: &mut u64) -> Option<(usize, Vec<u8>)> {
        let [tag, a, b, c, d] = *bytes.first_chunk::<HEADER_BYTES>()?;
        let end = 1 + length([a, b, c, d]);
        let answer = match (tag, bytes.get(HEADER_BYTES..end)?) {
            (b'P', _) => message(b'1', b""),
            (b'D', _) => [message(b't', &[0, 1, 0, 0, 0, 23]), column()].concat(),
            (b'B', _) => message(b'2', b""),
            (b'E', _) => {
                *executed += 1;
                row(&[b'7'; 119])
            }
            (b'C', _) => message(b'3', b""),
            (b'S', _) => READY.to_vec(),
            (b'Q', b"SELECT pg_backend_pid()\0") => number(PROCESS.into()),
            (b'Q', _) => number(*executed),
            // Goodbyes have no answer.
            _ => Vec::new(),
        };
        Some((end, answer))
    }
}

fn length(bytes: [u8; 4]) -> usize {
    u32::from_be_bytes(bytes) as usize
}

fn message(tag: u8, payload: &[u8]) -> Vec<u8> {
    let [.., a, b, c, d] = (payload.len() + 4).to_be_bytes();
    [&[tag, a, b, c, d], payload].concat()
}

/// The column `c` of sysbench's table: a text.
fn column() -> Vec<u8> {
    message(b'T', b"\0\x01c\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0")
}

/// One row with one field, and the end of the rows.
fn row(field: &[u8]) -> Vec<u8> {
    let [.., a, b, c, d] = field.len().to_be_bytes();
    let fields = [&[0, 1, a, b, c, d], field].concat();
    [message(b'D', &fields), message(b'C', b"SELECT 1\0")].concat()
}

/// The answer to a query: one row with one number.
fn number(number: u64) -> Vec<u8> {
    [column(), row(number.to_string().as_bytes()), READY.to_vec()].concat()
}

fn read_until_ready(socket: &mut TcpStream) -> io::Result<()> {
    loop {
        let mut header = [0; HEADER_BYTES];
        socket.read_exact(&mut header)?;
        let [tag, a, b, c, d] = header;
        socket.read_exact(&mut vec![0; length([a, b, c, d]).saturating_sub(4)])?;
        if tag == b'Z' {
            return Ok(());
        }
    }
}
