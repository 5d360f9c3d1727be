//! What of a server's settings is lifted for connections that are no part of the load.
//!
//! A server may be set so that a SELECT ends after some rows, or a statement after some seconds, or that
//! `"text"` is a name. Our own statements must mean the same with every server: rows that it did not
//! return would be taken for rows that it has lost.

use contract::{Purpose, SqlError};

use super::MysqlConnection;

/// Limits, each with the value that is none, and that COMMIT does no more than that. DEFAULT would be what
/// the server is set to.
const LIMITS: [&str; 4] = [
    "sql_select_limit=18446744073709551615",
    "sql_big_selects=1",
    "sql_safe_updates=0",
    "completion_type=0",
];

/// Limits of time, which only some kinds of servers know.
const TIME_LIMITS: [&str; 2] = ["max_statement_time=0", "max_execution_time=0"];

/// Both in comments that the servers who know them read. `MariaDB` passes over the numbers of `MySQL` 5.7
/// and later, and `MySQL` over what begins with an M.
const TIME_LIMITS_OF_KNOWN: &str =
    "/*M!100101 ,max_statement_time=0*/ /*!50708 ,max_execution_time=0*/";

/// How texts and names are written, and that a value which a column can't hold is refused.
const MODE: &str = "sql_mode='STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'";

/// Lifts them, in one round trip. A server that does not know one of them refuses all, and is then given
/// each by itself: a limit that it does not know, it does not have.
pub(super) async fn lift(connection: &mut MysqlConnection) -> Result<(), SqlError> {
    let mut settings = LIMITS.to_vec();
    match connection.session.purpose {
        Purpose::Load => return Ok(()),
        // What a user wrote to make tables is read as the server reads it.
        Purpose::Preparation => {}
        Purpose::Administration => settings.push(MODE),
    }
    let together = format!("{} {TIME_LIMITS_OF_KNOWN}", settings.join(","));
    if takes(connection, &together).await? {
        return Ok(());
    }
    for setting in settings.into_iter().chain(TIME_LIMITS) {
        takes(connection, setting).await?;
    }
    Ok(())
}

/// Whether the server takes settings.
async fn takes(connection: &mut MysqlConnection, settings: &str) -> Result<bool, SqlError> {
    match connection.command(&format!("SET SESSION {settings}")).await {
        Err(error) if error.class().ends_connection() => Err(error),
        taken => Ok(taken.is_ok()),
    }
}
