//! Which tables are there.

use std::time::Duration;

use contract::{Connection, Dataset, Discard, ErrorClass};
use eventloop::{Handle, Timestamp};

use crate::load_error::{LoadError, server_error};

/// How long it may take until all nodes of a cluster have made a table.
const SEEN_WITHIN: Duration = Duration::from_secs(30);

const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// The dataset's tables that are there, and those that are not.
pub(crate) async fn tables_present<C: Connection>(
    connection: &mut C,
    dataset: &dyn Dataset,
) -> Result<(Vec<String>, Vec<String>), LoadError> {
    let (mut present, mut missing) = (Vec::new(), Vec::new());
    for table in dataset.tables() {
        let found = is_present(connection, &table).await?;
        if found { &mut present } else { &mut missing }.push(table);
    }
    Ok((present, missing))
}

/// Whether there is a table, or a view, of this name.
pub(crate) async fn is_present<C: Connection>(
    connection: &mut C,
    table: &str,
) -> Result<bool, LoadError> {
    let question = format!("SELECT 1 FROM {table} WHERE 1 = 0");
    match connection.query(&question, &mut Discard).await {
        Ok(_) => Ok(true),
        Err(error) if error.class() == ErrorClass::InvalidStatement => Ok(false),
        Err(error) => Err(server_error(format!("looking for table {table}"))(error)),
    }
}

/// Waits until a connection sees a table that another one has made: the two may lead to different
/// nodes of a cluster, which follow each other.
pub(crate) async fn wait_for_table<C: Connection>(
    connection: &mut C,
    handle: &Handle,
    table: &str,
) -> Result<(), LoadError> {
    let deadline = Timestamp::now() + SEEN_WITHIN;
    while !is_present(connection, table).await? {
        if Timestamp::now() > deadline {
            return Err(LoadError::TableNotSeen {
                table: table.to_owned(),
                waited_s: SEEN_WITHIN.as_secs(),
            });
        }
        handle.sleep_until(Timestamp::now() + LOOK_PERIOD).await;
    }
    Ok(())
}
