//! What a database holds of a dataset: looking, asking, removing.

use std::cell::Cell;

use contract::{Collect, Connection, Dataset, Driver, Verification};

use crate::connections::{LoadOptions, in_parallel};
use crate::load_error::{LoadError, server_error};
use crate::presence::tables_present;
use crate::resume;
use crate::statement::{Together, refusal_of, run_statement, shortened};

/// What a database holds of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableCheck {
    /// None of its tables.
    Absent,
    /// What a load of it has left that was cut short: to load it again is to go on.
    Incomplete,
    /// All of them, with what the dataset would have put there.
    Complete,
}

/// Tells whether the tables are there and hold what this dataset would have put there. Some tables
/// without the others, or other content, is an error.
pub fn verify<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
) -> Result<TableCheck, LoadError> {
    answer(driver, dataset, options, &dataset.verifications(driver.dialect()))
}

/// Does as `verify` does, and looks at a sample of large tables.
pub fn verify_sample<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
) -> Result<TableCheck, LoadError> {
    answer(driver, dataset, options, &dataset.sampled_verifications(driver.dialect()))
}

fn answer<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
    verifications: &[Verification],
) -> Result<TableCheck, LoadError> {
    let check = Cell::new(TableCheck::Absent);
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        if dataset.is_resumable() && resume::read(work, dataset).await?.is_some() {
            check.set(TableCheck::Incomplete);
            return Ok(());
        }
        let (present, missing) = tables_present(work, dataset).await?;
        // Of a set-up that makes no tables nothing can be absent.
        if present.is_empty() && !missing.is_empty() {
            return Ok(());
        }
        if let Some(missing) = missing.into_iter().next() {
            return Err(LoadError::Incomplete { present: present.join(", "), missing });
        }
        for verification in verifications {
            ask(work, verification).await?;
        }
        check.set(TableCheck::Complete);
        Ok(())
    })?;
    Ok(check.get())
}

async fn ask<C: Connection>(
    connection: &mut C,
    verification: &Verification,
) -> Result<(), LoadError> {
    let Verification { table, sql, expected } = verification;
    let mut answer = Collect::default();
    let doing = if table.is_empty() { shortened(sql) } else { format!("checking table {table}") };
    connection.query(sql, &mut answer).await.map_err(server_error(doing))?;
    let row = answer.rows.into_iter().next().unwrap_or_default();
    let found: Vec<String> =
        row.into_iter().map(|field| field.unwrap_or_else(|| "NULL".to_owned())).collect();
    if found == *expected {
        return Ok(());
    }
    Err(LoadError::OtherContent {
        table: table.clone(),
        sql: sql.clone(),
        found: found.join(", "),
        expected: expected.join(", "),
    })
}

/// Removes a dataset's tables.
pub fn drop_tables<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
) -> Result<(), LoadError> {
    let statements = dataset.drop(driver.dialect());
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        if dataset.is_resumable() {
            // First: half of the tables must not look like a load that can go on.
            refusal_of(resume::forget(work).await)?;
        }
        let mut together = Together::new(driver.dialect());
        for sql in &statements {
            together.before(work, sql).await?;
            run_statement(work, sql, false).await?;
        }
        together.end(work).await
    })
}
