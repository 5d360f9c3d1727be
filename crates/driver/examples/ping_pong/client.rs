//! Exchanges the bytes of one statement, on many connections, and looks at none of them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use crate::wire::Wire;

const EVENTS_PER_WAKE_UP: usize = 1024;

/// How often it looks whether its time is over.
const STATEMENTS_PER_LOOK: u64 = 1000;

/// A connection, and how many bytes of its answer are yet to come.
struct Connection {
    socket: TcpStream,
    missing: usize,
}

/// Asks as fast as the server answers, and says how much that was.
pub fn ask<W: Wire>(port: u16, connections: usize, duration: Duration) -> io::Result<()> {
    let mut connections =
        (0..connections).map(|_| connect::<W>(port)).collect::<io::Result<Vec<_>>>()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (connection, token) in connections.iter().zip(0..) {
        let data = epoll::EventData::new_u64(token);
        epoll::add(&epoll, &connection.socket, data, epoll::EventFlags::IN)?;
    }
    let (question, answer_bytes) = (W::question(), W::answer().len());
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

fn connect<W: Wire>(port: u16) -> io::Result<Connection> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_nodelay(true)?;
    W::sign_on(&mut socket)?;
    Ok(Connection { socket, missing: 0 })
}
