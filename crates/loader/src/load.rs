//! Loads: tables, rows in parallel inside each table, then indexes in stages.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use contract::{Chunk, Collect, Connection, Dataset, Dialect, Driver};
use eventloop::Timestamp;

use crate::connections::{LoadOptions, in_parallel};
use crate::load_error::{LoadError, server_error};
use crate::load_event::LoadEvent;
use crate::load_rows::RowLoad;
use crate::presence::tables_present;
use crate::resume;
use crate::statement::{Together, refusal_of, run_statement};

/// Loads a dataset into a database that has none of its tables, or goes on with a load that was cut
/// short, where the dataset can be resumed.
pub fn load<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
    stop: &Arc<AtomicBool>,
    emit: &mut dyn FnMut(LoadEvent),
) -> Result<(), LoadError> {
    let begun = Cell::new(Begun::default());
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        begun.set(make_tables(work, dataset, driver.dialect()).await?);
        Ok(())
    })?;
    let Begun { present, keeps_track, refusal } = begun.take();
    let is_resumed = present.is_some();
    let rows =
        RowLoad::new(dataset, &present.unwrap_or_default(), options.method, keeps_track, stop);
    let dialect = driver.dialect();
    let start = Timestamp::now();
    if is_resumed {
        emit(rows.progress(start, start));
    }
    let connections = if D::BLOCKING { 1 } else { options.connections };
    let options = LoadOptions { connections, ..options };
    let mut progress = |now| emit(rows.progress(start, now));
    in_parallel(driver, options, connections, &mut progress, &async |work, handle| {
        rows.load_on(work, handle, Together::new(dialect)).await
    })?;
    let index_start = Timestamp::now();
    let refused = finish(driver, dataset, options, is_resumed, &mut progress)?;
    if keeps_track {
        in_parallel(driver, options, 1, &mut progress, &async |work, _| {
            resume::forget(work).await
        })?;
    }
    let end = Timestamp::now();
    emit(LoadEvent::Loaded {
        rows: rows.present(),
        resumed_rows: rows.resumed(),
        elapsed_s: end.seconds_from(start),
        index_s: end.seconds_from(index_start),
        method: rows.method_taken(),
        refusals: refusal.into_iter().chain(rows.take_refusal()).chain(refused).collect(),
    });
    Ok(())
}

/// Where a load begins.
#[derive(Default)]
struct Begun {
    /// The chunks that are there already; None where no load was begun.
    present: Option<HashSet<Chunk>>,
    /// Whether the database keeps what was loaded so far, so that a load can be continued.
    keeps_track: bool,
    /// Why it does not, where it could.
    refusal: Option<String>,
}

/// Makes the tables.
async fn make_tables<C: Connection>(
    connection: &mut C,
    dataset: &dyn Dataset,
    dialect: Dialect,
) -> Result<Begun, LoadError> {
    let mut begun = Begun { keeps_track: dataset.is_resumable(), ..Begun::default() };
    begun.present =
        if dataset.is_resumable() { resume::read(connection, dataset).await? } else { None };
    let (present, missing) = tables_present(connection, dataset).await?;
    match &begun.present {
        None if !dataset.makes_tables() => {
            if let Some(table) = missing.into_iter().next() {
                return Err(LoadError::TableMissing { table });
            }
            refuse_rows(connection, &present).await?;
        }
        None => {
            if let Some(table) = present.into_iter().next() {
                return Err(LoadError::TablePresent { table });
            }
            if begun.keeps_track {
                begun.refusal = refusal_of(resume::begin(connection, dataset, dialect).await)?;
                begun.keeps_track = begun.refusal.is_none();
            }
        }
        // The first chunk came after the last table.
        Some(chunks) if !chunks.is_empty() => {
            return match missing.into_iter().next() {
                Some(missing) => {
                    Err(LoadError::Incomplete { present: present.join(", "), missing })
                }
                None => Ok(begun),
            };
        }
        Some(_) => {}
    }
    let mut together = Together::new(dialect);
    for sql in dataset.create(dialect) {
        together.before(connection, &sql).await?;
        run_statement(connection, &sql, begun.present.is_some()).await?;
    }
    together.end(connection).await?;
    Ok(begun)
}

/// Refuses tables that have rows already.
async fn refuse_rows<C: Connection>(
    connection: &mut C,
    tables: &[String],
) -> Result<(), LoadError> {
    for table in tables {
        let mut answer = Collect::default();
        let sql = format!("SELECT 1 FROM {table} LIMIT 1");
        let asked = connection.query(&sql, &mut answer).await;
        asked.map_err(server_error(format!("looking into table {table}")))?;
        if !answer.rows.is_empty() {
            return Err(LoadError::TableNotEmpty { table: table.clone() });
        }
    }
    Ok(())
}

/// Runs the statements after the rows, stage by stage. Gives those that the server would not have, each
/// with its reason.
fn finish<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
    is_resumed: bool,
    progress: &mut dyn FnMut(Timestamp),
) -> Result<Vec<String>, LoadError> {
    let refusals = RefCell::new(Vec::new());
    for stage in dataset.finish(driver.dialect()) {
        let lists = RefCell::new(VecDeque::from(stage));
        in_parallel(driver, options, options.connections, progress, &async |work, handle| {
            let mut together = Together::new(driver.dialect());
            while let Some(list) = next_of(&lists) {
                for sql in list {
                    together.before(work, &sql).await?;
                    let refusal = refusal_of(run_statement(work, &sql, is_resumed).await)?;
                    refusals.borrow_mut().extend(refusal);
                    handle.yield_now().await;
                }
            }
            together.end(work).await
        })?;
    }
    Ok(refusals.into_inner())
}

fn next_of<T>(queue: &RefCell<VecDeque<T>>) -> Option<T> {
    queue.borrow_mut().pop_front()
}
