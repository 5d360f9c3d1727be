//! Tries out whether a server takes several executions of prepared statements in one round trip.
//!
//! Servers do. A layer in front of them may throw away what came with a command (`MySQL` Router), or
//! carry out those of one connection beside each other and answer in whichever order they end
//! (Sharding-Proxy): the rows of one statement are then taken for another's.

use std::sync::OnceLock;
use std::time::Duration;

use contract::{
    Connection, Pipelining, Probe, Request, Row, RowSink, SessionOptions, SqlError, Value,
};

use super::connection::MysqlConnection;
use super::packet::Malformed;
use crate::target::Protocol;

/// A layer that loses a command never answers it.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// A layer that hands each command to a thread of its own answers in another order only now and then.
const ROUNDS: usize = 16;

/// Whether prepared statements share round trips; what all connections of a driver share.
#[derive(Debug, Default)]
pub(super) struct TriedPipelining {
    refusal: OnceLock<String>,
}

/// Whether they could. COMMIT must not travel with others, and without autocommit nothing else does harm
/// behind an error.
#[inline]
fn is_wanted(protocol: Protocol, session: SessionOptions) -> bool {
    protocol == Protocol::Prepared && !session.autocommit && session.pipelining
}

impl TriedPipelining {
    /// Whether they do with this protocol in such sessions.
    #[inline]
    pub fn is_on(&self, protocol: Protocol, session: SessionOptions) -> bool {
        is_wanted(protocol, session) && self.refusal.get().is_none()
    }

    /// From here on, statements do not share round trips.
    fn refuse(&self, reason: String) {
        // The first reason is the one that counts.
        let _ = self.refusal.set(reason);
    }

    /// The same for a result.
    pub fn found(&self, protocol: Protocol, session: SessionOptions) -> Pipelining {
        match self.refusal.get() {
            _ if !is_wanted(protocol, session) => Pipelining::Off,
            Some(reason) => Pipelining::Refused(reason.clone()),
            None => Pipelining::On,
        }
    }
}

/// Sends the probes together, and notes it where their answers do not come, or not in their order. Such
/// a connection may be out of step, and can't be used.
pub(super) async fn try_out(connection: &mut MysqlConnection, probes: &[Probe]) -> bool {
    if !connection.pipelines() {
        return true;
    }
    let limit = connection.limits.statement;
    connection.limits.statement = limit.min(ANSWER_LIMIT);
    for _ in 0..ROUNDS {
        if let Err(error) = exchange(connection, probes).await {
            connection.pipelining.refuse(error.to_string());
            return false;
        }
    }
    connection.limits.statement = limit;
    true
}

async fn exchange(connection: &mut MysqlConnection, probes: &[Probe]) -> Result<(), SqlError> {
    for Probe { statement, parameters, .. } in probes {
        let parameters: Vec<Value<'_>> = parameters.iter().copied().map(Value::Int).collect();
        connection.queue(Request::Execute { statement: *statement, parameters: &parameters })?;
    }
    let mut answers = FirstColumns::default();
    connection.flush_pipeline(&mut answers, &mut Vec::new()).await?;
    connection.rollback().await?;
    let is_another = |(place, told): &(usize, Option<i64>)| {
        probes.get(*place).is_none_or(|probe| Some(probe.first_column) != *told)
    };
    if answers.found.iter().any(is_another) {
        return Err(Malformed("answers come in another order than their questions").into());
    }
    Ok(())
}

/// The first column of each row, with the place of its statement among those sent together.
#[derive(Default)]
pub(super) struct FirstColumns {
    place: usize,
    pub found: Vec<(usize, Option<i64>)>,
}

impl RowSink for FirstColumns {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        self.found.push((self.place, row.int(0)?));
        Ok(())
    }

    fn rows_of(&mut self, statement: usize) {
        self.place = statement;
    }
}
