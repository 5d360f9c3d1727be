//! Receiving with the kernel's receive timestamp: the only unsafe code of the network drivers.
//!
//! No safe wrapper gives `SCM_TIMESTAMPNS` without allocating or copying at every call.

use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::fd::{AsRawFd, OwnedFd};

/// Room for one control message with a `timespec`, aligned as the kernel wants it.
#[repr(align(8))]
struct ControlBuffer([MaybeUninit<u8>; 64]);

/// Has the kernel stamp what arrives at a socket from now on.
pub(super) fn enable(socket: &OwnedFd) -> io::Result<()> {
    let on: libc::c_int = 1;
    let length = libc::socklen_t::try_from(size_of::<libc::c_int>()).unwrap_or(4);
    // SAFETY: the pointer and the length describe `on`, which outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            length,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Receives what is there without waiting; returns how much, and the wall-clock time in nanoseconds
/// at which the last of it arrived, if the kernel tells.
#[inline]
pub(super) fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<(usize, Option<u64>)> {
    let mut control = ControlBuffer([MaybeUninit::uninit(); 64]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all-zero bytes are a valid `msghdr`: null pointers and zero lengths.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: `message` points to one part, which is `buffer`, and to `control`, with their true
    // lengths; both are exclusively borrowed here and outlive the call.
    let received =
        unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_DONTWAIT) };
    let Ok(received) = usize::try_from(received) else { return Err(io::Error::last_os_error()) };
    Ok((received, timestamp(&message)))
}

#[inline]
fn timestamp(message: &libc::msghdr) -> Option<u64> {
    // The header is looked at through its pointer: a reference to it would not reach what is behind.
    // SAFETY: `message` was filled in by a successful `recvmsg`, so that its control area, if any,
    // holds whole control messages; `CMSG_FIRSTHDR` gives null where there is none.
    let header = unsafe { libc::CMSG_FIRSTHDR(message) };
    if header.is_null() {
        return None;
    }
    // SAFETY: it is a whole header.
    let (level, kind) = unsafe { ((*header).cmsg_level, (*header).cmsg_type) };
    if (level, kind) != (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
        return None;
    }
    // SAFETY: the kernel puts a `timespec` behind a header of this type; it is read unaligned
    // because nothing promises its alignment.
    let time: libc::timespec =
        unsafe { libc::CMSG_DATA(header).cast::<libc::timespec>().read_unaligned() };
    Some(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message as the kernel leaves it, with one control message of a kind.
    fn stamped(
        kind: libc::c_int,
        control: &mut ControlBuffer,
        time: libc::timespec,
    ) -> libc::msghdr {
        let bytes = u32::try_from(size_of::<libc::timespec>()).unwrap();
        // SAFETY: all-zero bytes are a valid `msghdr`.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: these only calculate.
        unsafe { message.msg_controllen = libc::CMSG_SPACE(bytes) as _ };
        // SAFETY: the buffer has room for a header and a `timespec` behind it.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = kind;
            (*header).cmsg_len = libc::CMSG_LEN(bytes) as _;
            libc::CMSG_DATA(header).cast::<libc::timespec>().write_unaligned(time);
        }
        message
    }

    /// Under Miri this also looks at every pointer.
    #[test]
    fn the_time_behind_a_header_of_its_kind_is_read() {
        let time = libc::timespec { tv_sec: 3, tv_nsec: 7 };
        let mut control = ControlBuffer([MaybeUninit::uninit(); 64]);
        let message = stamped(libc::SCM_TIMESTAMPNS, &mut control, time);
        assert_eq!(timestamp(&message), Some(3_000_000_007));
        let message = stamped(libc::SCM_RIGHTS, &mut control, time);
        assert_eq!(timestamp(&message), None);
        // SAFETY: all-zero bytes are a valid `msghdr`.
        let message: libc::msghdr = unsafe { zeroed() };
        assert_eq!(timestamp(&message), None);
    }
}
