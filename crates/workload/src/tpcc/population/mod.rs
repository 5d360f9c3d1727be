//! The initial population, clause 4.3.3.1: a function of the options and the seed, whoever loads it
//! and in what order.

mod chunk_rows;
mod customer;
mod fixed;
mod orders;
mod places;
mod rows;
mod stock;
mod texts;
mod words;

use contract::{Chunk, Dataset, Dialect, RowSource, Verification};

pub(super) use texts::{ORIGINAL, put_last_name};
pub(super) use words::TextFile;

use chunk_rows::Maker;
use places::{chunk_of, chunks_of};

use super::options::TpccOptions;
use super::schema::{Ddl, Table};

/// Raised whenever the same options and seed give other rows than before.
const ROWS_VERSION: u32 = 1;

/// When all of it happened. The same seed gives the same rows, so that it can't be now.
const POPULATED_AT: &str = "2026-01-01 00:00:00";

/// The data of TPC-C at a scale, with a seed.
#[derive(Clone, Debug)]
pub struct TpccDataset {
    options: TpccOptions,
    text: Option<TextFile>,
    seed: u64,
}

impl TpccDataset {
    pub(super) fn new(options: TpccOptions, text: Option<TextFile>, seed: u64) -> Self {
        Self { options, text, seed }
    }

    fn ddl(&self, dialect: Dialect) -> Ddl<'_> {
        Ddl { options: &self.options, dialect }
    }
}

impl Dataset for TpccDataset {
    fn fingerprint(&self) -> String {
        let options = &self.options;
        let mut fingerprint = format!(
            "tpcc warehouses={} schema={} foreign_keys={} seed={} c_last_load={} \
             rows_version={ROWS_VERSION}",
            options.warehouses,
            options.schema.name(),
            options.foreign_keys,
            self.seed,
            options.c_last_load,
        );
        for (name, value) in [
            ("indexes", options.indexes.as_ref().map(|names| names.join("; "))),
            ("table_options", Some(options.table_options.clone()).filter(|text| !text.is_empty())),
            ("partitions", Some(options.partitions.to_string()).filter(|number| number != "0")),
            ("text", self.text.as_ref().map(TextFile::fingerprint)),
            ("wide_texts", options.wide_texts.then(|| "true".to_owned())),
            ("create", options.create.as_ref().map(|statements| statements.join("; "))),
            ("load_range", options.load_range.map(|[first, last]| format!("{first}-{last}"))),
        ] {
            if let Some(value) = value {
                fingerprint.extend([" ", name, "=", &value]);
            }
        }
        fingerprint
    }

    fn tables(&self) -> Vec<String> {
        self.options.schema.schema().tables.iter().map(|table| table.name.into()).collect()
    }

    fn create(&self, dialect: Dialect) -> Vec<String> {
        self.ddl(dialect).create()
    }

    fn chunks(&self) -> Vec<Chunk> {
        let loaded = self.options.loaded();
        let tables = self.options.schema.schema().tables;
        // In the order in which what is referred to comes first, whatever the schema's own.
        Table::ALL
            .into_iter()
            .filter(|table| tables.iter().any(|of| of.table == *table))
            .flat_map(|table| chunks_of(table, loaded, self.seed))
            .collect()
    }

    fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource> {
        let (table, rows) = chunk_of(chunk, self.options.loaded().0);
        let maker = Maker {
            options: &self.options,
            text: self.text.as_ref(),
            seed: self.seed,
            table,
            chunk,
        };
        maker.rows(rows)
    }

    fn finish(&self, dialect: Dialect) -> Vec<Vec<Vec<String>>> {
        self.ddl(dialect).finish()
    }

    fn drop(&self, _: Dialect) -> Vec<String> {
        // What refers to others goes first.
        let names = Table::ALL.into_iter().rev().filter_map(|table| {
            let tables = self.options.schema.schema().tables;
            tables.iter().find(|of| of.table == table).map(|of| of.name)
        });
        names.map(|name| format!("DROP TABLE IF EXISTS {name}")).collect()
    }

    /// Of tables that are not ours nobody knows whether their engine has transactions, nor whether a
    /// layer in front of it makes a table that it has not been told of.
    fn is_resumable(&self) -> bool {
        self.options.create.is_none()
    }

    fn makes_tables(&self) -> bool {
        self.options.create.as_ref().is_none_or(|statements| !statements.is_empty())
    }

    fn verifications(&self, _: Dialect) -> Vec<Verification> {
        let name = |table| self.options.schema.schema().name(table).to_owned();
        let (items, warehouse) = (name(Table::Item), name(Table::Warehouse));
        let (first, last) = self.options.loaded();
        let stock = name(Table::Stock);
        let count = |table: String, sql: String, expected: String| Verification {
            table,
            sql,
            expected: vec![expected],
        };
        vec![
            count(
                items.clone(),
                format!("SELECT COUNT(*) FROM {items}"),
                super::scale::ITEMS.to_string(),
            ),
            count(
                warehouse.clone(),
                format!("SELECT COUNT(*) FROM {warehouse}"),
                (last - first + 1).to_string(),
            ),
            count(
                stock.clone(),
                format!("SELECT COUNT(*) FROM {stock} WHERE s_w_id = {last}"),
                super::scale::ITEMS.to_string(),
            ),
        ]
    }
}
