//! Which rows make up a chunk, and where a chunk lies.

use contract::Chunk;
use random::{Purpose, Stream};

use crate::tpcc::scale::{CUSTOMERS, DISTRICTS, FEWEST_LINES, ITEMS, MOST_LINES, NEW_ORDERS};
use crate::tpcc::schema::Table;

/// Rows of tables of which a warehouse or the whole has many. Part of what a seed means.
const CHUNK_ROWS: u64 = 10_000;

/// Warehouses in one chunk of warehouses or of districts.
const CHUNK_WAREHOUSES: u64 = 1000;

/// Streams of what several tables have in common, beside those of the tables.
const ORDER_SIZES: u64 = 100;

/// A district, counted from 0 over all warehouses.
#[derive(Clone, Copy, Debug)]
pub(super) struct District(pub u64);

impl District {
    pub fn warehouse(self) -> i64 {
        (self.0 / DISTRICTS + 1).cast_signed()
    }

    pub fn number(self) -> i64 {
        (self.0 % DISTRICTS + 1).cast_signed()
    }

    /// The number of lines of each of its orders, one after another.
    pub fn order_sizes(self, seed: u64) -> impl Iterator<Item = u64> {
        let mut stream = Stream::new(seed, Purpose::Load, (ORDER_SIZES << 48) | self.0);
        (0..CUSTOMERS).map(move |_| stream.between(FEWEST_LINES as u64, MOST_LINES as u64))
    }
}

/// The stream that a chunk's rows are drawn from: no table has 2⁴⁸ rows.
pub(super) fn stream_of(seed: u64, table: Table, first: u64) -> Stream {
    Stream::new(seed, Purpose::Load, ((table as u64) << 48) | first)
}

/// All chunks of a table, in the order of its key. `first` counts rows, or districts where a chunk
/// is a district's rows.
pub(super) fn chunks_of(table: Table, warehouses: u64, seed: u64) -> Vec<Chunk> {
    let cut = |rows: u64, step: u64| -> Vec<Chunk> {
        let firsts = (0..rows).step_by(usize::try_from(step).unwrap_or(usize::MAX));
        let chunk = |first| Chunk { table: table as usize, first, rows: step.min(rows - first) };
        firsts.map(chunk).collect()
    };
    let by_district = |rows: &dyn Fn(District) -> u64| -> Vec<Chunk> {
        let districts = 0..warehouses * DISTRICTS;
        let chunk = |first| Chunk { table: table as usize, first, rows: rows(District(first)) };
        districts.map(chunk).collect()
    };
    match table {
        Table::Config => cut(super::fixed::CONFIG_ROWS, CHUNK_ROWS),
        Table::Item => cut(ITEMS, CHUNK_ROWS),
        Table::Warehouse => cut(warehouses, CHUNK_WAREHOUSES),
        Table::District => cut(warehouses * DISTRICTS, CHUNK_WAREHOUSES * DISTRICTS),
        Table::Stock => cut(warehouses * ITEMS, CHUNK_ROWS),
        Table::Customer | Table::History | Table::Orders => by_district(&|_| CUSTOMERS),
        Table::NewOrder => by_district(&|_| NEW_ORDERS),
        Table::OrderLine => by_district(&|district| district.order_sizes(seed).sum()),
    }
}

/// The table of a chunk, and its rows as its table counts them.
pub(super) fn chunk_of(chunk: &Chunk) -> (Table, std::ops::Range<u64>) {
    let table = Table::ALL[chunk.table];
    (table, chunk.first..chunk.first + chunk.rows)
}
