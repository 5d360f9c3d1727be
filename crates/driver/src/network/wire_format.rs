//! What the bytes of a protocol look like, and what they say. No I/O, and nothing of a connection.

use std::fmt::Debug;

use contract::{Dialect, Executed, RowSink, SqlError, Value, Verb};

use super::answer::Answer;
use crate::sql::Backslash;
use crate::stream::StreamError;

/// How one kind of servers is spoken to.
pub(crate) trait WireFormat: Clone + Copy + Debug + Send + Sync + 'static {
    /// What all connections of a driver share.
    type Shared: Clone + Debug + Default + Send + Sync;
    /// What is known of a session besides what is known of every one.
    type State;
    /// Reads the answers to statements.
    type Reader;
    /// What stands in an answer.
    type Reply: Copy;
    /// What is known of a column.
    type Column;
    /// A prepared statement's packet.
    type Prepared;
    /// Finds where messages begin and end, while signing on.
    type Deframer;
    /// What it finds.
    type Message;

    /// By whose rules parameters are found in a statement.
    const DIALECT: Dialect;
    /// Ends the connection; there is no answer.
    const GOODBYE: &'static [u8];

    /// An error of the connection, with what was being waited for.
    fn stream_error(error: &StreamError, waited_for: &str) -> SqlError;

    /// The server asks for rows that were not offered.
    fn unoffered_rows() -> SqlError;

    /// Writes a query's packet, and has the reader expect the answer.
    fn put_query(
        packet: &mut Vec<u8>,
        reader: &mut Self::Reader,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError>;

    /// The packet that executes a prepared statement, whose answer the reader then expects.
    fn put_execution<'a>(
        prepared: &'a mut Self::Prepared,
        reader: &mut Self::Reader,
        parameters: &[Value<'_>],
    ) -> &'a [u8];

    /// How many parameters a prepared statement takes.
    fn parameters(prepared: &Self::Prepared) -> usize;

    /// Takes what has arrived of an answer; `columns` are those of the statement as known so far.
    fn feed<S: RowSink>(
        reader: &mut Self::Reader,
        bytes: &[u8],
        columns: &mut Vec<Self::Column>,
        sink: &mut S,
    ) -> Result<Option<Answer<Self::Reply>>, SqlError>;

    /// Why the server ended the connection, where it said so.
    fn take_shutdown_notice(reader: &mut Self::Reader) -> Option<SqlError>;

    /// Finds messages from the first one on.
    fn deframer() -> Self::Deframer;

    /// Takes the next message off what has arrived, if all of it has.
    fn next_message(
        deframer: &mut Self::Deframer,
        input: &mut &[u8],
    ) -> Result<Option<Self::Message>, SqlError>;

    /// How strings are to be escaped at present.
    fn backslash(state: &Self::State) -> Backslash;

    /// Whether a transaction is open.
    fn in_transaction(state: &Self::State, reader: &Self::Reader) -> bool;

    /// Takes note of what an answer says of the session; returns what was done.
    fn answered(
        state: &mut Self::State,
        verb: Verb,
        reply: Self::Reply,
    ) -> Result<Executed, SqlError>;

    /// Takes note of an error.
    fn failed(_state: &mut Self::State) {}

    /// Whether BEGIN, COMMIT or ROLLBACK did what it says.
    fn check_transaction_command(_verb: Verb, _reply: Self::Reply) -> Result<(), SqlError> {
        Ok(())
    }
}
