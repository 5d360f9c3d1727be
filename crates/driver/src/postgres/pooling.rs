//! Finds a pooler that gives each transaction another of the server's connections, as `PgBouncer` does
//! with `pool_mode=transaction`: what a session sets is then another client's, and does not last.
//!
//! Any pooler says another process id at sign-on than the server does when it is asked. How one that
//! pools transactions is found depends on how many connections it has at the server. With
//! one, the server's process serves two clients at a time. With several, clients may go without meeting, or
//! each may get the same again by chance; so two of them hold a transaction at a time, and end them so that
//! the next one gets what the other had, whether the pooler gives out what came back last or first.

use std::sync::Arc;
use std::time::Duration;

use contract::{Collect, ErrorClass, SqlError, Verb};

use super::backends::Sessions;
use super::{PostgresConnection, statement};
use crate::network::connect_beside;
use crate::target::Protocol;

/// So long a second connection is waited for.
const SECOND_LIMIT: Duration = Duration::from_secs(2);

/// A prepared statement of that name is there.
const DUPLICATE_STATEMENT: &str = "42P05";

/// There is none of that name.
const NO_SUCH_STATEMENT: &str = "26000";

/// A statement is cancelled when its time limit is over, or when somebody asks for it.
pub(super) const CANCELLED: &str = "57014";

/// So often a short statement is tried that is cancelled each time.
const MOST_TRIES: usize = 10;

/// Other clients may come between, and the same connection of the server's may come back once or twice.
const TRANSACTIONS: usize = 5;

/// The name of a statement that no load has.
const OWN_STATEMENT: usize = usize::MAX;

impl PostgresConnection {
    /// Refuses to set up a session that does not last. What a server does not tell is not held against
    /// it.
    pub(super) async fn refuse_pool_of_transactions(&mut self) -> Result<(), SqlError> {
        let Some(process) = self.process_behind_pooler().await else { return Ok(()) };
        let backend = (self.slot.host, process);
        let is_alone = if let Some(taken) = &self.state.taken {
            taken.backend == backend
        } else {
            self.state.taken = self.state.backends.take(backend);
            self.state.taken.is_some()
        };
        if is_alone && self.sessions_last().await? != Sessions::DoNotLast {
            return Ok(());
        }
        Err(does_not_last())
    }

