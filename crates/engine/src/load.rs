//! The loader: tables, rows in parallel inside each table, then indexes in stages.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use contract::{
    BulkMethod, Collect, Connection, Dataset, Discard, Driver, ErrorClass, Limits, SqlError,
    Verification,
};
use eventloop::{EventLoop, Handle, Timestamp};

use crate::load_rows::RowLoad;

/// How often progress is told.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// An index over many rows takes longer than any statement of a load; this only bounds a hang.
const SCHEMA_STATEMENT_LIMIT: Duration = Duration::from_hours(24);

/// How to load.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// Connections that send rows at the same time.
    pub connections: usize,
    /// How rows are sent.
    pub method: BulkMethod,
    /// To connect and log in.
    pub connect_limit: Duration,
}

/// What the loader tells its caller, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadEvent {
    /// Rows so far.
    Loading {
        /// Sent and committed.
        rows: u64,
        /// In all.
        rows_total: u64,
        /// Since the first row.
        elapsed_s: f64,
    },
    /// All is there.
    Loaded {
        /// Sent and committed.
        rows: u64,
        /// Rows and indexes together.
        elapsed_s: f64,
        /// Indexes and statistics alone.
        index_s: f64,
        /// The way taken.
        method: BulkMethod,
    },
}

/// Why a dataset is not there.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The server refused something.
    #[error("{doing}: {error}")]
    Server {
        /// What was being done.
        doing: String,
        /// The server's words.
        error: SqlError,
    },
    /// A table is there already; nothing was changed.
    #[error(
        "table {table} is there already, and nothing is overwritten: drop it, or choose another \
         database"
    )]
    TablePresent {
        /// Which.
        table: String,
    },
    /// A table holds something else.
    #[error(
        "table {table} is not what this experiment would load, and nothing is overwritten: drop it, \
         or choose another database ({sql} gives {found}, expected {expected})"
    )]
    OtherContent {
        /// Which.
        table: String,
        /// The question.
        sql: String,
        /// The answer.
        found: String,
        /// The right answer.
        expected: String,
    },
    /// Some tables are there and some are not.
    #[error(
        "the dataset is there in part only: {present}, but not {missing}; drop what is there or \
         choose another database"
    )]
    Incomplete {
        /// Which are there.
        present: String,
        /// The first that is not.
        missing: String,
    },
    /// Ended from outside.
    #[error("the loading was stopped before its end; its tables are incomplete")]
    Stopped,
    /// The operating system refused something.
    #[error("the loader could not work: {0}")]
    System(#[from] std::io::Error),
}

pub(crate) fn server_error(doing: impl Into<String>) -> impl FnOnce(SqlError) -> LoadError {
    let doing = doing.into();
    move |error| LoadError::Server { doing, error }
}

/// Loads a dataset into a database that has none of its tables.
pub fn load<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
    stop: &Arc<AtomicBool>,
    emit: &mut dyn FnMut(LoadEvent),
) -> Result<(), LoadError> {
    let dialect = driver.dialect();
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        for table in dataset.tables() {
            if is_present(work, &table).await? {
                return Err(LoadError::TablePresent { table });
            }
        }
        for sql in dataset.create(dialect) {
            run_statement(work, &sql).await?;
        }
        Ok(())
    })?;
    let rows = RowLoad::new(dataset, options.method, stop);
    let start = Timestamp::now();
    let connections = if D::BLOCKING { 1 } else { options.connections };
    let mut progress = |now| emit(rows.progress(start, now));
    in_parallel(driver, options, connections, &mut progress, &async |work, handle| {
        rows.load_on(work, handle).await
    })?;
    let index_start = Timestamp::now();
    for stage in dataset.finish(dialect) {
        let lists = RefCell::new(VecDeque::from(stage));
        let mut progress = |now| emit(rows.progress(start, now));
        in_parallel(driver, options, connections, &mut progress, &async |work, _| {
            while let Some(list) = next_of(&lists) {
                for sql in list {
                    run_statement(work, &sql).await?;
                }
            }
            Ok(())
        })?;
    }
    let end = Timestamp::now();
    emit(LoadEvent::Loaded {
        rows: rows.loaded(),
        elapsed_s: end.seconds_from(start),
        index_s: end.seconds_from(index_start),
        method: rows.method_taken(),
    });
    Ok(())
}

