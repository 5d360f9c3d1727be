//! Has the server prepare statements, and forget them.

use contract::SqlError;

use super::packet::{Execute, HEADER_BYTES, PreparedReader, PreparedStatement, command, finish};
use super::wire::Mysql;
use crate::network::{Exchange, Form, ReadyStatement};

/// Has the server prepare a statement.
pub(super) async fn prepare(
    exchange: &mut Exchange<Mysql>,
    sql: &str,
) -> Result<ReadyStatement<Mysql>, SqlError> {
    let mut packet = vec![0; HEADER_BYTES];
    packet.push(command::STATEMENT_PREPARE);
    packet.extend_from_slice(sql.as_bytes());
    let answer = finish(&mut packet, 0);
    exchange.send(&packet)?;
    let mut prepared = PreparedReader::new(exchange.reader.agreed(), answer);
    let mut read = |bytes: &[u8]| {
        prepared.feed(bytes).map_err(|error| error.while_doing(&format!("preparing {sql}")))
    };
    let limit = exchange.limits.connect;
    let received = exchange.receive_within(limit, |_, bytes| read(bytes)).await;
    let PreparedStatement { number, parameters, columns } = received?;
    Ok(ReadyStatement::prepared(sql, Execute::new(number, parameters), columns))
}

/// Has the server forget a statement, to which there is no answer.
pub(super) fn close(
    exchange: &mut Exchange<Mysql>,
    statement: &ReadyStatement<Mysql>,
) -> Result<(), SqlError> {
    let Form::Prepared(execute) = &statement.form else { return Ok(()) };
    let mut packet = vec![0; HEADER_BYTES];
    packet.push(command::STATEMENT_CLOSE);
    packet.extend_from_slice(&execute.statement());
    finish(&mut packet, 0);
    exchange.send(&packet)
}
