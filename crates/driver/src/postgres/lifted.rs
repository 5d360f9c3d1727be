//! What of a server's settings is lifted for connections that are no part of the load.

use contract::{Collect, Purpose, SqlError, Verb};

use super::PostgresConnection;

/// Limits of time that a server, a database or a user may have. Not every version knows all.
const TIME_LIMITS: &str = "'statement_timeout','lock_timeout','idle_in_transaction_session_timeout',\
                           'idle_session_timeout','transaction_timeout'";

/// Lifts them, in one round trip, where the server itself answers: through a pooler they would be lifted
/// for the load as well, to which the pooler gives the same of the server's connections.
///
/// Questions of ours are refused where a policy hides rows from the user: rows that are not shown would
/// be taken for rows that are lost.
pub(super) async fn lift(connection: &mut PostgresConnection) -> Result<(), SqlError> {
    let also = match connection.session.purpose {
        Purpose::Load => return Ok(()),
        Purpose::Preparation => "",
        Purpose::Administration => ",'row_security'",
    };
    let Some(process) = connection.state.signed_on_with else { return Ok(()) };
    let sql = format!(
        "SELECT set_config(name, CASE name WHEN 'row_security' THEN 'off' ELSE '0' END, false) \
         FROM pg_settings WHERE name IN ({TIME_LIMITS}{also}) AND setting <> '0' \
         AND pg_backend_pid() = {process}"
    );
    match connection.ask(Verb::Other, sql.as_bytes(), &mut Collect::default()).await {
        Err(error) if error.class().ends_connection() => Err(error),
        // A server that knows no such catalog has limits of its own.
        _ => Ok(()),
    }
}
