//! How `PostgreSQL`'s messages are written and read.

use std::sync::Arc;

use contract::{Dialect, ErrorClass, Executed, RowSink, SqlError, Value, Verb};

use super::backends::{Backends, Taken};
use super::errors;
use super::message::{Answer, Bind, Column, Deframer, Malformed, Reply, ReplyReader};
use crate::network::WireFormat;
use crate::sql::Backslash;
use crate::stream::StreamError;
use crate::target::Target;

/// Speaks with `PostgreSQL` and its relatives.
#[derive(Clone, Copy, Debug)]
pub struct Postgres;

/// What is known of one session.
pub(crate) struct PostgresState {
    /// The number of the process at the other end, as it was said at sign-on.
    pub signed_on_with: Option<i64>,
    pub backends: Arc<Backends>,
    /// Where other connections are made beside this one.
    pub target: Arc<Target>,
    pub taken: Option<Taken>,
    /// Of each statement that was queued, whether it returns rows.
    pub returns_rows: Vec<bool>,
}

/// A statement that the server knows by name.
pub(crate) struct Prepared {
    pub bind: Bind,
    pub returns_rows: bool,
}

const QUERY: &[u8; 5] = b"Q\0\0\0\0";

impl WireFormat for Postgres {
    type Shared = Arc<Backends>;
    type State = PostgresState;
    type Reader = ReplyReader;
    type Reply = Reply;
    type Column = Column;
    type Prepared = Prepared;
    type Deframer = Deframer;
    type Message = (u8, Vec<u8>);

    const DIALECT: Dialect = Dialect::PostgreSql;
    const GOODBYE: &'static [u8] = b"X\0\0\0\x04";

    fn stream_error(error: &StreamError, waited_for: &str) -> SqlError {
        errors::from_stream(error, waited_for)
    }

    #[cold]
    fn unoffered_rows() -> SqlError {
        Malformed("it asks for rows that were not offered").into()
    }

    fn put_query(
        packet: &mut Vec<u8>,
        reader: &mut ReplyReader,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        packet.clear();
        packet.extend_from_slice(QUERY);
        write(packet)?;
        if packet[QUERY.len()..].contains(&0) {
            let message =
                "a statement can't be sent that has a zero byte in it: it would end there";
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        packet.push(0);
        // More than any server takes, where it does not fit.
        let length = i32::try_from(packet.len() - 1).unwrap_or(i32::MAX);
        packet[1..5].copy_from_slice(&length.to_be_bytes());
        reader.start(false);
        Ok(())
    }

    #[inline]
    fn put_execution<'a>(
        prepared: &'a mut Prepared,
        reader: &mut ReplyReader,
        parameters: &[Value<'_>],
    ) -> &'a [u8] {
        reader.start(prepared.returns_rows);
        prepared.bind.encode(parameters)
    }

    #[inline]
    fn parameters(prepared: &Prepared) -> usize {
        prepared.bind.parameters()
    }

    #[inline]
    fn feed<S: RowSink>(
        reader: &mut ReplyReader,
        bytes: &[u8],
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        reader.feed(bytes, columns, sink)
    }

    fn take_shutdown_notice(reader: &mut ReplyReader) -> Option<SqlError> {
        reader.take_shutdown_notice()
    }

    fn deframer() -> Deframer {
        Deframer::new()
    }

    fn next_message(
        deframer: &mut Deframer,
        input: &mut &[u8],
    ) -> Result<Option<(u8, Vec<u8>)>, SqlError> {
        Ok(deframer.next(input)?.map(|(tag, payload)| (tag, payload.to_vec())))
    }

    /// The session is opened that way.
    fn backslash(_: &PostgresState) -> Backslash {
        Backslash::Literal
    }

    #[inline]
    fn in_transaction(_: &PostgresState, reader: &ReplyReader) -> bool {
        reader.in_transaction()
    }

    #[inline]
    fn answered(_: &mut PostgresState, _: Verb, reply: Reply) -> Result<Executed, SqlError> {
        reply.executed.ok_or_else(|| Malformed("a statement came to no end").into())
    }

    fn check_transaction_command(verb: Verb, reply: Reply) -> Result<(), SqlError> {
        if verb == Verb::Commit && reply.rolled_back {
            let message = "the server rolled back at COMMIT: a statement before it had failed";
            return Err(SqlError::server(ErrorClass::Other, 0, *b"25P02", message));
        }
        Ok(())
    }
}
