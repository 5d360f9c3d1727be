//! How many bytes have to arrive before a socket is told to be readable: socket(7), `SO_RCVLOWAT`.

use std::os::fd::{AsRawFd, OwnedFd};

/// Sets the mark; false where the kernel does not take it, and the first byte tells as before.
pub(super) fn set(socket: &OwnedFd, bytes: libc::c_int) -> bool {
    let length = size_of_val(&bytes).try_into().unwrap_or(0);
    let value = (&raw const bytes).cast();
    // SAFETY: the value outlives the call, which reads so many bytes of it.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVLOWAT, value, length)
    };
    result == 0
}
