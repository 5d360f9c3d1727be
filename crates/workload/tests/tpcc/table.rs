//! Datasets of given options, and the rows that they give.

use contract::{Chunk, Dataset, RowWriter};
use serde_json::Value as Json;
use workload::tpcc::TpccDataset;

use super::tpcc;

pub fn dataset(options: Json, seed: u64) -> TpccDataset {
    tpcc(options).dataset(seed)
}

#[derive(Default)]
struct Fields(Vec<Option<String>>);

impl RowWriter for Fields {
    fn null(&mut self) {
        self.0.push(None);
    }

    fn int(&mut self, value: i64) {
        self.0.push(Some(value.to_string()));
    }

    fn text(&mut self, value: &str) {
        self.0.push(Some(value.into()));
    }
}

/// Rows of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Option<String>>>,
}

/// The rows of one chunk.
pub fn rows(dataset: &TpccDataset, chunk: &Chunk) -> Table {
    let mut source = dataset.rows(chunk);
    let (name, columns) = (source.table().to_owned(), source.columns().to_vec());
    let mut rows = Vec::new();
    loop {
        let mut fields = Fields::default();
        if !source.next(&mut fields) {
            assert!(fields.0.is_empty());
            assert_eq!(rows.len() as u64, chunk.rows, "{name}");
            return Table { name, columns, rows };
        }
        assert_eq!(fields.0.len(), columns.len(), "{name}");
        rows.push(fields.0);
    }
}

/// The chunks of a table.
pub fn chunks(dataset: &TpccDataset, table: &str) -> Vec<Chunk> {
    let mut all = dataset.chunks();
    let (mut number, mut is_it) = (None, false);
    all.retain(|chunk| {
        if number.replace(chunk.table) != Some(chunk.table) {
            is_it = dataset.rows(chunk).table() == table;
        }
        is_it
    });
    all
}

/// All rows of a table.
pub fn table(dataset: &TpccDataset, table: &str) -> Table {
    let chunks = chunks(dataset, table);
    let parts = chunks.iter().map(|chunk| rows(dataset, chunk));
    let whole = parts.reduce(|mut whole, part| {
        whole.rows.extend(part.rows);
        whole
    });
    whole.unwrap_or_else(|| panic!("no table {table}"))
}

impl Table {
    fn place(&self, column: &str) -> usize {
        let place = self.columns.iter().position(|name| *name == column);
        place.unwrap_or_else(|| panic!("{} has no column {column}", self.name))
    }

    /// A column whose fields may be NULL.
    pub fn fields(&self, column: &str) -> impl Iterator<Item = Option<&str>> {
        let place = self.place(column);
        self.rows.iter().map(move |row| row[place].as_deref())
    }

    /// A column in which none is NULL.
    pub fn texts(&self, column: &str) -> impl Iterator<Item = &str> {
        self.fields(column).map(|field| field.expect("not NULL"))
    }

    /// A column of integers.
    pub fn ints(&self, column: &str) -> Vec<i64> {
        let parse = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no integer"));
        self.texts(column).map(parse).collect()
    }

    /// A column of decimals with so many digits behind the point, in units of the last.
    pub fn decimals(&self, column: &str, digits: usize) -> Vec<i64> {
        let parse = |text: &str| {
            let (whole, fraction) = text.split_once('.').unwrap();
            assert_eq!(fraction.len(), digits, "{text}");
            format!("{whole}{fraction}").parse().unwrap()
        };
        self.texts(column).map(parse).collect()
    }
}
