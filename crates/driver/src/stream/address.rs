//! Where a server listens, and how to get a connected socket to it without blocking the loop.

use std::fmt;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::task::Poll;
use std::time::Duration;

use eventloop::{Handle, Registration, Timestamp};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use rustix::time::Timespec;

use super::error::StreamError;

/// One place at which a server may listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A resolved TCP address.
    Tcp(SocketAddr),
    /// A Unix socket's path.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(formatter, "{address}"),
            Self::Unix(path) => write!(formatter, "{}", path.display()),
        }
    }
}

/// A Unix socket whose queue of waiting clients is full says so instead of waiting; so long after
/// that it is tried again.
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(1);

/// Connects, and registers the socket for the current task.
pub(super) async fn connect(
    handle: &Handle,
    address: &Address,
    deadline: Timestamp,
) -> Result<(OwnedFd, Registration), StreamError> {
    let refused = |errno: Errno| StreamError::Refused {
        address: address.to_string(),
        reason: std::io::Error::from(errno),
    };
    handle.set_deadline(deadline);
    let socket = new_socket(address).map_err(refused)?;
    loop {
        match start(&socket, address) {
            Ok(()) | Err(Errno::INPROGRESS) => break,
            Err(Errno::AGAIN) if handle.turn_time() < deadline => {
                handle.sleep_until(handle.turn_time() + FULL_QUEUE_PAUSE).await;
            }
            Err(errno) => return Err(refused(errno)),
        }
    }
    let registration = handle.register(&socket)?;
    registration.want_writable(&socket, true)?;
    let outcome = poll_fn(|_| match outcome(&socket) {
        Ok(None) if handle.deadline_expired() => Poll::Ready(Err(StreamError::Timeout)),
        Ok(None) => Poll::Pending,
        Ok(Some(())) => Poll::Ready(Ok(())),
        Err(errno) => Poll::Ready(Err(refused(errno))),
    });
    outcome.await?;
    registration.want_writable(&socket, false)?;
    Ok((socket, registration))
}

fn new_socket(address: &Address) -> Result<OwnedFd, Errno> {
    let family = match address {
        Address::Tcp(SocketAddr::V4(_)) => AddressFamily::INET,
        Address::Tcp(SocketAddr::V6(_)) => AddressFamily::INET6,
        Address::Unix(_) => AddressFamily::UNIX,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    if family != AddressFamily::UNIX {
        sockopt::set_tcp_nodelay(&socket, true)?;
    }
    Ok(socket)
}

fn start(socket: &OwnedFd, address: &Address) -> Result<(), Errno> {
    match address {
        Address::Tcp(address) => rustix::net::connect(socket, address),
        Address::Unix(path) => rustix::net::connect(socket, &SocketAddrUnix::new(path)?),
    }
}

/// Whether connecting has come to an end, and to which. A socket that is not connected yet is not
/// writable, which tells the end from a poll without cause.
fn outcome(socket: &OwnedFd) -> Result<Option<()>, Errno> {
    let mut sockets = [PollFd::new(socket, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    if rustix::event::poll(&mut sockets, Some(&at_once))? == 0 {
        return Ok(None);
    }
    sockopt::socket_error(socket)??;
    Ok(Some(()))
}
