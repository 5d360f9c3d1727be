//! Statements that make, finish and drop tables: some are sent again, and some a server may refuse.

use contract::{Connection, Discard, ErrorClass};

use crate::load_error::{LoadError, server_error};

/// How often anything is sent that others have kept from being done.
pub(crate) const MOST_ATTEMPTS: u32 = 20;

/// Runs a statement. Where a load before this one may have run it, it does no harm that what it
/// makes is there.
pub(crate) async fn run_statement<C: Connection>(
    connection: &mut C,
    sql: &str,
    is_resumed: bool,
) -> Result<(), LoadError> {
    let mut attempt = 1;
    loop {
        let Err(error) = connection.query(sql, &mut Discard).await else { return Ok(()) };
        match error.class() {
            ErrorClass::AlreadyExists if is_resumed => return Ok(()),
            // Those that run beside one another may lock the same tables in different order: a
            // foreign key has MySQL lock both of its tables. Within a transaction more than this
            // statement has been undone.
            ErrorClass::Deadlock if attempt < MOST_ATTEMPTS && !connection.in_transaction() => {
                attempt += 1;
            }
            _ => return Err(server_error(shortened(sql))(error)),
        }
    }
}

/// Long statements are cut in messages.
fn shortened(sql: &str) -> String {
    match sql.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &sql[..end]),
        None => sql.to_owned(),
    }
}

/// The server's words where it does not know such a statement; the load then does without.
pub(crate) fn refusal_of(outcome: Result<(), LoadError>) -> Result<Option<String>, LoadError> {
    match outcome {
        Err(error) if error.is_unknown_statement() => Ok(Some(error.to_string())),
        outcome => outcome.map(|()| None),
    }
}
