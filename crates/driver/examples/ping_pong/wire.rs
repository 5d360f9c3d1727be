//! The bytes of one statement, on both sides.

use std::io;
use std::net::TcpStream;

/// A protocol: just as much of it as one prepared statement takes.
pub trait Wire {
    /// What a client sends to have the statement executed.
    fn question() -> Vec<u8>;

    /// What the server answers.
    fn answer() -> Vec<u8>;

    /// Signs on to a server, and has the statement prepared.
    fn sign_on(socket: &mut TcpStream) -> io::Result<()>;

    /// Lets in anybody who connects.
    fn welcome(socket: &mut TcpStream) -> io::Result<()>;

    /// Whether these bytes are one whole question, as they nearly always are.
    fn is_execution(bytes: &[u8]) -> bool;

    /// The length of the first command and its answer; None until all of it has arrived. An execution is
    /// counted, and any query is answered with their number.
    fn take(bytes: &[u8], executed: &mut u64) -> Option<(usize, Vec<u8>)>;
}
