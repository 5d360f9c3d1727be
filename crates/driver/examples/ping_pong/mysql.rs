//! As much of `MySQL`'s protocol as one prepared statement takes.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::wire::Wire;

const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;

/// What stands before a packet's payload.
const HEADER_BYTES: usize = 4;

const SQL: &[u8] = b"SELECT c FROM sbtest1 WHERE id=?";

/// What `MariaDB`'s own extension of the protocol is asked for stands in the last four bytes.
const SIGN_ON: &[u8] = b"\x04\xa2\x28\x01\0\0\0\x40\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \x10\0\0\0root\0\0mysql_native_password\0";

/// What `MariaDB` 10.11 says first, without encryption.
const GREETING: &[u8] = b"\n5.5.5-10.11.19-MariaDB\0\xaa\x01\0\x003tse\"uJO\0\
    \xfe\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\x1d\0\0\x000A821?)O5V6F\0mysql_native_password\0";

/// Success; autocommit is on.
const DONE: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

/// The end of rows.
const END: &[u8] = &[0xfe, 0, 0, 2, 0, 0, 0];

/// The column `c` of sysbench's table.
const COLUMN: &[u8] = b"\x03def\x01d\x01t\x01t\x01c\x01c\x0c\x2d\0\x78\0\0\0\xfe\0\0\0\0\0";

pub struct Mysql;

impl Wire for Mysql {
    fn question() -> Vec<u8> {
        // Statement 1 with one whole number, whose type the server knows.
        packet(0, b"\x17\x01\0\0\0\0\x01\0\0\0\0\0\x07\0\0\0\0\0\0\0")
    }

    fn answer() -> Vec<u8> {
        // The column is known from the statement's preparation.
        let row = [&[0, 0, 119][..], &[b'7'; 119]].concat();
        packets(&[&[1, 0], &row, END])
    }

    fn sign_on(socket: &mut TcpStream) -> io::Result<()> {
        read_packet(socket)?;
        socket.write_all(&packet(1, SIGN_ON))?;
        if read_packet(socket)? != DONE {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        socket.write_all(&packet(0, &[&[PREPARE], SQL].concat()))?;
        socket.read_exact(&mut vec![0; prepared(SQL).len()])
    }

    fn welcome(socket: &mut TcpStream) -> io::Result<()> {
        socket.write_all(&packet(0, GREETING))?;
        read_packet(socket)?;
        socket.write_all(&packet(2, DONE))
    }

    fn is_execution(bytes: &[u8]) -> bool {
        matches!(*bytes, [a, b, c, d, EXECUTE, ..]
            if bytes.len() == HEADER_BYTES + payload_bytes([a, b, c, d]))
    }

    fn take(bytes: &[u8], executed: &mut u64) -> Option<(usize, Vec<u8>)> {
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let command = rest.get(..payload_bytes(*header))?;
        let answer = match command {
            [EXECUTE, ..] => {
                *executed += 1;
                Self::answer()
            }
            [PREPARE, sql @ ..] => prepared(sql),
            [QUERY, sql @ ..] if sql == b"SELECT @@autocommit" => number(1),
            [QUERY, ..] => number(*executed),
            // Goodbyes have no answer.
            _ => Vec::new(),
        };
        Some((HEADER_BYTES + command.len(), answer))
    }
}

fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, ..] = payload.len().to_le_bytes();
    [&[a, b, c, sequence], payload].concat()
}

fn packets(payloads: &[&[u8]]) -> Vec<u8> {
    payloads.iter().zip(1..).flat_map(|(payload, number)| packet(number, payload)).collect()
}

/// A statement of number 1 with one column, and as many parameters as there are question marks.
fn prepared(sql: &[u8]) -> Vec<u8> {
    let parameters = sql.split(|byte| *byte == b'?').skip(1).count();
    let head = [0, 1, 0, 0, 0, 1, 0, u8::try_from(parameters).unwrap_or(u8::MAX), 0, 0, 0, 0];
    let definitions = vec![COLUMN; parameters + 1];
    packets(&[&[&head[..]], &definitions[..]].concat())
}

/// The answer to a query: one row with one number.
fn number(number: u64) -> Vec<u8> {
    let digits = number.to_string();
    let row = [&[u8::try_from(digits.len()).unwrap_or(0)], digits.as_bytes()].concat();
    packets(&[&[1, 1], COLUMN, &row, END])
}

/// Reads one packet's payload, waiting for it.
fn read_packet(socket: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut header = [0; HEADER_BYTES];
    socket.read_exact(&mut header)?;
    let mut payload = vec![0; payload_bytes(header)];
    socket.read_exact(&mut payload)?;
    Ok(payload)
}

fn payload_bytes([a, b, c, _]: [u8; HEADER_BYTES]) -> usize {
    u32::from_le_bytes([a, b, c, 0]) as usize
}
