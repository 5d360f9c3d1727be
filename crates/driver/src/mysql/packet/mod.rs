//! The protocol's packets without any I/O: bytes in, answers out.
//!
//! What a server sends is not trusted: no length is believed before the bytes have arrived, nothing
//! panics, and what is kept is bounded by what was received.

mod bytes;
mod column;
mod deframer;
mod execute;
mod outgoing;
mod pipeline;
mod prepared;
mod reply;
mod row;
mod status;
mod temporal;

pub(crate) use bytes::Fields;
pub(crate) use column::Column;
pub(crate) use deframer::Deframer;
pub(crate) use execute::Execute;
pub(crate) use outgoing::{HEADER_BYTES, command, finish};
pub(crate) use pipeline::PipelineReplies;
pub(crate) use prepared::{PreparedReader, PreparedStatement};
pub(crate) use reply::{Agreed, Answer, Format, Reply, ReplyReader};
pub(crate) use status::{ServerStatus, Success, server_error};

/// Bytes that the protocol does not allow, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub &'static str);

/// The first byte of a packet that tells of an error.
pub(crate) const ERROR: u8 = 0xff;
/// The first byte of a packet that tells of success.
pub(crate) const OK: u8 = 0x00;
/// The first byte of a packet that ends a list of columns or rows.
pub(crate) const END: u8 = 0xfe;
/// The first byte of a packet that asks for a file.
pub(crate) const FILE_REQUEST: u8 = 0xfb;
