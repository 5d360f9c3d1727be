//! What of a server's settings is lifted for connections that are no part of the load.
//!
//! Nothing else is set. Our statements write times as texts that begin with the year; those that the server
//! works out are stored, and nothing is compared with them: neither the time zone nor the style of dates
//! changes what is read. Tables are named without their schema, and all connections of a user look for them
//! along the same search path.

use contract::{Collect, ErrorClass, Purpose, SqlError, Verb};

use super::PostgresConnection;
use super::backends::Sessions;

/// Limits of time that a server, a database or a user may have. Not every version knows all.
const TIME_LIMITS: &str = "'lock_timeout','idle_in_transaction_session_timeout',\
                           'idle_session_timeout','transaction_timeout'";

/// The server ended a statement: its limit of time was over, or somebody wished it.
pub(super) const CUT_OFF: &str = "57014";

/// So often something is tried that the server cuts off although it takes no time.
pub(super) const MOST_TRIES: usize = 10;

/// A table along the search path of whose rows a policy hides some from the user.
const ASK_FOR_HIDDEN_ROWS: &str = "SELECT relname FROM pg_class WHERE relrowsecurity \
                                   AND pg_table_is_visible(oid) AND row_security_active(oid) LIMIT 1";

/// Lifts them, in two round trips where the server itself answers, or a pooler that keeps sessions apart:
/// through another one they would be lifted for the load as well, to which the pooler gives the same of
/// the server's connections. There a limit of time stays, whose end is an error in the server's words.
///
/// Questions of ours are refused where a policy hides rows from the user: rows that are not shown would
/// be taken for rows that are lost.
pub(super) async fn lift(connection: &mut PostgresConnection) -> Result<(), SqlError> {
    let also = match connection.session.purpose {
        Purpose::Load => return Ok(()),
        Purpose::Preparation => "",
        Purpose::Administration => ",'row_security'",
    };
    let process = connection.state.signed_on_with;
    let is_server = match process {
        Some(process) => set(connection, also, &format!("pg_backend_pid() = {process}")).await?,
        None => false,
    };
    if is_server || connection.process_behind_pooler().await.is_none() {
        return Ok(());
    }
    if connection.sessions_last().await? == Sessions::Last {
        set(connection, also, "true").await?;
    } else if connection.session.purpose == Purpose::Administration {
        refuse_hidden_rows(connection).await?;
    }
    Ok(())
}

/// Lifts them where a condition holds, which is told. The limit of a statement's time comes first: it may be
/// too short for the statement that finds the others.
async fn set(
    connection: &mut PostgresConnection,
    also: &str,
    condition: &str,
) -> Result<bool, SqlError> {
    let first = format!("SELECT set_config('statement_timeout', '0', false) WHERE {condition}");
    let is_meant = connection.ask_again(&first).await?;
    if is_meant {
        let others = format!(
            "SELECT set_config(name, CASE name WHEN 'row_security' THEN 'off' ELSE '0' END, false) \
             FROM pg_settings WHERE name IN ({TIME_LIMITS}{also}) AND setting <> '0' AND {condition}"
        );
        connection.ask_again(&others).await?;
    }
    Ok(is_meant)
}

impl PostgresConnection {
    /// Asks, and again where the server cuts it off; whether it answered with any row.
    async fn ask_again(&mut self, sql: &str) -> Result<bool, SqlError> {
        let mut tries = 0;
        loop {
            let mut answer = Collect::default();
            tries += 1;
            match self.ask(Verb::Other, sql.as_bytes(), &mut answer).await {
                Err(error) if error.class().ends_connection() => return Err(error),
                Err(error) if error.sqlstate() == CUT_OFF && tries == MOST_TRIES => {
                    return Err(error);
                }
                Err(error) if error.sqlstate() == CUT_OFF => {}
                // A server that knows no such catalog has limits of its own.
                _ => return Ok(!answer.rows.is_empty()),
            }
        }
    }
}

/// Refuses to ask where rows are hidden, and can't be made an error.
async fn refuse_hidden_rows(connection: &mut PostgresConnection) -> Result<(), SqlError> {
    let mut answer = Collect::default();
    match connection.ask(Verb::Other, ASK_FOR_HIDDEN_ROWS.as_bytes(), &mut answer).await {
        Err(error) if error.class().ends_connection() => return Err(error),
        _ => {}
    }
    let Some(table) = answer.rows.first().and_then(|row| row.first()?.as_deref()) else {
        return Ok(());
    };
    let message = format!(
        "a policy hides rows of {table} from this user (row-level security), and would make them look \
         lost; sign on as the owner of the table or as a user with BYPASSRLS, or connect to the server \
         without the pooler"
    );
    Err(SqlError::driver(ErrorClass::InvalidStatement, message))
}
