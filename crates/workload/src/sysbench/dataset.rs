//! The tables' rows: a function of the options and the seed, whoever loads them and in what order.

use contract::{Chunk, Dataset, Dialect, RowSource, RowWriter, Verification};
use random::{Distribution, Purpose, Stream};

use super::filler::{C, Pad};
use super::options::{Content, SysbenchOptions};
use super::schema::{COLUMNS, analyse_table, create_table, make_indexes, table_name};
use super::script::Fate;
use super::verify::verify_table;

/// Rows that are drawn from one stream and loaded in one go. Part of what a seed means.
pub(super) const CHUNK_ROWS: u64 = 10_000;

/// Raised whenever the same options and seed give other rows than before.
const ROWS_VERSION: u32 = 1;

/// Up to so many tables are analysed one by one in `SQLite`, which leaves the statistics of others alone.
const ANALYSED_ALONE: u64 = 100;

/// The data of a sysbench workload.
#[derive(Clone, Debug)]
pub struct SysbenchDataset {
    pub(super) options: SysbenchOptions,
    k: Distribution,
    seed: u64,
}

/// The rows of one chunk.
pub(super) struct ChunkRows {
    pub(super) table: String,
    stream: Stream,
    k: Distribution,
    next_id: u64,
    last_id: u64,
    pub(super) c: C,
    pub(super) pad: Pad,
}

impl SysbenchDataset {
    pub(super) fn new(options: SysbenchOptions, seed: u64) -> Self {
        let k = Distribution::new(options.distribution, &options.skew(), 1, options.table_size);
        Self { options, k, seed }
    }

    pub(super) fn chunk(&self, table: u64, first: u64) -> Chunk {
        let rows = CHUNK_ROWS.min(self.options.table_size - first + 1);
        Chunk { table: usize::try_from(table).expect("a number of tables"), first, rows }
    }

    pub(super) fn chunk_rows(&self, chunk: &Chunk) -> ChunkRows {
        let table = chunk.table as u64;
        // No table has 2³² chunks, so no two chunks share a stream.
        let index = (table << 32) | (chunk.first / CHUNK_ROWS);
        ChunkRows {
            table: table_name(table),
            stream: Stream::new(self.seed, Purpose::Load, index),
            k: self.k.clone(),
            next_id: chunk.first,
            last_id: chunk.first + chunk.rows - 1,
            c: C::default(),
            pad: Pad::default(),
        }
    }

    fn questions(&self, dialect: Dialect, is_sample: bool) -> Vec<Verification> {
        (0..self.options.tables)
            .flat_map(|table| {
                let mut questions = verify_table(&self.options, dialect, table, is_sample);
                questions.extend(self.first_rows(table));
                questions
            })
            .collect()
    }

    /// Of the first and the last chunk, where no script changes rows.
    fn first_rows(&self, table: u64) -> Vec<Verification> {
        let options = &self.options;
        if options.content() != Content::Rows || options.script.fate_of_rows() != Fate::Kept {
            return Vec::new();
        }
        let last_chunk = (options.table_size - 1) / CHUNK_ROWS * CHUNK_ROWS + 1;
        [1, last_chunk].map(|first| self.first_row(&self.chunk(table, first))).into()
    }

    /// The first row of a chunk, which no other seed, size or distribution has.
    fn first_row(&self, chunk: &Chunk) -> Verification {
        let mut rows = self.chunk_rows(chunk);
        let k = rows.draw();
        Verification {
            // Some servers give CHAR columns back with the blanks that fill them up.
            sql: format!(
                "SELECT k, RTRIM(c), RTRIM(pad) FROM {} WHERE id = {}",
                rows.table, chunk.first
            ),
            table: rows.table,
            expected: vec![k.to_string(), rows.c.as_str().into(), rows.pad.as_str().into()],
        }
    }
}

impl Dataset for SysbenchDataset {
    fn fingerprint(&self) -> String {
        let options = &self.options;
        let mut fingerprint = format!(
            "sysbench tables={} table_size={} distribution={} seed={} auto_inc={} \
             create_secondary={} mysql_storage_engine={} rows_version={ROWS_VERSION}",
            options.tables,
            options.table_size,
            options.skew().describe(options.distribution),
            self.seed,
            options.auto_inc,
            options.create_secondary,
            options.mysql_storage_engine.to_ascii_lowercase(),
        );
        if options.secondary {
            fingerprint.push_str(" secondary=true");
        }
        if !options.create_table_options.is_empty() {
            fingerprint.push_str(" create_table_options=");
            fingerprint.push_str(&options.create_table_options);
        }
        match options.content() {
            Content::Rows => {}
            Content::NoRows => fingerprint.push_str(" rows=none"),
            Content::BulkTables => fingerprint.push_str(" rows=bulk_insert"),
        }
        fingerprint
    }

    fn tables(&self) -> Vec<String> {
        (0..self.options.tables).map(table_name).collect()
    }

    fn create(&self, dialect: Dialect) -> Vec<String> {
        (0..self.options.tables).map(|table| create_table(&self.options, dialect, table)).collect()
    }

    fn chunks(&self) -> Vec<Chunk> {
        if self.options.content() != Content::Rows {
            return Vec::new();
        }
        let step = usize::try_from(CHUNK_ROWS).expect("a small constant");
        let of_table = |table| {
            (1..=self.options.table_size).step_by(step).map(move |first| self.chunk(table, first))
        };
        (0..self.options.tables).flat_map(of_table).collect()
    }

    fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource> {
        Box::new(self.chunk_rows(chunk))
    }

    /// One stage: no table waits for another. `SQLite` reads the statistics of all tables again after
    /// each ANALYZE, and so analyses many at once.
    fn finish(&self, dialect: Dialect) -> Vec<Vec<Vec<String>>> {
        let tables = 0..self.options.tables;
        let at_once = dialect == Dialect::Sqlite && self.options.tables > ANALYSED_ALONE;
        let of_table = |table| {
            let mut statements = make_indexes(&self.options, dialect, table);
            statements.extend((!at_once).then(|| analyse_table(dialect, table)));
            statements
        };
        let all = at_once.then(|| vec![vec!["ANALYZE".to_owned()]]);
        [tables.map(of_table).collect()].into_iter().chain(all).collect()
    }

    fn drop(&self, _: Dialect) -> Vec<String> {
        self.tables().into_iter().map(|name| format!("DROP TABLE IF EXISTS {name}")).collect()
    }

    fn verifications(&self, dialect: Dialect) -> Vec<Verification> {
        self.questions(dialect, false)
    }

    fn sampled_verifications(&self, dialect: Dialect) -> Vec<Verification> {
        self.questions(dialect, true)
    }
}

impl ChunkRows {
    /// Draw the next row's texts in place; its k is the answer.
    pub(super) fn draw(&mut self) -> u64 {
        let k = self.k.draw(&mut self.stream);
        self.c.draw(&mut self.stream);
        self.pad.draw(&mut self.stream);
        k
    }
}

impl RowSource for ChunkRows {
    fn table(&self) -> &str {
        &self.table
    }

    fn columns(&self) -> &[&'static str] {
        &COLUMNS
    }

    /// Digits and hyphens.
    fn is_ascii(&self) -> bool {
        true
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        if self.next_id > self.last_id {
            return false;
        }
        let k = self.draw();
        row.int(self.next_id.cast_signed());
        row.int(k.cast_signed());
        row.text(self.c.as_str());
        row.text(self.pad.as_str());
        self.next_id += 1;
        true
    }
}
