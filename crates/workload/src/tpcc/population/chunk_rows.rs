//! The rows of a chunk on their way to the loader, whichever table it is of.

use contract::{Chunk, RowSource, RowWriter};

use super::customer::{Customers, Histories};
use super::fixed::{Config, Districts, Items, Warehouses};
use super::orders::{NewOrders, OrderLines, Orders};
use super::places::{District, stream_of};
use super::rows::{Rate, Rows};
use super::stock::Stock;
use super::texts::Texts;
use super::words::TextFile;
use crate::tpcc::options::TpccOptions;
use crate::tpcc::schema::Table;

/// Bytes of text in one row of a table, on average: where a chunk begins in a text that is read.
const fn text_bytes(table: Table, wide: bool) -> u64 {
    match table {
        Table::Item if wide => 394,
        Table::Item => 57,
        Table::Warehouse | Table::District => 53,
        Table::Stock if wide => 375,
        Table::Stock => 38,
        Table::Customer if wide => 807,
        Table::Customer => 457,
        Table::History => 18,
        Table::Config | Table::Orders | Table::NewOrder | Table::OrderLine => 0,
    }
}

/// The rows of one chunk.
struct ChunkRows<R> {
    table: &'static str,
    rows: R,
    left: std::ops::Range<u64>,
    /// The first row that is drawn: the others follow from those before them, which are not written.
    drawn: u64,
    is_ascii: bool,
}

impl<R: Rows> RowSource for ChunkRows<R> {
    fn table(&self) -> &str {
        self.table
    }

    fn columns(&self) -> &[&'static str] {
        R::COLUMNS
    }

    fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        let Some(number) = self.left.next() else { return false };
        for unwanted in std::mem::replace(&mut self.drawn, number + 1)..number {
            self.rows.write(unwanted, &mut Nowhere);
        }
        self.rows.write(number, row);
        true
    }
}

/// Takes rows that belong to warehouses which are not loaded.
struct Nowhere;

impl RowWriter for Nowhere {
    fn null(&mut self) {}
    fn int(&mut self, _: i64) {}
    fn text(&mut self, _: &str) {}
}

/// Makes the rows of a chunk.
pub(super) struct Maker<'a> {
    pub options: &'a TpccOptions,
    pub text: Option<&'a TextFile>,
    pub seed: u64,
    pub table: Table,
    pub chunk: &'a Chunk,
}

impl Maker<'_> {
    pub fn rows(&self, rows: std::ops::Range<u64>) -> Box<dyn RowSource> {
        let district = District(self.chunk.first);
        let wide = self.options.wide_texts;
        match self.table {
            Table::Config => self.source(Config::new(self.options), rows),
            Table::Item => self.source(Items { texts: self.texts(), wide }, rows),
            Table::Warehouse => {
                self.source(Warehouses { texts: self.texts(), tax: self.tax() }, rows)
            }
            Table::District => {
                self.source(Districts { texts: self.texts(), tax: self.tax() }, rows)
            }
            Table::Stock => self.source(Stock { texts: self.texts(), wide }, rows),
            Table::Customer => {
                let c_last = self.options.c_last_load;
                self.source(Customers::new(self.texts(), district, self.tax(), c_last, wide), rows)
            }
            Table::History => self.source(Histories { texts: self.texts(), district }, rows),
            Table::Orders => {
                let stream = stream_of(self.seed, self.table, self.chunk.first);
                self.source(Orders::new(stream, district, self.seed), rows)
            }
            Table::NewOrder => self.source(NewOrders { district }, rows),
            Table::OrderLine => {
                self.source(OrderLines::new(self.texts(), district, self.seed), rows)
            }
        }
    }

    fn source<R: Rows + 'static>(&self, rows: R, left: std::ops::Range<u64>) -> Box<dyn RowSource> {
        let table = self.options.schema.schema().name(self.table);
        let is_ascii = self.text.is_none_or(TextFile::is_ascii);
        Box::new(ChunkRows { table, rows, left, drawn: self.chunk.first, is_ascii })
    }

    fn texts(&self) -> Texts {
        let stream = stream_of(self.seed, self.table, self.chunk.first);
        let bytes = text_bytes(self.table, self.options.wide_texts);
        let words = self.text.filter(|_| bytes > 0).map(|text| {
            // By rows, so that it goes on where the chunk before ends; tables begin apart.
            let rows = match self.table {
                Table::Customer | Table::History => self.chunk.first * self.chunk.rows,
                _ => self.chunk.first,
            };
            text.words_from((self.table as u64).wrapping_mul(1 << 32) + rows * bytes)
        });
        Texts::new(stream, words)
    }

    /// Digits behind the point of a tax or a discount.
    fn tax(&self) -> Rate {
        Rate { digits: if self.options.schema.is_narrow() { 2 } else { 4 } }
    }
}
