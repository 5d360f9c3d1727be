//! Schedules chunks: which connection sends which ones next.
//!
//! A connection fills a stretch of one table from its beginning to its end: rows that arrive in the
//! order of their key are appended, while rows that arrive from several places at once split pages.
//! So every connection first takes a table of its own, and when there are no more, half of what is
//! left of the longest stretch that another one is still filling.

use std::collections::VecDeque;

use contract::Chunk;

/// Rows sent in one go: enough that a statement's own cost does not count.
const ROWS_AT_ONCE: u64 = 50_000;

/// Chunks of one table, in order.
type Stretch = VecDeque<Chunk>;

/// What is left to do, and who does it.
pub(crate) struct ChunkScheduler {
    untouched: VecDeque<Stretch>,
    /// What each connection is filling, by the number that it got when it began.
    stretches: Vec<Stretch>,
}

impl ChunkScheduler {
    /// For chunks that come table by table.
    pub fn new(chunks: &[Chunk]) -> Self {
        let tables = chunks.chunk_by(|a, b| a.table == b.table);
        let untouched = tables.map(|table| table.iter().cloned().collect()).collect();
        Self { untouched, stretches: Vec::new() }
    }

    /// The number of one more connection.
    pub fn begin(&mut self) -> usize {
        self.stretches.push(Stretch::new());
        self.stretches.len() - 1
    }

    /// What a connection is to send next in one go, all of one table; None where nothing is left for
    /// it.
    pub fn next(&mut self, number: usize) -> Option<Vec<Chunk>> {
        if self.stretches[number].is_empty() {
            let untouched = self.untouched.pop_front();
            self.stretches[number] = untouched.or_else(|| half_of_longest(&mut self.stretches))?;
        }
        let mut chunks = Vec::new();
        let mut rows = 0;
        while let Some(chunk) = self.stretches[number].front()
            && (chunks.is_empty() || rows + chunk.rows <= ROWS_AT_ONCE)
        {
            rows += chunk.rows;
            chunks.extend(self.stretches[number].pop_front());
        }
        (!chunks.is_empty()).then_some(chunks)
    }
}

/// Takes the far half of the longest stretch; None where all have at most one chunk left.
fn half_of_longest(stretches: &mut [Stretch]) -> Option<Stretch> {
    let longest = stretches.iter_mut().max_by_key(|stretch| stretch.len())?;
    let half = longest.split_off(longest.len().div_ceil(2));
    (!half.is_empty()).then_some(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of so many chunks of ten rows.
    fn tables(chunks: &[u64]) -> Vec<Chunk> {
        let of_table = |(table, chunks): (usize, &u64)| {
            (0..*chunks).map(move |chunk| Chunk { table, first: chunk * 10, rows: 10 })
        };
        chunks.iter().enumerate().flat_map(of_table).collect()
    }

    fn rows(chunks: &[Chunk]) -> u64 {
        chunks.iter().map(|chunk| chunk.rows).sum()
    }

    /// What each connection sends when they take turns, go by go.
    fn share_out(chunks: &[Chunk], connections: usize) -> Vec<Vec<Vec<Chunk>>> {
        let mut scheduler = ChunkScheduler::new(chunks);
        let numbers: Vec<usize> = (0..connections).map(|_| scheduler.begin()).collect();
        let mut goes = vec![Vec::new(); connections];
        let mut is_over = false;
        while !is_over {
            is_over = true;
            for number in &numbers {
                if let Some(chunks) = scheduler.next(*number) {
                    is_over = false;
                    goes[*number].push(chunks);
                }
            }
        }
        goes
    }

    #[test]
    fn every_chunk_is_sent_once_whatever_the_number_of_connections() {
        let all = tables(&[12_000, 3, 1]);
        // As after a load that was cut short, when stretches have gaps, and a table has its rows.
        let is_left = |chunk: &&Chunk| chunk.table < 2 && !chunk.first.is_multiple_of(70);
        let left: Vec<Chunk> = all.iter().filter(is_left).cloned().collect();
        for chunks in [all, left] {
            for connections in [1, 2, 3, 7] {
                let goes = share_out(&chunks, connections).into_iter().flatten();
                let mut sent: Vec<Chunk> = goes.flatten().collect();
                sent.sort_by_key(|chunk| (chunk.table, chunk.first));
                assert!(sent == chunks, "{connections} connections");
            }
        }
    }

    #[test]
    fn each_connection_fills_a_table_of_its_own_in_order() {
        let goes = share_out(&tables(&[10_000, 10_000]), 2);
        for (number, of_connection) in goes.iter().enumerate() {
            assert_eq!(of_connection.len(), 2, "as many rows at once as may be");
            let chunks = of_connection.concat();
            assert!(chunks.iter().all(|chunk| chunk.table == number));
            assert!(chunks.is_sorted_by_key(|chunk| chunk.first) && rows(&chunks) == 100_000);
        }
    }

    #[test]
    fn one_table_is_cut_into_a_stretch_for_each_connection() {
        let goes = share_out(&tables(&[40_000]), 4);
        for of_connection in &goes {
            let rows = rows(&of_connection.concat());
            assert!((50_000..=150_000).contains(&rows), "{rows} of 400,000 rows");
        }
    }
}
