//! Has the server prepare statements, and forget them.

use std::time::Duration;

use bytes::BytesMut;
use contract::{Discard, ErrorClass, SqlError};
use postgres_protocol::message::frontend;

use super::PostgresConnection;
use super::message::{Bind, Column, Reply};
use super::wire::{Postgres, Prepared};
use crate::network::{Exchange, Form, ReadyStatement, WireFormat, expect_done};
use crate::sql::Template;
use crate::target::Protocol;

/// Has the server prepare the statement with this index. In the extended protocol it has no name: the
/// server says how many parameters it takes, and parses it again for each execution.
pub(super) async fn prepare(
    connection: &mut PostgresConnection,
    index: usize,
    sql: &str,
) -> Result<ReadyStatement<Postgres>, SqlError> {
    let is_unnamed = connection.protocol == Protocol::Extended;
    let exchange = &mut connection.exchange;
    let template = Template::new(sql, Postgres::DIALECT);
    let name = if is_unnamed { String::new() } else { name(index) };
    let numbered = template.numbered();
    let packet = preparation(&name, &numbered);
    let (mut columns, limit) = (Vec::new(), exchange.limits.connect);
    let reply = converse(exchange, packet, &mut columns, limit).await;
    let reply = reply.map_err(|error| error.while_doing(&format!("preparing {sql}")))?;
    let (wanted, given) = (usize::from(reply.parameters), template.parameters());
    if wanted != given {
        // Such as a $1 of its own: it could never be executed.
        return Err(SqlError::wrong_parameters(sql, wanted, given));
    }
    let bind = if is_unnamed {
        Bind::unnamed(&numbered, reply.parameters)
    } else {
        Bind::new(&name, reply.parameters)
    };
    let prepared = Prepared { bind, returns_rows: reply.returns_rows };
    Ok(ReadyStatement::prepared(sql, prepared, columns))
}

/// An error unless the server knows the statement with this index.
pub(super) async fn find(
    connection: &mut PostgresConnection,
    index: usize,
) -> Result<(), SqlError> {
    let mut out = BytesMut::new();
    let described = frontend::describe(b'S', &name(index), &mut out);
    frontend::sync(&mut out);
    let limit = connection.exchange.limits.statement;
    let packet = described.map(|()| out);
    let found = converse(&mut connection.exchange, packet, &mut Vec::new(), limit).await;
    let doing = "looking for a statement that was prepared a transaction earlier";
    found.map(drop).map_err(|error| error.while_doing(doing))
}

/// Has the server forget the first statements that it has prepared.
pub(super) async fn close(
    connection: &mut PostgresConnection,
    statements: &[ReadyStatement<Postgres>],
) -> Result<(), SqlError> {
    let is_prepared =
        matches!(statements.first(), Some(ReadyStatement { form: Form::Prepared(_), .. }));
    if !is_prepared || connection.protocol == Protocol::Extended {
        return Ok(());
    }
    let exchange = &mut connection.exchange;
    let packet = close_messages(statements.len());
    let limit = exchange.limits.statement;
    converse(exchange, packet, &mut Vec::new(), limit).await.map(drop)
}

/// Sends messages that execute nothing, and waits until the server is ready.
async fn converse(
    exchange: &mut Exchange<Postgres>,
    packet: std::io::Result<BytesMut>,
    columns: &mut Vec<Column>,
    limit: Duration,
) -> Result<Reply, SqlError> {
    let packet = packet.map_err(|error| {
        SqlError::driver(ErrorClass::InvalidStatement, format!("it can't be sent: {error}"))
    })?;
    exchange.reader.start(false);
    exchange.send(&packet)?;
    expect_done::<Postgres>(exchange.receive(columns, &mut Discard, limit).await?)
}

/// The name of a connection's statement with this index.
fn name(index: usize) -> String {
    format!("s{index}")
}

/// The messages that have the server prepare a statement and describe it.
fn preparation(name: &str, sql: &str) -> std::io::Result<BytesMut> {
    let mut out = BytesMut::new();
    frontend::parse(name, sql, [], &mut out)?;
    frontend::describe(b'S', name, &mut out)?;
    frontend::sync(&mut out);
    Ok(out)
}

/// The messages that have the server forget statements.
fn close_messages(statements: usize) -> std::io::Result<BytesMut> {
    let mut out = BytesMut::new();
    for index in 0..statements {
        frontend::close(b'S', &name(index), &mut out)?;
    }
    frontend::sync(&mut out);
    Ok(out)
}
