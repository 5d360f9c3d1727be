//! Loads rows with INSERT.

use contract::{Discard, RowSource, SqlError, Verb};

use super::connection::{NetworkConnection, expect_done};
use super::protocol::NetworkProtocol;
use crate::sql::{Inserts, Quote};

/// Inserts all rows of a source, in statements of at most so many bytes.
pub(crate) async fn insert<P: NetworkProtocol>(
    connection: &mut NetworkConnection<P>,
    source: &mut dyn RowSource,
    quote: Quote,
    limit_bytes: usize,
) -> Result<u64, SqlError> {
    let backslash = P::backslash(&connection.state);
    let mut inserts = Inserts::new(source, quote, backslash, limit_bytes);
    let table = inserts.table().to_owned();
    let mut total = 0;
    while let Some((sql, rows)) = inserts.next() {
        let answer = connection.ask(Verb::Insert, sql, &mut Discard).await?;
        let reply = expect_done::<P>(answer)?;
        let executed = connection.done(Verb::Insert, reply)?;
        P::check_rows_taken(connection, &table, rows, reply, executed).await?;
        total += rows;
    }
    Ok(total)
}
