//! The protocol's messages without any I/O: bytes in, answers out.
//!
//! What a server sends is not trusted: no length is believed before the bytes have arrived, nothing
//! panics, and what is kept is bounded by what was received.

mod bind;
mod deframer;
mod error_fields;
mod fields;
mod reply;
mod row;

pub(crate) use bind::{Bind, put_command, put_sync};
pub(crate) use deframer::Deframer;
pub(crate) use error_fields::server_error;
pub(crate) use fields::Fields;
pub(crate) use reply::{Answer, Reply, ReplyReader};
pub(crate) use row::Column;

/// Bytes that the protocol does not allow, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub &'static str);

/// The first byte of a message from the server.
pub(crate) mod tag {
    pub const AUTHENTICATION: u8 = b'R';
    pub const BACKEND_KEY_DATA: u8 = b'K';
    pub const BIND_COMPLETE: u8 = b'2';
    pub const CLOSE_COMPLETE: u8 = b'3';
    pub const COMMAND_COMPLETE: u8 = b'C';
    pub const COPY_IN_RESPONSE: u8 = b'G';
    pub const DATA_ROW: u8 = b'D';
    pub const EMPTY_QUERY_RESPONSE: u8 = b'I';
    pub const ERROR_RESPONSE: u8 = b'E';
    pub const NEGOTIATE_PROTOCOL_VERSION: u8 = b'v';
    pub const NO_DATA: u8 = b'n';
    pub const NOTICE_RESPONSE: u8 = b'N';
    pub const NOTIFICATION_RESPONSE: u8 = b'A';
    pub const PARAMETER_DESCRIPTION: u8 = b't';
    pub const PARAMETER_STATUS: u8 = b'S';
    pub const PARSE_COMPLETE: u8 = b'1';
    pub const READY_FOR_QUERY: u8 = b'Z';
    pub const ROW_DESCRIPTION: u8 = b'T';
}