/// What a database holds of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// None of its tables.
    Absent,
    /// All of them, with what the dataset would have put there.
    Complete,
}

/// Tells whether the tables are there and hold what this dataset would have put there. Some tables
/// without the others, or other content, is an error.
pub fn verify<D: Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
) -> Result<Presence, LoadError> {
    let tables = dataset.tables();
    let verifications = dataset.verifications(driver.dialect());
    let presence = Cell::new(Presence::Absent);
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        let mut present = Vec::new();
        for table in &tables {
            if is_present(work, table).await? {
                present.push(table.as_str());
            }
        }
        if present.is_empty() {
            return Ok(());
        }
        if let Some(missing) = tables.iter().find(|table| !present.contains(&table.as_str())) {
            return Err(LoadError::Incomplete {
                present: present.join(", "),
                missing: missing.clone(),
            });
        }
        for verification in &verifications {
            ask(work, verification).await?;
        }
        presence.set(Presence::Complete);
        Ok(())
    })?;
    Ok(presence.get())
}

async fn ask<C: Connection>(
    connection: &mut C,
    verification: &Verification,
) -> Result<(), LoadError> {
    let Verification { table, sql, expected } = verification;
    let mut answer = Collect::default();
    connection
        .query(sql, &mut answer)
        .await
        .map_err(server_error(format!("checking table {table}")))?;
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
        for sql in &statements {
            run_statement(work, sql).await?;
        }
        Ok(())
    })
}

async fn run_statement<C: Connection>(connection: &mut C, sql: &str) -> Result<(), LoadError> {
    connection.query(sql, &mut Discard).await.map_err(server_error(shortened(sql)))?;
    Ok(())
}

/// Long statements are cut in messages.
fn shortened(sql: &str) -> String {
    match sql.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &sql[..end]),
        None => sql.to_owned(),
    }
}

async fn is_present<C: Connection>(connection: &mut C, table: &str) -> Result<bool, LoadError> {
    let question = format!("SELECT 1 FROM {table} WHERE 1 = 0");
    match connection.query(&question, &mut Discard).await {
        Ok(_) => Ok(true),
        Err(error) if error.class() == ErrorClass::InvalidStatement => Ok(false),
        Err(error) => Err(server_error(format!("looking for table {table}"))(error)),
    }
}

fn next_of<T>(queue: &RefCell<VecDeque<T>>) -> Option<T> {
    queue.borrow_mut().pop_front()
}

/// Runs `work` on so many connections of their own at once, telling progress meanwhile. Ends with
/// the first error.
fn in_parallel<D: Driver>(
    driver: &D,
    options: LoadOptions,
    connections: usize,
    progress: &mut dyn FnMut(Timestamp),
    work: &impl AsyncFn(&mut D::Connection, &Handle) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let failure = RefCell::new(None);
    let mut event_loop = EventLoop::new()?;
    for _ in 0..connections {
        let handle = event_loop.handle();
        let failure = &failure;
        event_loop.spawn(async move {
            if let Err(error) = work_on_connection(driver, options, &handle, work).await {
                failure.borrow_mut().get_or_insert(error);
            }
        });
    }
    let mut next_progress = Timestamp::now() + PROGRESS_PERIOD;
    while event_loop.live_tasks() > 0 && failure.borrow().is_none() {
        let now = event_loop.turn(next_progress)?;
        if now >= next_progress {
            next_progress = now + PROGRESS_PERIOD;
            progress(now);
        }
    }
    drop(event_loop);
    failure.into_inner().map_or(Ok(()), Err)
}

async fn work_on_connection<D: Driver>(
    driver: &D,
    options: LoadOptions,
    handle: &Handle,
    work: &impl AsyncFn(&mut D::Connection, &Handle) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let limits = Limits { connect: options.connect_limit, statement: SCHEMA_STATEMENT_LIMIT };
    let mut connection =
        driver.connect(handle, limits).await.map_err(server_error("connecting"))?;
    work(&mut connection, handle).await?;
    connection.close().await;
    Ok(())
}
