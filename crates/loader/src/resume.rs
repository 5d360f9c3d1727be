//! Loads that can be taken up again: a table in the target tells what is there already.
//!
//! It has one row with the dataset's fingerprint and one for each chunk that is there. A chunk's row
//! is inserted first in the very transaction that inserts the chunk's rows, so that both are there
//! or neither, whenever the loader was killed; a table without a primary key gets no row twice. A
//! transaction that a killed loader has left on the server, perhaps in the midst of its commit, is
//! waited for: its claim is in the way of ours. With an engine that has no transactions, none of
//! this holds.

use std::collections::HashSet;
use std::rc::Rc;

use contract::{Chunk, Collect, Connection, Dataset, Dialect, Discard, SqlError, Statement, Value};

use crate::load_error::{LoadError, server_error};
use crate::presence::is_present;

/// The table with what is there.
pub(crate) const TABLE: &str = "dbdyno_loading";

/// Stands in the place of a table's number where the fingerprint is.
const FINGERPRINT: i64 = -1;

/// Chunks that an earlier load of the same dataset has left; None where there was none.
pub(crate) async fn read<C: Connection>(
    connection: &mut C,
    dataset: &dyn Dataset,
) -> Result<Option<HashSet<Chunk>>, LoadError> {
    if !is_present(connection, TABLE).await? {
        return Ok(None);
    }
    let sql = format!("SELECT table_number, first_row, row_count, fingerprint FROM {TABLE}");
    let mut answer = Collect::default();
    connection.query(&sql, &mut answer).await.map_err(server_error(format!("reading {TABLE}")))?;
    let Some(found) = answer.rows.iter().find_map(|row| row.get(3)?.clone()) else {
        // A loader was killed that had just made this table, and nothing else.
        return Ok(None);
    };
    let chunks: HashSet<Chunk> = answer.rows.iter().filter_map(|row| chunk(row)).collect();
    let expected = dataset.fingerprint();
    if found != expected || !chunks.is_subset(&dataset.chunks().into_iter().collect()) {
        return Err(LoadError::OtherLoading { found, expected });
    }
    Ok(Some(chunks))
}

fn chunk(row: &[Option<String>]) -> Option<Chunk> {
    let [Some(table), Some(first), Some(rows), _] = row else { return None };
    // The fingerprint's number is none that a table has.
    let table = table.parse().ok()?;
    Some(Chunk { table, first: first.parse().ok()?, rows: rows.parse().ok()? })
}

/// Takes note, before anything else is made, of what will be loaded.
pub(crate) async fn begin<C: Connection>(
    connection: &mut C,
    dataset: &dyn Dataset,
    dialect: Dialect,
) -> Result<(), LoadError> {
    if !is_present(connection, TABLE).await? {
        let created = connection.query(&create(dialect), &mut Discard).await;
        created.map_err(server_error(format!("making the table {TABLE}")))?;
    }
    let inserted = insert_fingerprint(connection, &dataset.fingerprint()).await;
    inserted.map_err(server_error(format!("writing into {TABLE}")))
}

fn create(dialect: Dialect) -> String {
    // The server's default may be an engine without transactions.
    let engine = match dialect {
        Dialect::MySql => " ENGINE=InnoDB",
        Dialect::Sqlite | Dialect::PostgreSql => "",
    };
    format!(
        "CREATE TABLE {TABLE} (table_number BIGINT NOT NULL, first_row BIGINT NOT NULL, \
         row_count BIGINT NOT NULL, fingerprint TEXT, PRIMARY KEY (table_number, first_row)){engine}"
    )
}

async fn insert_fingerprint<C: Connection>(
    connection: &mut C,
    fingerprint: &str,
) -> Result<(), SqlError> {
    let sql = format!("INSERT INTO {TABLE} VALUES ({FINGERPRINT}, 0, 0, ?)");
    connection.prepare(&Rc::from([Statement { sql }])).await?;
    connection.execute(0, &[Value::Text(fingerprint)], &mut Discard).await?;
    Ok(())
}

/// Says, within a transaction, that it brings these chunks. The error is `DuplicateKey` where one of
/// them is there already.
pub(crate) async fn claim<C: Connection>(
    connection: &mut C,
    chunks: &[Chunk],
) -> Result<(), SqlError> {
    let row = |chunk: &Chunk| format!("({},{},{})", chunk.table, chunk.first, chunk.rows);
    let rows = chunks.iter().map(row).collect::<Vec<_>>().join(",");
    let sql = format!("INSERT INTO {TABLE} (table_number, first_row, row_count) VALUES {rows}");
    connection.query(&sql, &mut Discard).await.map(drop)
}

/// Forgets what was loaded: all is there, or will be removed. Nothing happens where nothing was
/// begun.
pub(crate) async fn forget<C: Connection>(connection: &mut C) -> Result<(), LoadError> {
    let sql = format!("DROP TABLE IF EXISTS {TABLE}");
    let dropped = connection.query(&sql, &mut Discard).await;
    dropped.map(drop).map_err(server_error(format!("dropping the table {TABLE}")))
}
