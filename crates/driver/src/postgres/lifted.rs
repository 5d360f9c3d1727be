//! What of a server's settings is lifted for connections that are no part of the load.
//!
//! Nothing else is set. Our statements write times as texts that begin with the year; those that the server
//! works out are stored, and nothing is compared with them: neither the time zone nor the style of dates
//! changes what is read. Tables are named without their schema, and all connections of a user look for them
//! along the same search path.

use contract::{Collect, ErrorClass, Purpose, SqlError, Verb};

use super::PostgresConnection;
use super::backends::Sessions;
use super::pooling::CANCELLED;

/// Limits of time that a server, a database or a user may have. Not every version knows all.
const TIME_LIMITS: &str = "'lock_timeout','idle_in_transaction_session_timeout',\
                           'idle_session_timeout','transaction_timeout'";

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

/// Lifts them where a condition holds, and returns whether it does. The time limit of a statement is lifted
/// first: the statement that finds the others may take longer.
async fn set(
    connection: &mut PostgresConnection,
    also: &str,
    condition: &str,
) -> Result<bool, SqlError> {
    let first = format!("SELECT set_config('statement_timeout', '0', false) WHERE {condition}");
    let others = format!(
        "SELECT set_config(name, CASE name WHEN 'row_security' THEN 'off' ELSE '0' END, false) \
         FROM pg_settings WHERE name IN ({TIME_LIMITS}{also}) AND setting <> '0' AND {condition}"
    );
    let holds = has_row(connection, &first).await?;
    if holds {
        has_row(connection, &others).await?;
    }
    Ok(holds)
}

/// Whether a question has any row as its answer.
async fn has_row(connection: &mut PostgresConnection, sql: &str) -> Result<bool, SqlError> {
    match connection.first_field(sql).await {
        Err(error) if error.class().ends_connection() || error.sqlstate() == CANCELLED => {
            Err(error)
        }
        // A server that knows no such catalog has limits of its own.
        told => Ok(told.is_ok_and(|field| field.is_some())),
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
