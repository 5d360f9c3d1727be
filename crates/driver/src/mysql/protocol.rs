//! What a connection to such a server does in steps of its own.

use contract::{
    BulkMethod, Executed, Pipelining, Probe, Request, RowSink, RowSource, SessionFacts,
    SessionOptions, SqlError,
};

use super::packet::Reply;
use super::wire::{Mysql, MysqlState};
use super::{
    MysqlConnection, batch, errors, lifted, load, pipeline, rows_taken, sign_on, statement, try_out,
};
use crate::network::{Form, Login, LoginError, NetworkProtocol, ReadyStatement, SignedOn, Terms};
use crate::target::{Family, Protocol};

/// A layer that cannot execute prepared statements ends the connection in one of the first so many times; a
/// server that goes away does so at any time.
const FIRST_EXECUTIONS: u64 = 16;

impl NetworkProtocol for Mysql {
    const FAMILY: Family = Family {
        server: "MySQL",
        schemes: &["mysql", "mariadb"],
        default_port: 3306,
        default_user: "root",
        has_plugins: true,
        at_sign_on: &[],
        socket: |path, _| path.to_owned(),
    };

    const PREPARES_BATCHES: bool = false;

    async fn sign_on(
        login: Login<Self>,
        terms: &Terms<'_, Self>,
    ) -> Result<SignedOn<Self>, LoginError> {
        sign_on::sign_on(login, terms).await
    }

    async fn set_session(connection: &mut MysqlConnection) -> Result<(), SqlError> {
        lifted::lift(connection).await?;
        connection.set_session().await
    }

    /// Only the other server's own answer tells how its session is set.
    async fn set_session_anew(connection: &mut MysqlConnection) -> Result<(), SqlError> {
        connection.command("ROLLBACK").await?;
        connection.set_session().await
    }

    async fn read_session_back(connection: &mut MysqlConnection) -> Result<SessionFacts, SqlError> {
        connection.read_session_back().await
    }

    async fn prepare(
        connection: &mut MysqlConnection,
        _: usize,
        sql: &str,
    ) -> Result<ReadyStatement<Self>, SqlError> {
        statement::prepare(&mut connection.exchange, sql).await
    }

    async fn close_statements(
        connection: &mut MysqlConnection,
        statements: &[ReadyStatement<Self>],
    ) -> Result<(), SqlError> {
        statements
            .iter()
            .try_for_each(|statement| statement::close(&mut connection.exchange, statement))
    }

    fn pipelining(
        shared: &Self::Shared,
        protocol: Protocol,
        session: SessionOptions,
    ) -> Pipelining {
        shared.found(protocol, session)
    }

    #[inline]
    fn pipelines(connection: &MysqlConnection) -> bool {
        connection.state.pipelining.is_on(connection.protocol, connection.session)
    }

    async fn try_out(connection: &mut MysqlConnection, probes: &[Probe]) -> bool {
        try_out::try_out(connection, probes).await
    }

    fn queue(connection: &mut MysqlConnection, request: Request<'_>) -> Result<(), SqlError> {
        if Self::pipelines(connection) {
            pipeline::queue(connection, request)
        } else {
            batch::queue(connection, request)
        }
    }

    async fn exchange_batch<S: RowSink>(
        connection: &mut MysqlConnection,
        sink: &mut S,
    ) -> Result<(), SqlError> {
        if Self::pipelines(connection) {
            pipeline::exchange(connection, sink).await
        } else {
            batch::exchange(connection, sink).await
        }
    }

    fn explain_batch_error(connection: &MysqlConnection, error: SqlError) -> SqlError {
        if Self::pipelines(connection) { pipeline::with_advice(error) } else { error }
    }

    #[cold]
    fn explain_execution_error(ready: &ReadyStatement<Self>, error: SqlError) -> SqlError {
        match &ready.form {
            Form::Prepared(execute)
                if execute.parameters() > 0 && ready.count.executions() <= FIRST_EXECUTIONS =>
            {
                errors::with_advice_on_loss(error)
            }
            _ => error,
        }
    }

    async fn load(
        connection: &mut MysqlConnection,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        load::load(connection, source, method).await
    }

    async fn check_rows_taken(
        connection: &mut MysqlConnection,
        table: &str,
        sent: u64,
        reply: Reply,
        _: Executed,
    ) -> Result<(), SqlError> {
        rows_taken::check(connection, table, sent, reply).await
    }

    fn bulk_refusal(state: &MysqlState) -> Option<&SqlError> {
        state.bulk_refusal.as_ref()
    }
}
