//! Which rows make up a chunk, and where a chunk lies.

use contract::Chunk;
use random::{Purpose, Stream};

use crate::tpcc::scale::{CUSTOMERS, DISTRICTS, FEWEST_LINES, ITEMS, MOST_LINES, NEW_ORDERS};
use crate::tpcc::schema::Table;

/// Rows of tables of which a warehouse or the whole has many. Part of what a seed means.
const CHUNK_ROWS: u64 = 10_000;

/// Options of a load that are stored beside it.
pub(super) const CONFIG_ROWS: usize = 4;

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

/// The chunks of a table with the rows of these warehouses, first and last, in the order of its key.
/// `first` of a chunk counts rows, or districts where a chunk is a district's rows. A chunk begins
/// where it would if all warehouses were loaded, so that its rows are the same.
pub(super) fn chunks_of(table: Table, (first, last): (u64, u64), seed: u64) -> Vec<Chunk> {
    let cut = |rows: u64, step: u64| -> Vec<Chunk> {
        let firsts = (0..rows).step_by(usize::try_from(step).unwrap_or(usize::MAX));
        let chunk = |first| Chunk { table: table as usize, first, rows: step.min(rows - first) };
        firsts.map(chunk).collect()
    };
    let by_district = |rows: &dyn Fn(District) -> u64| -> Vec<Chunk> {
        let districts = (first - 1) * DISTRICTS..last * DISTRICTS;
        let chunk = |first| Chunk { table: table as usize, first, rows: rows(District(first)) };
        districts.map(chunk).collect()
    };
    let by_warehouse = |rows: u64, step: u64| -> Vec<Chunk> {
        let mut chunks = cut(last * rows, step);
        chunks.retain(|chunk| chunk.first + chunk.rows > (first - 1) * rows);
        if let Some(chunk) = chunks.first_mut() {
            chunk.rows -= first_row(table, first).saturating_sub(chunk.first);
        }
        chunks
    };
    match table {
        Table::Config => cut(CONFIG_ROWS as u64, CHUNK_ROWS),
        Table::Item => cut(ITEMS, CHUNK_ROWS),
        Table::Warehouse => by_warehouse(1, CHUNK_WAREHOUSES),
        Table::District => by_warehouse(DISTRICTS, CHUNK_WAREHOUSES * DISTRICTS),
        Table::Stock => by_warehouse(ITEMS, CHUNK_ROWS),
        Table::Customer | Table::History | Table::Orders => by_district(&|_| CUSTOMERS),
        Table::NewOrder => by_district(&|_| NEW_ORDERS),
        Table::OrderLine => by_district(&|district| district.order_sizes(seed).sum()),
    }
}

/// The first row of a warehouse in a table whose chunks have several: what stands before it in its
/// chunk belongs to others.
fn first_row(table: Table, warehouse: u64) -> u64 {
    match table {
        Table::Warehouse => warehouse - 1,
        Table::District => (warehouse - 1) * DISTRICTS,
        _ => 0,
    }
}

/// The table of a chunk, and its rows as its table counts them, where `first` is the first warehouse
/// that is loaded.
pub(super) fn chunk_of(chunk: &Chunk, first: u64) -> (Table, std::ops::Range<u64>) {
    let table = Table::ALL[chunk.table];
    let start = chunk.first.max(first_row(table, first));
    (table, start..start + chunk.rows)
}
