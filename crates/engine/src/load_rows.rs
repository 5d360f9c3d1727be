//! The rows of a dataset, shared out among connections.
//!
//! A connection fills a stretch of one table from its beginning to its end: rows that arrive in the
//! order of their key are appended, while rows that arrive from several places at once split pages.
//! So every connection first takes a table of its own, and when there are no more, half of what is
//! left of the longest stretch that another one is still filling.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::{BulkMethod, Chunk, Connection, Dataset, RowSource, RowWriter};
use eventloop::{Handle, Timestamp};

use crate::load::{LoadError, LoadEvent, server_error};

/// Rows sent in one go: enough that a statement's own cost does not count.
const ROWS_AT_ONCE: u64 = 50_000;

/// Neighbouring chunks of one table, in order.
type Stretch = VecDeque<Chunk>;

/// The rows of a dataset while they are being loaded.
pub(crate) struct RowLoad<'a> {
    dataset: &'a dyn Dataset,
    method: BulkMethod,
    method_taken: Cell<BulkMethod>,
    untouched: RefCell<VecDeque<Stretch>>,
    /// What each connection is filling, by the number that it got when it began.
    stretches: RefCell<Vec<Stretch>>,
    rows_total: u64,
    loaded: Cell<u64>,
    stop: &'a AtomicBool,
}

impl<'a> RowLoad<'a> {
    pub fn new(dataset: &'a dyn Dataset, method: BulkMethod, stop: &'a AtomicBool) -> Self {
        let chunks = dataset.chunks();
        let rows_total = chunks.iter().map(|chunk| chunk.rows).sum();
        let tables = chunks.chunk_by(|a, b| a.table == b.table);
        Self {
            dataset,
            method,
            method_taken: Cell::new(method),
            untouched: RefCell::new(tables.map(|table| table.iter().cloned().collect()).collect()),
            stretches: RefCell::default(),
            rows_total,
            loaded: Cell::new(0),
            stop,
        }
    }

    /// Rows that have been sent and committed.
    pub fn loaded(&self) -> u64 {
        self.loaded.get()
    }

    /// The way that the rows took.
    pub fn method_taken(&self) -> BulkMethod {
        self.method_taken.get()
    }

    /// Loads until nothing is left for this connection to do.
    pub async fn load_on<C: Connection>(
        &self,
        connection: &mut C,
        handle: &Handle,
    ) -> Result<(), LoadError> {
        let number = self.begin();
        while let Some(mut source) = self.next_rows(number) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(LoadError::Stopped);
            }
            let doing = format!("loading rows into {}", source.table());
            let (rows, method) =
                connection.load(&mut source, self.method).await.map_err(server_error(doing))?;
            self.loaded.set(self.loaded.get() + rows);
            self.method_taken.set(method);
            handle.yield_now().await;
        }
        Ok(())
    }

    /// How far the loading is.
    pub fn progress(&self, start: Timestamp, now: Timestamp) -> LoadEvent {
        let elapsed_s = now.seconds_from(start);
        LoadEvent::Loading { rows: self.loaded.get(), rows_total: self.rows_total, elapsed_s }
    }

    fn begin(&self) -> usize {
        let mut stretches = self.stretches.borrow_mut();
        stretches.push(Stretch::new());
        stretches.len() - 1
    }

    /// The next rows for a connection, all of one table.
    fn next_rows(&self, number: usize) -> Option<Rows> {
        let mut stretches = self.stretches.borrow_mut();
        if stretches[number].is_empty() {
            let untouched = self.untouched.borrow_mut().pop_front();
            stretches[number] = untouched.or_else(|| half_of_longest(&mut stretches))?;
        }
        let mut sources = VecDeque::new();
        let mut rows = 0;
        while let Some(chunk) = stretches[number].front()
            && (sources.is_empty() || rows + chunk.rows <= ROWS_AT_ONCE)
        {
            rows += chunk.rows;
            sources.push_back(self.dataset.rows(chunk));
            stretches[number].pop_front();
        }
        let current = sources.pop_front()?;
        Some(Rows { current, rest: sources })
    }
}

/// Takes the far half of the longest stretch; None where all have at most one chunk left.
fn half_of_longest(stretches: &mut [Stretch]) -> Option<Stretch> {
    let longest = stretches.iter_mut().max_by_key(|stretch| stretch.len())?;
    let half = longest.split_off(longest.len().div_ceil(2));
    (!half.is_empty()).then_some(half)
}

/// The rows of several chunks of one table, one after the other.
struct Rows {
    current: Box<dyn RowSource>,
    rest: VecDeque<Box<dyn RowSource>>,
}

impl RowSource for Rows {
    fn table(&self) -> &str {
        self.current.table()
    }

