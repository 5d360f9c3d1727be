//! Exchanges the bytes of one statement, on many connections, and looks at none of them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use crate::wire::{DONE, PREPARE, execute, packet, prepared, read_packet, row};

const EVENTS_PER_WAKE_UP: usize = 1024;

/// How often it looks whether its time is over.
const STATEMENTS_PER_LOOK: u64 = 1000;

const SQL: &[u8] = b"SELECT c FROM sbtest1 WHERE id=?";

/// What `MariaDB`'s own extension of the protocol is asked for stands in the last four bytes.
const SIGN_ON: &[u8] = b"\x04\xa2\x28\x01\0\0\0\x40\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \x10\0\0\0root\0\0mysql_native_password\0";

/// A connection, and how many bytes of its answer are yet to come.
struct Connection {
    socket: TcpStream,
    missing: usize,
}

/// Asks as fast as the server answers, and says how much that was.
pub fn ask(port: u16, connections: usize, duration: Duration) -> io::Result<()> {
    let mut connections =
        (0..connections).map(|_| connect(port)).collect::<io::Result<Vec<_>>>()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (connection, token) in connections.iter().zip(0..) {
        let data = epoll::EventData::new_u64(token);
        epoll::add(&epoll, &connection.socket, data, epoll::EventFlags::IN)?;
    }
    let (question, answer_bytes) = (execute(), row().len());
    for connection in &mut connections {
        connection.missing = answer_bytes;
        connection.socket.write_all(&question)?;
    }
    let (start, mut answered) = (Instant::now(), 0_u64);
    let mut events = Vec::with_capacity(EVENTS_PER_WAKE_UP);
    let mut buffer = vec![0; 64 * 1024];
    let mut next_look = STATEMENTS_PER_LOOK;
    while answered < next_look || start.elapsed() < duration {
        if answered >= next_look {
            next_look = answered + STATEMENTS_PER_LOOK;
        }
        events.clear();
        epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            let connection = &mut connections[usize::try_from(event.data.u64()).unwrap_or(0)];
            let length = connection.socket.read(&mut buffer)?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            connection.missing = connection.missing.saturating_sub(length);
            if connection.missing == 0 {
                answered += 1;
                connection.missing = answer_bytes;
                connection.socket.write_all(&question)?;
            }
        }
    }
    println!("{:.0} statements/s", answered as f64 / start.elapsed().as_secs_f64());
    Ok(())
}

fn connect(port: u16) -> io::Result<Connection> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_nodelay(true)?;
    read_packet(&socket)?;
    socket.write_all(&packet(1, SIGN_ON))?;
    if read_packet(&socket)? != DONE {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    socket.write_all(&packet(0, &[&[PREPARE], SQL].concat()))?;
    socket.read_exact(&mut vec![0; prepared(SQL).len()])?;
    Ok(Connection { socket, missing: 0 })
}
