//! The bytes of both sides: just as much of `MySQL`'s protocol as one prepared statement takes.

use std::io::{self, Read};
use std::net::TcpStream;

pub const QUERY: u8 = 0x03;
pub const PREPARE: u8 = 0x16;
pub const EXECUTE: u8 = 0x17;

/// What stands before a packet's payload.
pub const HEADER_BYTES: usize = 4;

/// What `MariaDB` 10.11 says first, without encryption.
pub const GREETING: &[u8] = b"\n5.5.5-10.11.19-MariaDB\0\xaa\x01\0\x003tse\"uJO\0\
    \xfe\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\x1d\0\0\x000A821?)O5V6F\0mysql_native_password\0";

/// Success; autocommit is on.
pub const DONE: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

/// The end of rows.
const END: &[u8] = &[0xfe, 0, 0, 2, 0, 0, 0];

/// The column `c` of sysbench's table.
const COLUMN: &[u8] = b"\x03def\x01d\x01t\x01t\x01c\x01c\x0c\x2d\0\x78\0\0\0\xfe\0\0\0\0\0";

pub fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, ..] = payload.len().to_le_bytes();
    [&[a, b, c, sequence], payload].concat()
}

fn packets(payloads: &[&[u8]]) -> Vec<u8> {
    payloads.iter().zip(1..).flat_map(|(payload, number)| packet(number, payload)).collect()
}

/// A statement of number 1 with one column, and as many parameters as there are question marks.
pub fn prepared(sql: &[u8]) -> Vec<u8> {
    let parameters = sql.split(|byte| *byte == b'?').skip(1).count();
    let head = [0, 1, 0, 0, 0, 1, 0, u8::try_from(parameters).unwrap_or(u8::MAX), 0, 0, 0, 0];
    let definitions = vec![COLUMN; parameters + 1];
    packets(&[&[&head[..]], &definitions[..]].concat())
}

/// The answer to `SELECT c FROM sbtest1 WHERE id=?`, whose column is known from its preparation.
pub fn row() -> Vec<u8> {
    let row = [&[0, 0, 119][..], &[b'7'; 119]].concat();
    packets(&[&[1, 0], &row, END])
}

/// The answer to a query: one row with one number.
pub fn number(number: u64) -> Vec<u8> {
    let digits = number.to_string();
    let row = [&[u8::try_from(digits.len()).unwrap_or(0)], digits.as_bytes()].concat();
    packets(&[&[1, 1], COLUMN, &row, END])
}

/// The execution of statement 1 with one whole number, whose type the server knows.
pub fn execute() -> Vec<u8> {
    packet(0, b"\x17\x01\0\0\0\0\x01\0\0\0\0\0\x07\0\0\0\0\0\0\0")
}

/// Reads one packet's payload, waiting for it.
pub fn read_packet(mut socket: &TcpStream) -> io::Result<Vec<u8>> {
    let mut header = [0; HEADER_BYTES];
    socket.read_exact(&mut header)?;
    let mut payload = vec![0; payload_bytes(header)];
    socket.read_exact(&mut payload)?;
    Ok(payload)
}

pub fn payload_bytes([a, b, c, _]: [u8; HEADER_BYTES]) -> usize {
    u32::from_le_bytes([a, b, c, 0]) as usize
}
