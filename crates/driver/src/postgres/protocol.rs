//! What a connection to such a server does in steps of its own.

use std::path::{Path, PathBuf};

use contract::{
    BulkMethod, Executed, Pipelining, Request, RowSink, RowSource, SessionFacts, SessionOptions,
    SqlError, Value,
};

use super::message::Reply;
use super::wire::Postgres;
use super::{PostgresConnection, batch, first, lifted, load, sign_on, statement};
use crate::network::{Login, LoginError, NetworkProtocol, ReadyStatement, SignedOn, Terms};
use crate::target::{Family, Protocol};

/// The server's other clients are given the folder of the socket, whose name follows from the port.
fn socket_path(path: &Path, port: u16) -> PathBuf {
    if path.is_dir() { path.join(format!(".s.PGSQL.{port}")) } else { path.to_owned() }
}

impl NetworkProtocol for Postgres {
    const FAMILY: Family = Family {
        server: "PostgreSQL",
        schemes: &["postgresql", "postgres"],
        default_port: 5432,
        default_user: "postgres",
        has_plugins: false,
        socket: socket_path,
        at_sign_on: &["options", "application_name", "search_path"],
    };

    const PREPARES_BATCHES: bool = true;

    async fn sign_on(
        login: Login<Self>,
        terms: &Terms<'_, Self>,
    ) -> Result<SignedOn<Self>, LoginError> {
        sign_on::sign_on(login, terms).await
    }

    async fn set_session(connection: &mut PostgresConnection) -> Result<(), SqlError> {
        lifted::lift(connection).await?;
        connection.set_session().await
    }

    async fn read_session_back(
        connection: &mut PostgresConnection,
    ) -> Result<SessionFacts, SqlError> {
        connection.read_session_back().await
    }

    async fn prepare(
        connection: &mut PostgresConnection,
        index: usize,
        sql: &str,
    ) -> Result<ReadyStatement<Self>, SqlError> {
        statement::prepare(connection, index, sql).await
    }

    async fn close_statements(
        connection: &mut PostgresConnection,
        statements: &[ReadyStatement<Self>],
    ) -> Result<(), SqlError> {
        statement::close(connection, statements).await
    }

    #[inline]
    fn opens_transaction(connection: &PostgresConnection) -> bool {
        first::opens_transaction(connection)
    }

    async fn execute_first<S: RowSink>(
        connection: &mut PostgresConnection,
        index: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        first::execute(connection, index, parameters, sink).await
    }

    fn pipelining(_: &Self::Shared, protocol: Protocol, session: SessionOptions) -> Pipelining {
        if is_pipelining(protocol, session) { Pipelining::On } else { Pipelining::Off }
    }

    #[inline]
    fn pipelines(connection: &PostgresConnection) -> bool {
        is_pipelining(connection.protocol, connection.session)
    }

    fn queue(connection: &mut PostgresConnection, request: Request<'_>) -> Result<(), SqlError> {
        batch::queue(connection, request)
    }

    async fn exchange_batch<S: RowSink>(
        connection: &mut PostgresConnection,
        sink: &mut S,
    ) -> Result<(), SqlError> {
        batch::exchange(connection, sink).await
    }

    async fn load(
        connection: &mut PostgresConnection,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        load::load(connection, source, method).await
    }

    async fn check_rows_taken(
        _: &mut PostgresConnection,
        _: &str,
        sent: u64,
        _: Reply,
        executed: Executed,
    ) -> Result<(), SqlError> {
        load::check_rows_taken(sent, executed)
    }
}

#[inline]
fn is_pipelining(protocol: Protocol, session: SessionOptions) -> bool {
    matches!(protocol, Protocol::Prepared | Protocol::Extended) && session.pipelining
}
