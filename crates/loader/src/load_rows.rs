//! The rows of a dataset, sent by several connections at once.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use contract::{
    Access, BulkMethod, Chunk, Connection, Dataset, ErrorClass, RowSource, RowWriter, SqlError,
};
use eventloop::{Handle, Timestamp};

use crate::chunk_scheduler::ChunkScheduler;
use crate::load_error::{LoadError, server_error};
use crate::load_event::LoadEvent;
use crate::presence::wait_for_table;
use crate::resume;
use crate::statement::{MOST_ATTEMPTS, Together};

/// So many rows of one table have a transaction of their own, wherever small tables share one.
const ROWS_OF_SMALL_TABLES: u64 = 1000;

/// The rows of a dataset while they are being loaded.
pub(crate) struct RowLoad<'a> {
    dataset: &'a dyn Dataset,
    method: BulkMethod,
    method_taken: Cell<BulkMethod>,
    scheduler: RefCell<ChunkScheduler>,
    rows_total: u64,
    loaded: Cell<u64>,
    resumed: Cell<u64>,
    /// Why a server would not have its own bulk format.
    refusal: RefCell<Option<String>>,
    /// Whether each chunk is noted in the database together with its rows.
    keeps_track: bool,
    stop: &'a AtomicBool,
}

impl<'a> RowLoad<'a> {
    /// For all chunks but those that are there.
    pub fn new(
        dataset: &'a dyn Dataset,
        present: &HashSet<Chunk>,
        method: BulkMethod,
        keeps_track: bool,
        stop: &'a AtomicBool,
    ) -> Self {
        let mut chunks = dataset.chunks();
        let rows_total = chunks.iter().map(|chunk| chunk.rows).sum();
        let resumed = present.iter().map(|chunk| chunk.rows).sum();
        chunks.retain(|chunk| !present.contains(chunk));
        Self {
            dataset,
            method,
            method_taken: Cell::new(method),
            scheduler: RefCell::new(ChunkScheduler::new(&chunks)),
            rows_total,
            loaded: Cell::new(0),
            resumed: Cell::new(resumed),
            refusal: RefCell::new(None),
            keeps_track,
            stop,
        }
    }

    /// Rows that are there, committed.
    pub fn present(&self) -> u64 {
        self.resumed.get() + self.loaded.get()
    }

    /// Those of them that an earlier load has left.
    pub fn resumed(&self) -> u64 {
        self.resumed.get()
    }

    /// The way that the rows took.
    pub fn method_taken(&self) -> BulkMethod {
        self.method_taken.get()
    }

    /// How far the loading is.
    pub fn progress(&self, start: Timestamp, now: Timestamp) -> LoadEvent {
        let elapsed_s = now.seconds_from(start);
        LoadEvent::Loading { rows: self.present(), rows_total: self.rows_total, elapsed_s }
    }

