//! Tries out whether a server takes several executions of prepared statements in one round trip.
//!
//! Servers do. A layer in front of them may throw away what came with a command (`MySQL` Router), or
//! carry out those of one connection beside each other and answer in whichever order they end
//! (Sharding-Proxy): the rows of one statement are then taken for another's.

use contract::{Connection, Probe, Request, SqlError, Value};

use super::MysqlConnection;
use super::packet::Malformed;
use crate::network::{ANSWER_LIMIT, FirstColumns};

/// A layer that hands each command to a thread of its own answers in another order only now and then.
const ROUNDS: usize = 16;

/// Sends the probes together, and notes it where their answers do not come, or not in their order. Such
/// a connection may be out of step, and can't be used.
pub(super) async fn try_out(connection: &mut MysqlConnection, probes: &[Probe]) -> bool {
    if !connection.pipelines() {
        return true;
    }
    let limit = connection.exchange.limits.statement;
    connection.exchange.limits.statement = limit.min(ANSWER_LIMIT);
    for _ in 0..ROUNDS {
        if let Err(error) = exchange(connection, probes).await {
            connection.state.pipelining.refuse(error.to_string());
            return false;
        }
    }
    connection.exchange.limits.statement = limit;
    true
}

async fn exchange(connection: &mut MysqlConnection, probes: &[Probe]) -> Result<(), SqlError> {
    for Probe { statement, parameters, .. } in probes {
        let parameters: Vec<Value<'_>> = parameters.iter().copied().map(Value::Int).collect();
        connection.queue(Request::Execute { statement: *statement, parameters: &parameters })?;
    }
    let mut answers = FirstColumns::default();
    connection.flush_queued(&mut answers, &mut Vec::new()).await?;
    connection.rollback().await?;
    let is_another = |(place, told): &(usize, Option<i64>)| {
        probes.get(*place).is_none_or(|probe| Some(probe.first_column) != *told)
    };
    if answers.found.iter().any(is_another) {
        return Err(Malformed("answers come in another order than their questions").into());
    }
    Ok(())
}
