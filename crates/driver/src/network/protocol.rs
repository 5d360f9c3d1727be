//! What a protocol does in steps of its own, from signing on to loading rows.

use contract::{
    BulkMethod, ErrorClass, Executed, Pipelining, Probe, Request, RowSink, RowSource, SessionFacts,
    SessionOptions, SqlError, Value,
};

use super::connection::NetworkConnection;
use super::login::{Login, LoginError, SignedOn, Terms};
use super::statement::ReadyStatement;
use super::wire_format::WireFormat;
use crate::target::{Family, Protocol};

/// How one kind of servers is dealt with.
pub(crate) trait NetworkProtocol: WireFormat {
    const FAMILY: Family;
    /// Whether statements are prepared also where they travel in batches.
    const PREPARES_BATCHES: bool;

    /// Signs on to a server that has taken the connection.
    async fn sign_on(
        login: Login<Self>,
        terms: &Terms<'_, Self>,
    ) -> Result<SignedOn<Self>, LoginError>;

    /// Sets the session to what was asked for.
    async fn set_session(connection: &mut NetworkConnection<Self>) -> Result<(), SqlError>;

    /// Does so once more, where another server may answer from here on.
    async fn set_session_anew(connection: &mut NetworkConnection<Self>) -> Result<(), SqlError> {
        Self::set_session(connection).await
    }

    /// Asks what the session runs with, and refuses what is not as it was asked for.
    async fn read_session_back(
        connection: &mut NetworkConnection<Self>,
    ) -> Result<SessionFacts, SqlError>;

    /// Has the server prepare a statement, the one with this index.
    async fn prepare(
        connection: &mut NetworkConnection<Self>,
        index: usize,
        sql: &str,
    ) -> Result<ReadyStatement<Self>, SqlError>;

    /// Has the server forget statements, of which all or none are prepared.
    async fn close_statements(
        connection: &mut NetworkConnection<Self>,
        statements: &[ReadyStatement<Self>],
    ) -> Result<(), SqlError>;

    /// Whether the next statement needs a BEGIN before it that nobody sends.
    fn opens_transaction(_connection: &NetworkConnection<Self>) -> bool {
        false
    }

    /// Executes a statement with that BEGIN, in one round trip.
    async fn execute_first<S: RowSink>(
        _connection: &mut NetworkConnection<Self>,
        _index: usize,
        _parameters: &[Value<'_>],
        _sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let message = "the server opens transactions without being asked";
        Err(SqlError::driver(ErrorClass::InvalidStatement, message))
    }

    /// Whether prepared statements share round trips, as far as all connections of a driver know.
    fn pipelining(shared: &Self::Shared, protocol: Protocol, session: SessionOptions)
    -> Pipelining;

    /// Whether they do on this connection.
    fn pipelines(connection: &NetworkConnection<Self>) -> bool;

    /// Tries out whether they can; false where the connection can't be used any more.
    async fn try_out(_connection: &mut NetworkConnection<Self>, _probes: &[Probe]) -> bool {
        true
    }

    /// Puts a request behind those that were queued.
    fn queue(
        connection: &mut NetworkConnection<Self>,
        request: Request<'_>,
    ) -> Result<(), SqlError>;

    /// Sends what was queued, and notes what became of it.
    async fn exchange_batch<S: RowSink>(
        connection: &mut NetworkConnection<Self>,
        sink: &mut S,
    ) -> Result<(), SqlError>;

    /// The same error of what was queued, with what may help.
    fn explain_batch_error(_connection: &NetworkConnection<Self>, error: SqlError) -> SqlError {
        error
    }

    /// The same error of a prepared statement that was executed, with what may help.
    fn explain_execution_error(_statement: &ReadyStatement<Self>, error: SqlError) -> SqlError {
        error
    }

    /// Sends all rows of a source.
    async fn load(
        connection: &mut NetworkConnection<Self>,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError>;

    /// Makes sure that the server has taken all rows of a statement.
    async fn check_rows_taken(
        connection: &mut NetworkConnection<Self>,
        table: &str,
        sent: u64,
        reply: Self::Reply,
        executed: Executed,
    ) -> Result<(), SqlError>;

    /// Why the server would not have its own bulk format.
    fn bulk_refusal(_state: &Self::State) -> Option<&SqlError> {
        None
    }
}
