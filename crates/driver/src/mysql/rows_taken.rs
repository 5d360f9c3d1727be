//! How much a server takes, and whether it has taken all rows that it was sent.

use contract::{Collect, Connection, ErrorClass, Executed, SqlError};

use super::packet::Reply;
use super::{MysqlConnection, errors};

/// The smallest `max_allowed_packet` that servers have unless somebody sets it: `MySQL` 5.5's.
const LEAST_PACKET_BYTES: usize = 1024 * 1024;

/// What a packet may hold besides what is sent in it, as servers count.
const PACKET_OVERHEAD_BYTES: usize = 16;

/// The most that the server takes in one packet; where it does not tell, what all servers take.
pub(super) async fn largest_payload(connection: &mut MysqlConnection) -> Result<usize, SqlError> {
    let mut answer = Collect::default();
    match connection.query("SELECT @@max_allowed_packet", &mut answer).await {
        Err(error) if error.class().ends_connection() => return Err(error),
        _ => {}
    }
    let bytes = answer.rows.first().and_then(|row| row.first()?.as_ref()?.parse::<usize>().ok());
    Ok(bytes.unwrap_or(LEAST_PACKET_BYTES).saturating_sub(PACKET_OVERHEAD_BYTES))
}

/// LOAD DATA LOCAL turns errors into warnings and drops rows; here each is an error again.
pub(super) async fn check(
    connection: &mut MysqlConnection,
    table: &str,
    sent: u64,
    reply: Reply,
) -> Result<(), SqlError> {
    let taken = match reply.executed {
        Executed::Affected(rows) => rows,
        Executed::Rows(_) => 0,
    };
    if has_taken(taken, sent) && reply.warnings == 0 {
        return Ok(());
    }
    let mut warnings = Collect::default();
    connection.query("SHOW WARNINGS", &mut warnings).await?;
    for warning in &warnings.rows {
        if let [Some(level), Some(number), Some(message)] = &warning[..]
            && level != "Note"
        {
            let error = errors::from_server(number.parse().unwrap_or(0), *b"HY000", message);
            return Err(error.while_doing(&format!("loading the table {table}")));
        }
    }
    if has_taken(taken, sent) {
        return Ok(());
    }
    let message = format!("of {sent} rows for the table {table} the server took {taken}");
    Err(SqlError::driver(ErrorClass::Other, message))
}

/// A layer that keeps a table on several servers counts each row as often as it is there.
fn has_taken(taken: u64, sent: u64) -> bool {
    taken == sent || (sent > 0 && taken > 0 && taken.is_multiple_of(sent))
}
