//! A `MySQL` server that is none: a socket that signs everybody on and says what a script tells it to.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

/// What `MariaDB` 10.11 says, with all that this driver asks for.
const GREETING: &[u8] = b"\n5.5.5-10.11.19-MariaDB\0\xaa\x01\0\x003tse\"uJO\0\
    \xfe\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\x1d\0\0\x000A821?)O5V6F\0mysql_native_password\0";

const PREPARE: u8 = 0x16;
const QUIT: u8 = 0x01;

/// Flags of a session's state.
pub const IN_TRANSACTION: u8 = 0x01;
pub const AUTOCOMMIT: u8 = 0x02;

/// Signs one client on, whose session begins with these flags. Statements are prepared; of each other
/// command the script is told the payload, and what it returns is sent as it is; the connection ends
/// where it returns nothing. Returns the port.
pub fn impostor(flags: u8, script: impl FnMut(&[u8]) -> Option<Vec<u8>> + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        // Whoever has had enough closes the connection.
        let _ = serve(socket, flags, script);
    });
    port
}

fn serve(
    mut socket: TcpStream,
    flags: u8,
    mut script: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> std::io::Result<()> {
    socket.write_all(&packet(0, GREETING))?;
    read_packet(&mut socket)?;
    socket.write_all(&packet(2, &done(0, flags, "")))?;
    loop {
        let command = read_packet(&mut socket)?;
        let answer = match command.first() {
            Some(&PREPARE) => Some(prepared(&command[1..])),
            Some(&QUIT) | None => None,
            Some(_) => script(&command),
        };
        let Some(answer) = answer else { return Ok(()) };
        socket.write_all(&answer)?;
    }
}

fn read_packet(socket: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut header = [0; 4];
    socket.read_exact(&mut header)?;
    let [a, b, c, _] = header;
    let mut payload = vec![0; u32::from_le_bytes([a, b, c, 0]) as usize];
    socket.read_exact(&mut payload)?;
    if payload.is_empty() { Err(ErrorKind::InvalidData.into()) } else { Ok(payload) }
}

/// A statement of number 1 with as many parameters as there are question marks.
fn prepared(sql: &[u8]) -> Vec<u8> {
    let parameters = u8::try_from(sql.split(|byte| *byte == b'?').count() - 1).unwrap();
    let head = packet(1, &[0, 1, 0, 0, 0, 0, 0, parameters, 0, 0, 0, 0]);
    (0..parameters).fold(head, |answer, index| [answer, packet(2 + index, b"a parameter")].concat())
}

/// A packet with its header.
pub fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&[a, b, c, sequence][..], payload].concat()
}

/// The payload of an answer without rows: rows changed, the session's flags, and words about it.
pub fn done(affected: u8, flags: u8, words: &str) -> Vec<u8> {
    let info = [&[u8::try_from(words.len()).unwrap()][..], words.as_bytes()].concat();
    [&[0, affected, 0, flags, 0, 0, 0][..], if words.is_empty() { &[] } else { &info }].concat()
}

/// The payload of an error.
pub fn refusal(number: u16, sqlstate: &str, words: &str) -> Vec<u8> {
    [&[0xff][..], &number.to_le_bytes(), b"#", sqlstate.as_bytes(), words.as_bytes()].concat()
}
