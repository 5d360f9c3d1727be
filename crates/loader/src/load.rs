//! The loader: tables, rows in parallel inside each table, then indexes in stages.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use contract::{
    BulkMethod, Chunk, Collect, Connection, Dataset, Dialect, Discard, Driver, ErrorClass, Limits,
};
use eventloop::{EventLoop, Handle, Timestamp};

use crate::load_error::{LoadError, server_error};
use crate::load_rows::RowLoad;
use crate::presence::tables_present;
use crate::resume;

/// How often progress is told.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// An index over many rows takes longer than any statement of a load; this only bounds a hang.
const SCHEMA_STATEMENT_LIMIT: Duration = Duration::from_hours(24);

/// How often anything is sent that others have kept from being done.
pub(crate) const MOST_ATTEMPTS: u32 = 20;

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
        /// Committed, by this load or by one before it that was cut short.
        rows: u64,
        /// In all.
        rows_total: u64,
        /// Since the first row.
        elapsed_s: f64,
    },
    /// All is there.
    Loaded {
        /// In all.
        rows: u64,
        /// Those of them that a load before this one had left, which was cut short.
        resumed_rows: u64,
        /// Rows and indexes together, of this load alone.
        elapsed_s: f64,
        /// Indexes and statistics alone.
        index_s: f64,
        /// The way taken.
        method: BulkMethod,
        /// What the server would not have and the tables do without, with its reason: its own bulk
        /// format, keys, statistics.
        refusals: Vec<String>,
    },
}

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
    let start = Timestamp::now();
    if is_resumed {
        emit(rows.progress(start, start));
    }
    let connections = if D::BLOCKING { 1 } else { options.connections };
    let options = LoadOptions { connections, ..options };
    let mut progress = |now| emit(rows.progress(start, now));
    in_parallel(driver, options, connections, &mut progress, &async |work, handle| {
        rows.load_on(work, handle).await
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
    for sql in dataset.create(dialect) {
        run_statement(connection, &sql, begun.present.is_some()).await?;
    }
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

/// The server's words where it does not know such a statement; the load then does without.
pub(crate) fn refusal_of(outcome: Result<(), LoadError>) -> Result<Option<String>, LoadError> {
    match outcome {
        Err(error) if error.is_unknown_statement() => Ok(Some(error.to_string())),
        outcome => outcome.map(|()| None),
    }
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
        in_parallel(driver, options, options.connections, progress, &async |work, _| {
            while let Some(list) = next_of(&lists) {
                for sql in list {
                    let refusal = refusal_of(run_statement(work, &sql, is_resumed).await)?;
                    refusals.borrow_mut().extend(refusal);
                }
            }
            Ok(())
        })?;
    }
    Ok(refusals.into_inner())
}

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

fn next_of<T>(queue: &RefCell<VecDeque<T>>) -> Option<T> {
    queue.borrow_mut().pop_front()
}

/// Runs `work` on so many connections of their own at once, telling progress meanwhile. Ends with
/// the first error.
pub(crate) fn in_parallel<D: Driver>(
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