    /// Loads until nothing is left for this connection to do.
    pub async fn load_on<C: Connection>(
        &self,
        connection: &mut C,
        handle: &Handle,
        mut together: Together,
    ) -> Result<(), LoadError> {
        let number = self.scheduler.borrow_mut().begin();
        let mut seen = HashSet::new();
        if self.keeps_track {
            wait_for_table(connection, handle, resume::TABLE).await?;
        }
        while let Some(chunks) = self.next(number) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(LoadError::Stopped { is_resumable: self.keeps_track });
            }
            if seen.insert(chunks[0].table) {
                wait_for_table(connection, handle, &self.dataset.table_of(&chunks[0])).await?;
            }
            if self.keeps_track {
                self.send_missing(connection, &chunks).await?;
            } else {
                together.join(connection).await?;
                let mut rows = Rows::new(self.dataset, &chunks);
                let doing = doing(&rows);
                let sent = connection.load(&mut rows, self.method).await;
                self.count(sent.map_err(server_error(doing))?);
                if chunks.iter().map(|chunk| chunk.rows).sum::<u64>() >= ROWS_OF_SMALL_TABLES {
                    together.end(connection).await?;
                }
            }
            handle.yield_now().await;
        }
        together.end(connection).await?;
        if let Some(error) = connection.bulk_refusal() {
            self.refusal
                .borrow_mut()
                .get_or_insert_with(|| format!("rows went with INSERT: {error}"));
        }
        Ok(())
    }

    /// Why rows went with INSERT although the server's own bulk format would have been faster.
    pub fn take_refusal(&self) -> Option<String> {
        self.refusal.take()
    }

    fn next(&self, number: usize) -> Option<Vec<Chunk>> {
        self.scheduler.borrow_mut().next(number)
    }

    fn count(&self, (rows, method): (u64, BulkMethod)) {
        self.loaded.set(self.loaded.get() + rows);
        self.method_taken.set(method);
    }

    /// Sends chunks together; where one of them turns out to be there, each by itself.
    async fn send_missing<C: Connection>(
        &self,
        connection: &mut C,
        chunks: &[Chunk],
    ) -> Result<(), LoadError> {
        if self.send_claimed(connection, chunks).await? {
            return Ok(());
        }
        for chunk in chunks {
            if !self.send_claimed(connection, std::slice::from_ref(chunk)).await? {
                self.resumed.set(self.resumed.get() + chunk.rows);
            }
        }
        Ok(())
    }

    /// Sends chunks in one transaction; false where one of them is there already, and none was sent.
    async fn send_claimed<C: Connection>(
        &self,
        connection: &mut C,
        chunks: &[Chunk],
    ) -> Result<bool, LoadError> {
        let mut attempt = 1;
        loop {
            let mut rows = Rows::new(self.dataset, chunks);
            let doing = doing(&rows);
            let error = match send_with_claim(connection, chunks, &mut rows, self.method).await {
                Ok(None) => return Ok(false),
                Ok(Some(sent)) => {
                    self.count(sent);
                    return Ok(true);
                }
                Err(error) => error,
            };
            // Most often a lock was not granted that a killed loader's transaction still holds.
            if !error.class().is_retryable() || attempt == MOST_ATTEMPTS {
                return Err(server_error(doing)(error));
            }
            attempt += 1;
            connection.rollback().await.map_err(server_error("rolling back"))?;
        }
    }
}

/// One transaction with chunks and the claim to them; None where one of them is there already.
async fn send_with_claim<C: Connection>(
    connection: &mut C,
    chunks: &[Chunk],
    rows: &mut Rows,
    method: BulkMethod,
) -> Result<Option<(u64, BulkMethod)>, SqlError> {
    connection.begin(Access::ReadWrite).await?;
    match resume::claim(connection, chunks).await {
        Ok(()) => {}
        Err(error) if error.class() == ErrorClass::DuplicateKey => {
            connection.rollback().await?;
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let sent = connection.load(rows, method).await?;
    connection.commit().await?;
    Ok(Some(sent))
}

fn doing(rows: &Rows) -> String {
    format!("loading rows into {}", rows.table())
}

/// The rows of several chunks of one table, one after the other; there is at least one chunk.
struct Rows(VecDeque<Box<dyn RowSource>>);

impl Rows {
    fn new(dataset: &dyn Dataset, chunks: &[Chunk]) -> Self {
        Self(chunks.iter().map(|chunk| dataset.rows(chunk)).collect())
    }
}

impl RowSource for Rows {
    fn table(&self) -> &str {
        self.0[0].table()
    }

    fn columns(&self) -> &[&'static str] {
        self.0[0].columns()
    }

    fn is_ascii(&self) -> bool {
        self.0.iter().all(|source| source.is_ascii())
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        while !self.0[0].next(row) {
            if self.0.len() == 1 {
                return false;
            }
            self.0.pop_front();
        }
        true
    }
}
