//! The data of a set-up: a function of what was written and the seed, whoever loads them.

use contract::{Chunk, Dataset, Dialect, RowSource, RowWriter, Verification};
use random::{Purpose, Stream};

use super::datum::Datum;
use super::generator::Turn;
use super::setup::{Fill, Setup};

/// Rows that are drawn from one stream and loaded in one go. Part of what a seed means.
const CHUNK_ROWS: u64 = 10_000;

/// Raised whenever the same set-up and seed give other rows than before.
const ROWS_VERSION: u32 = 1;

/// The data of a workload that somebody wrote.
#[derive(Clone, Debug)]
pub struct ScriptDataset {
    setup: Setup,
    seed: u64,
}

struct FillRows {
    fill: Fill,
    stream: Stream,
    turn: Turn,
    left: u64,
    datum: Datum,
}

impl ScriptDataset {
    pub(super) fn new(setup: Setup, seed: u64) -> Self {
        Self { setup, seed }
    }
}

impl Dataset for ScriptDataset {
    fn fingerprint(&self) -> String {
        format!("{} seed={} rows_version={ROWS_VERSION}", self.setup.name, self.seed)
    }

    fn tables(&self) -> Vec<String> {
        self.setup.tables.clone()
    }

    fn create(&self, _: Dialect) -> Vec<String> {
        self.setup.create.clone()
    }

    fn chunks(&self) -> Vec<Chunk> {
        let of_fill = |(table, fill): (usize, &Fill)| {
            let rows = fill.rows;
            let chunk = move |number: u64| {
                let first = number * CHUNK_ROWS;
                Chunk { table, first, rows: CHUNK_ROWS.min(rows - first) }
            };
            (0..rows.div_ceil(CHUNK_ROWS)).map(chunk)
        };
        self.setup.fills.iter().enumerate().flat_map(of_fill).collect()
    }

    fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource> {
        // No table has 2³² chunks, so no two chunks share a stream.
        let index = ((chunk.table as u64) << 32) | (chunk.first / CHUNK_ROWS);
        Box::new(FillRows {
            fill: self.setup.fills[chunk.table].clone(),
            stream: Stream::new(self.seed, Purpose::Load, index),
            turn: Turn { next: chunk.first, step: 1 },
            left: chunk.rows,
            datum: Datum::Unset,
        })
    }

    /// In the order in which it was written.
    fn finish(&self, _: Dialect) -> Vec<Vec<Vec<String>>> {
        vec![vec![self.setup.finish.clone()]]
    }

    fn drop(&self, _: Dialect) -> Vec<String> {
        self.setup.teardown.clone()
    }

    fn verifications(&self, _: Dialect) -> Vec<Verification> {
        let table = || self.setup.tables.join(", ");
        let verification = |check: &super::setup::Check| Verification {
            table: table(),
            sql: check.sql.clone(),
            expected: check.equals.clone(),
        };
        self.setup.checks.iter().map(verification).collect()
    }
}

impl RowSource for FillRows {
    fn table(&self) -> &str {
        &self.fill.table
    }

    fn columns(&self) -> &[&'static str] {
        self.fill.columns
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        for value in &self.fill.values {
            // All sequences of a row have the row's own number.
            let mut turn = self.turn;
            value.draw(&mut self.stream, &mut turn, &mut self.datum);
            self.datum.write_field(row);
        }
        self.turn.next += 1;
        true
    }
}