    /// Refuses to prepare statements where a pooler gives the connection that knows them to other clients
    /// and does not keep theirs apart. Of one client alone, nothing would be noticed before the next load.
    pub(super) async fn refuse_mixed_statements(&mut self) -> Result<(), SqlError> {
        let host = self.slot.host;
        let is_named = self.protocol != Protocol::Extended
            && matches!(self.statements.first(), Some(first) if first.is_prepared());
        if !is_named
            || self.sessions_last().await? != Sessions::DoNotLast
            || !self.state.backends.is_first_to_try(host)
        {
            return Ok(());
        }
        match self.try_with_another(true).await {
            Err(error) if is_about_statements(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether what a session sets lasts until it ends. It is tried until it is known of
    /// a host: a connection that did not wait for that might set what does not last.
    pub(super) async fn sessions_last(&mut self) -> Result<Sessions, SqlError> {
        let host = self.slot.host;
        if self.process_behind_pooler().await.is_none() {
            let is_direct = self.state.backends.is_direct(host);
            return Ok(if is_direct { Sessions::Last } else { Sessions::Unknown });
        }
        if let Some(found) = self.state.backends.sessions(host) {
            return Ok(found);
        }
        let mut tries = 0;
        let found = loop {
            match self.try_with_another(false).await {
                Ok(found) => break found,
                // Pooling of single statements ends a connection that begins a transaction.
                Err(error) if error.class().ends_connection() && self.process().await.is_err() => {
                    return Err(error);
                }
                Err(error) if is_tried_again(&error, &mut tries) => {}
                Err(_) => break Sessions::Unknown,
            }
        };
        self.state.backends.note_sessions(host, found);
        Ok(found)
    }

    /// Makes a second connection for a moment, and tries with both whether a session lasts; an error also
    /// where statements that it has prepared do not.
    async fn try_with_another(&mut self, prepares: bool) -> Result<Sessions, SqlError> {
        let (target, backends) = (Arc::clone(&self.state.target), Arc::clone(&self.state.backends));
        // A pooler that has no connection for it lets it wait.
        let Ok(mut second) = connect_beside(self, target, backends, SECOND_LIMIT).await else {
            return Ok(Sessions::Unknown);
        };
        let found = self.change_places(&mut second, prepares).await;
        second.exchange.close().await;
        if self.exchange.reader.in_transaction() {
            self.transaction_command(Verb::Rollback, "ROLLBACK").await?;
        }
        found
    }

    /// Whether the second connection keeps its session although another gave its own back in between.
    async fn change_places(
        &mut self,
        second: &mut Self,
        prepares: bool,
    ) -> Result<Sessions, SqlError> {
        let shared = self.process().await?;
        let is_shared = shared.is_some() && second.process().await? == shared;
        if prepares {
            statement::prepare(second, 0, "SELECT 1").await?;
        }
        if is_shared {
            return Ok(Sessions::DoNotLast);
        }
        self.transaction_command(Verb::Begin, "BEGIN").await?;
        second.transaction_command(Verb::Begin, "BEGIN").await?;
        let mark = second.process().await?.unwrap_or_default().to_string();
        let set = format!("SET dbdyno.session TO '{mark}'");
        second.ask(Verb::Other, set.as_bytes(), &mut Collect::default()).await?;
        if prepares {
            statement::prepare(second, OWN_STATEMENT, "SELECT 1").await?;
        }
        second.transaction_command(Verb::Commit, "COMMIT").await?;
        self.transaction_command(Verb::Commit, "COMMIT").await?;
        for _ in 0..TRANSACTIONS {
            second.transaction_command(Verb::Begin, "BEGIN").await?;
            let kept = second.first_field("SELECT current_setting('dbdyno.session', true)").await?;
            let is_kept = kept.is_some_and(|kept| kept == mark);
            if !is_kept && prepares {
                statement::find(second, OWN_STATEMENT).await?;
            }
            second.transaction_command(Verb::Commit, "COMMIT").await?;
            if !is_kept {
                return Ok(Sessions::DoNotLast);
            }
        }
        Ok(Sessions::Last)
    }

    /// The server's process that serves this connection, where it is not the one that was signed on with;
    /// None also where that is not told.
    pub(super) async fn process_behind_pooler(&mut self) -> Option<i64> {
        // Later connections are spared the round trip: they may be made anew all the time.
        if self.state.backends.is_direct(self.slot.host) {
            return None;
        }
        let process = self.process().await.ok()??;
        if Some(process) == self.state.signed_on_with {
            self.state.backends.note_direct(self.slot.host);
            return None;
        }
        Some(process)
    }

    /// The server's process that serves this connection at present, where the server tells it.
    async fn process(&mut self) -> Result<Option<i64>, SqlError> {
        let told = self.first_field("SELECT pg_backend_pid()").await?;
        Ok(told.and_then(|told| told.parse().ok()))
    }

    /// The first field of an answer. A question that is cancelled is asked again; not within a transaction,
    /// which has failed then.
    pub(super) async fn first_field(&mut self, sql: &str) -> Result<Option<String>, SqlError> {
        let (mut answer, mut tries) = (Collect::default(), 0);
        while let Err(error) = self.ask(Verb::Other, sql.as_bytes(), &mut answer).await {
            if self.exchange.reader.in_transaction() || !is_tried_again(&error, &mut tries) {
                return Err(error);
            }
            answer = Collect::default();
        }
        Ok(answer.rows.into_iter().next().and_then(|row| row.into_iter().next()?))
    }
}

/// Counts a try that has failed; whether another may have more success.
fn is_tried_again(error: &SqlError, tries: &mut usize) -> bool {
    *tries += 1;
    error.sqlstate() == CANCELLED && *tries < MOST_TRIES
}

/// Whether a pooler has mixed prepared statements up.
fn is_about_statements(error: &SqlError) -> bool {
    [DUPLICATE_STATEMENT, NO_SUCH_STATEMENT].contains(&error.sqlstate())
}

fn does_not_last() -> SqlError {
    let message = "isolation was asked for, and a pooler gives each transaction another of the server's \
                   connections, so that it does not last: use the pooler's mode session (PgBouncer: \
                   pool_mode=session), or ask for no isolation and set \
                   default_transaction_isolation at the server";
    SqlError::driver(ErrorClass::InvalidStatement, message)
}