    fn columns(&self) -> &[&'static str] {
        self.current.columns()
    }

    fn is_ascii(&self) -> bool {
        self.current.is_ascii() && self.rest.iter().all(|source| source.is_ascii())
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        while !self.current.next(row) {
            match self.rest.pop_front() {
                Some(source) => self.current = source,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use contract::{Dialect, Verification};

    use super::*;

    /// Tables of so many chunks of ten rows; a row is its own number.
    struct Numbers(Vec<u64>);

    struct Range(String, std::ops::Range<u64>);

    impl RowSource for Range {
        fn table(&self) -> &str {
            &self.0
        }

        fn columns(&self) -> &[&'static str] {
            &["number"]
        }

        fn next(&mut self, row: &mut dyn RowWriter) -> bool {
            self.1.next().map(|number| row.int(number.cast_signed())).is_some()
        }
    }

    impl Dataset for Numbers {
        fn fingerprint(&self) -> String {
            String::new()
        }

        fn tables(&self) -> Vec<String> {
            Vec::new()
        }

        fn create(&self, _: Dialect) -> Vec<String> {
            Vec::new()
        }

        fn chunks(&self) -> Vec<Chunk> {
            let of_table = |(table, chunks): (usize, &u64)| {
                (0..*chunks).map(move |chunk| Chunk { table, first: chunk * 10, rows: 10 })
            };
            self.0.iter().enumerate().flat_map(of_table).collect()
        }

        fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource> {
            let rows = chunk.first..chunk.first + chunk.rows;
            Box::new(Range(format!("t{}", chunk.table), rows))
        }

        fn finish(&self, _: Dialect) -> Vec<Vec<Vec<String>>> {
            Vec::new()
        }

        fn drop(&self, _: Dialect) -> Vec<String> {
            Vec::new()
        }

        fn verifications(&self, _: Dialect) -> Vec<Verification> {
            Vec::new()
        }
    }

    #[derive(Default)]
    struct Written(Vec<i64>);

    impl RowWriter for Written {
        fn null(&mut self) {}

        fn int(&mut self, value: i64) {
            self.0.push(value);
        }

        fn text(&mut self, _: &str) {}
    }

    /// What each connection sends when they take turns: table and rows of each go.
    fn share_out(dataset: &Numbers, connections: usize) -> Vec<Vec<(String, Vec<i64>)>> {
        let stop = AtomicBool::new(false);
        let load = RowLoad::new(dataset, BulkMethod::Auto, &stop);
        let numbers: Vec<usize> = (0..connections).map(|_| load.begin()).collect();
        let mut goes = vec![Vec::new(); connections];
        let mut is_over = false;
        while !is_over {
            is_over = true;
            for number in &numbers {
                if let Some(mut rows) = load.next_rows(*number) {
                    is_over = false;
                    let table = rows.table().to_owned();
                    let mut written = Written::default();
                    while rows.next(&mut written) {}
                    goes[*number].push((table, written.0));
                }
            }
        }
        goes
    }

    #[test]
    fn every_row_is_sent_once_whatever_the_number_of_connections() {
        let dataset = Numbers(vec![12_000, 3, 1]);
        for connections in [1, 2, 3, 7] {
            let mut sent: Vec<(String, i64)> = share_out(&dataset, connections)
                .into_iter()
                .flatten()
                .flat_map(|(table, rows)| rows.into_iter().map(move |row| (table.clone(), row)))
                .collect();
            sent.sort();
            let expected: Vec<(String, i64)> = [("t0", 120_000), ("t1", 30), ("t2", 10)]
                .into_iter()
                .flat_map(|(table, rows)| (0..rows).map(move |row| (table.to_owned(), row)))
                .collect();
            assert!(sent == expected, "{connections} connections");
        }
    }

    #[test]
    fn each_connection_fills_a_table_of_its_own_in_order() {
        let goes = share_out(&Numbers(vec![10_000, 10_000]), 2);
        for (number, of_connection) in goes.iter().enumerate() {
            let rows: Vec<i64> = of_connection.iter().flat_map(|(_, rows)| rows.clone()).collect();
            assert!(of_connection.iter().all(|(table, _)| *table == format!("t{number}")));
            assert_eq!(of_connection.len(), 2, "as many rows at once as may be");
            assert!(rows.is_sorted() && rows.len() == 100_000);
        }
    }

    #[test]
    fn one_table_is_cut_into_a_stretch_for_each_connection() {
        let goes = share_out(&Numbers(vec![40_000]), 4);
        for of_connection in &goes {
            let rows: usize = of_connection.iter().map(|(_, rows)| rows.len()).sum();
            assert!((50_000..=150_000).contains(&rows), "{rows} of 400,000 rows");
        }
    }
}
