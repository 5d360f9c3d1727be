//! How `MySQL`'s packets are written and read.

use std::sync::Arc;

use contract::{Dialect, Executed, RowSink, SqlError, Value, Verb};

use super::errors;
use super::packet::{
    Answer, Column, Deframer, Execute, Format, Malformed, PipelineReplies, Reply, ReplyReader,
    command, finish,
};
use super::state::SessionState;
use super::tried_pipelining::TriedPipelining;
use crate::network::WireFormat;
use crate::sql::Backslash;
use crate::stream::StreamError;

/// Speaks with `MariaDB`, `MySQL` and their relatives.
#[derive(Clone, Copy, Debug)]
pub struct Mysql;

/// What is known of one session.
pub(crate) struct MysqlState {
    /// Whether the server said that it knows LOAD DATA LOCAL.
    pub takes_local_files: bool,
    /// Why the server would not have LOAD DATA.
    pub bulk_refusal: Option<SqlError>,
    pub transaction: SessionState,
    pub replies: PipelineReplies,
    pub pipelining: Arc<TriedPipelining>,
}

/// A header that is yet to be filled in, and the command.
pub(super) const QUERY: [u8; 5] = [0, 0, 0, 0, command::QUERY];

impl WireFormat for Mysql {
    type Shared = Arc<TriedPipelining>;
    type State = MysqlState;
    type Reader = ReplyReader;
    type Reply = Reply;
    type Column = Column;
    type Prepared = Execute;
    type Deframer = Deframer;
    type Message = Vec<u8>;

    const DIALECT: Dialect = Dialect::MySql;
    const GOODBYE: &'static [u8] = &[1, 0, 0, 0, command::QUIT];

    fn stream_error(error: &StreamError, waited_for: &str) -> SqlError {
        errors::from_stream(error, waited_for)
    }

    #[cold]
    fn unoffered_rows() -> SqlError {
        Malformed("it asks for a file that was not offered").into()
    }

    #[inline]
    fn put_query(
        packet: &mut Vec<u8>,
        reader: &mut ReplyReader,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        packet.clear();
        packet.extend_from_slice(&QUERY);
        write(packet)?;
        let answer = finish(packet, 0);
        reader.start(Format::Text, answer);
        Ok(())
    }

    #[inline]
    fn put_execution<'a>(
        execute: &'a mut Execute,
        reader: &mut ReplyReader,
        parameters: &[Value<'_>],
    ) -> &'a [u8] {
        let (packet, answer) = execute.encode(parameters);
        reader.start(Format::Binary, answer);
        packet
    }

    #[inline]
    fn parameters(execute: &Execute) -> usize {
        execute.parameters()
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
    ) -> Result<Option<Vec<u8>>, SqlError> {
        Ok(deframer.next(input)?.map(<[u8]>::to_vec))
    }

    fn backslash(state: &MysqlState) -> Backslash {
        state.transaction.backslash()
    }

    #[inline]
    fn in_transaction(state: &MysqlState, _: &ReplyReader) -> bool {
        state.transaction.in_transaction()
    }

    #[inline]
    fn answered(state: &mut MysqlState, verb: Verb, reply: Reply) -> Result<Executed, SqlError> {
        match verb {
            Verb::Begin => state.transaction.began(reply.status),
            Verb::Commit | Verb::Rollback => state.transaction.ended(reply.status),
            Verb::AutocommitOff => state.transaction.set_autocommit(false, reply.status),
            Verb::AutocommitOn => state.transaction.set_autocommit(true, reply.status),
            Verb::Chains => state.transaction.set_chaining(reply.status),
            _ => state.transaction.answered(reply.status),
        }
        Ok(reply.executed)
    }

    #[cold]
    fn failed(state: &mut MysqlState) {
        state.transaction.failed();
    }
}
