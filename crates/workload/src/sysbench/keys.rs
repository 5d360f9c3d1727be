//! Where a client's transactions go: the ids and values that it draws.

use std::ops::RangeInclusive;

use random::{Distribution, Permutation, Purpose, Stream};

use super::options::SysbenchOptions;

/// The share of the keys whose share of the accesses is measured.
const HOTTEST: f64 = 0.01;

/// All ids of sysbench's integer column, of which the lowest is this.
const IDS: u64 = 1 << 32;
const LOWEST_ID: i64 = i32::MIN as i64;

/// Which of a trial's clients this is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) index: u64,
    pub(super) clients: u64,
}

/// Draws keys, and counts how many of them are among the hottest 1 %.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) stream: Stream,
    distribution: Distribution,
    hottest: RangeInclusive<u64>,
    pub(super) drawn: u64,
    pub(super) drawn_hottest: u64,
    unique: Unique,
}

impl Keys {
    pub(super) fn new(options: &SysbenchOptions, seed: u64, place: Place) -> Self {
        let (low, high) = if options.script.draws_from_slices() {
            slice(options.table_size, place)
        } else {
            (1, options.table_size)
        };
        let distribution = Distribution::new(options.distribution, &options.skew(), low, high);
        Self {
            stream: Stream::new(seed, Purpose::Inputs, place.index),
            hottest: distribution.hottest(HOTTEST),
            distribution,
            drawn: 0,
            drawn_hottest: 0,
            unique: Unique::new(seed, place),
        }
    }

    /// A key that will be accessed.
    #[inline]
    pub(super) fn access(&mut self) -> i64 {
        let rank = self.distribution.draw_rank(&mut self.stream);
        self.drawn += 1;
        self.drawn_hottest += u64::from(self.hottest.contains(&rank));
        self.distribution.key(rank).cast_signed()
    }

    /// A value for the column k: drawn like an id, but no access to a row.
    #[inline]
    pub(super) fn value(&mut self) -> i64 {
        self.distribution.draw(&mut self.stream).cast_signed()
    }

    /// An id that no other client draws in this trial, nor this one again.
    #[inline]
    pub(super) fn unique_id(&mut self) -> i64 {
        self.unique.next_id()
    }
}

/// A client's own part of the table, as sysbench cuts it: neighbours share the value between them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn slice(table_size: u64, place: Place) -> (u64, u64) {
    let length = table_size as f64 / place.clients as f64;
    let low = length * place.index as f64;
    (low as u64, (low + length) as u64)
}

/// The ids of new rows: scattered over all that the column can hold, and each given once.
#[derive(Debug)]
struct Unique {
    permutation: Permutation,
    next: u64,
    step: u64,
}

impl Unique {
    /// Clients take turns, beginning at a place that the seed gives.
    fn new(seed: u64, place: Place) -> Self {
        let start = Stream::new(seed, Purpose::Unique, 0).below(IDS);
        Self { permutation: Permutation::new(IDS), next: start + place.index, step: place.clients }
    }

    fn next_id(&mut self) -> i64 {
        let number = self.permutation.place(self.next % IDS);
        self.next += self.step;
        LOWEST_ID + number.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn slices_are_those_of_sysbench() {
        let of = |table_size, index, clients| slice(table_size, Place { index, clients });
        assert_eq!([0, 1, 2, 3].map(|index| of(10, index, 4)), [(0, 2), (2, 5), (5, 7), (7, 10)]);
        assert_eq!(of(10_000, 0, 1), (0, 10_000));
        assert_eq!(of(2, 2, 5), (0, 1));
    }

    #[test]
    fn no_two_clients_give_the_same_id() {
        let clients = 3;
        let ids: Vec<i64> = (0..clients)
            .flat_map(|index| {
                let mut unique = Unique::new(7, Place { index, clients });
                (0..10_000).map(move |_| unique.next_id())
            })
            .collect();
        assert!(ids.iter().all(|id| i32::try_from(*id).is_ok()));
        assert!(ids.iter().any(|id| *id < 0) && ids.iter().any(|id| *id > 0));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    }
}
