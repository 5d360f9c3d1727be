//! Answers from memory.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::epoll;

use crate::wire::Wire;

const EVENTS_PER_WAKE_UP: usize = 1024;
const LISTENER: u64 = u64::MAX;

/// A connection, and what has arrived of a command that is not complete.
struct Client {
    socket: TcpStream,
    torn: Vec<u8>,
}

struct Server {
    clients: Vec<Option<Client>>,
    answer: Vec<u8>,
    executed: u64,
}

/// Serves until it is killed.
pub fn serve<W: Wire>() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let add = |socket: BorrowedFd<'_>, token| {
        epoll::add(&epoll, socket, epoll::EventData::new_u64(token), epoll::EventFlags::IN)
    };
    add(listener.as_fd(), LISTENER)?;
    let mut server = Server { clients: Vec::new(), answer: W::answer(), executed: 0 };
    let mut events = Vec::with_capacity(EVENTS_PER_WAKE_UP);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        events.clear();
        epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            if event.data.u64() == LISTENER {
                let socket = welcome::<W>(&listener)?;
                add(socket.as_fd(), server.clients.len() as u64)?;
                server.clients.push(Some(Client { socket, torn: Vec::new() }));
            } else {
                server.answer::<W>(usize::try_from(event.data.u64()).unwrap_or(0), &mut buffer);
            }
        }
    }
}

fn welcome<W: Wire>(listener: &TcpListener) -> io::Result<TcpStream> {
    let (mut socket, _) = listener.accept()?;
    socket.set_nodelay(true)?;
    W::welcome(&mut socket)?;
    Ok(socket)
}

impl Server {
    /// Reads from a connection once and answers what is complete. An error is its end.
    fn answer<W: Wire>(&mut self, index: usize, buffer: &mut [u8]) {
        let Self { clients, answer, executed } = self;
        let Some(Some(client)) = clients.get_mut(index) else { return };
        let is_alive = match client.socket.read(buffer) {
            Ok(0) | Err(_) => false,
            Ok(length) => client.take::<W>(&buffer[..length], answer, executed).is_ok(),
        };
        if !is_alive {
            clients[index] = None;
        }
    }
}

impl Client {
    fn take<W: Wire>(&mut self, bytes: &[u8], answer: &[u8], executed: &mut u64) -> io::Result<()> {
        if self.torn.is_empty() && W::is_execution(bytes) {
            *executed += 1;
            return self.socket.write_all(answer);
        }
        self.torn.extend_from_slice(bytes);
        let mut answers = Vec::new();
        while let Some((taken, answer)) = W::take(&self.torn, executed) {
            self.torn.drain(..taken);
            answers.extend_from_slice(&answer);
        }
        self.socket.write_all(&answers)
    }
}
