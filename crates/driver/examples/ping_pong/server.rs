//! Answers from memory.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::epoll;

use crate::wire::{
    DONE, EXECUTE, GREETING, HEADER_BYTES, PREPARE, QUERY, number, packet, payload_bytes, prepared,
    read_packet, row,
};

const EVENTS_PER_WAKE_UP: usize = 1024;
const LISTENER: u64 = u64::MAX;

/// A connection, and what has arrived of a command that is not complete.
struct Client {
    socket: TcpStream,
    torn: Vec<u8>,
}

struct Server {
    clients: Vec<Option<Client>>,
    row: Vec<u8>,
    executed: u64,
}

/// Serves until it is killed.
pub fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let add = |socket: BorrowedFd<'_>, token| {
        epoll::add(&epoll, socket, epoll::EventData::new_u64(token), epoll::EventFlags::IN)
    };
    add(listener.as_fd(), LISTENER)?;
    let mut server = Server { clients: Vec::new(), row: row(), executed: 0 };
    let mut events = Vec::with_capacity(EVENTS_PER_WAKE_UP);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        events.clear();
        epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            if event.data.u64() == LISTENER {
                let socket = sign_on(&listener)?;
                add(socket.as_fd(), server.clients.len() as u64)?;
                server.clients.push(Some(Client { socket, torn: Vec::new() }));
            } else {
                server.answer(usize::try_from(event.data.u64()).unwrap_or(0), &mut buffer);
            }
        }
    }
}

/// Whoever comes is welcome.
fn sign_on(listener: &TcpListener) -> io::Result<TcpStream> {
    let (mut socket, _) = listener.accept()?;
    socket.set_nodelay(true)?;
    socket.write_all(&packet(0, GREETING))?;
    read_packet(&socket)?;
    socket.write_all(&packet(2, DONE))?;
    Ok(socket)
}

impl Server {
    /// Reads from a connection once and answers what is complete. An error is its end.
    fn answer(&mut self, index: usize, buffer: &mut [u8]) {
        let Self { clients, row, executed } = self;
        let Some(Some(client)) = clients.get_mut(index) else { return };
        let is_alive = match client.socket.read(buffer) {
            Ok(0) | Err(_) => false,
            Ok(length) => client.take(&buffer[..length], row, executed).is_ok(),
        };
        if !is_alive {
            clients[index] = None;
        }
    }
}

impl Client {
    fn take(&mut self, bytes: &[u8], row: &[u8], executed: &mut u64) -> io::Result<()> {
        if self.torn.is_empty()
            && let [a, b, c, d, EXECUTE, ..] = *bytes
            && bytes.len() == HEADER_BYTES + payload_bytes([a, b, c, d])
        {
            *executed += 1;
            return self.socket.write_all(row);
        }
        self.torn.extend_from_slice(bytes);
        while let Some((header, rest)) = self.torn.split_first_chunk::<HEADER_BYTES>()
            && let Some(command) = rest.get(..payload_bytes(*header))
        {
            let answer = match command {
                [EXECUTE, ..] => {
                    *executed += 1;
                    row.to_vec()
                }
                [PREPARE, sql @ ..] => prepared(sql),
                [QUERY, sql @ ..] if sql == b"SELECT @@autocommit" => number(1),
                [QUERY, ..] => number(*executed),
                // Goodbyes have no answer.
                _ => Vec::new(),
            };
            let taken = HEADER_BYTES + command.len();
            self.torn.drain(..taken);
            self.socket.write_all(&answer)?;
        }
        Ok(())
    }
}
