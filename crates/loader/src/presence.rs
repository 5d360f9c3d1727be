//! Which tables are there.

use contract::{Connection, Dataset, Discard, ErrorClass};

use crate::load_error::{LoadError, server_error};

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
