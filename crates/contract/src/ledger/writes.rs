//! The last acknowledged write of some rows: a sample that is the same for all clients.
//!
//! To say which write of a row was the last, all clients' writes of it must be known; to keep all of
//! them would take memory without bound. So each client remembers the rows whose keys have the
//! smallest hashes among those it has written. Below the smallest of the clients' limits everybody
//! has remembered everything, and what lies there is a fair sample of all rows that were written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use eventloop::Timestamp;

use super::Outcome;

/// Rows in what all clients know together.
const MOST_ROWS: usize = 1024;

/// A row: the number of its table, and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowKey {
    /// From 0 on.
    pub table: u64,
    /// The primary key.
    pub id: i64,
}

impl RowKey {
    /// The finish of `SplitMix64`: keys that follow each other have hashes that do not.
    fn hash(self) -> u64 {
        let mut hash = self.id.cast_unsigned() ^ self.table.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            hash = (hash ^ (hash >> 30)).wrapping_mul(factor);
        }
        hash ^ (hash >> 31)
    }
}

/// The last write of a row, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LastWrite {
    /// None is a row that was deleted.
    value: Option<String>,
    begin: Timestamp,
    end: Timestamp,
    /// When the last of all other writes ended.
    others_end: Timestamp,
    /// There was a write of which nobody knows whether it was committed, or when.
    is_doubtful: bool,
}

impl LastWrite {
    fn is_certain(&self) -> bool {
        !self.is_doubtful && self.begin > self.others_end
    }

    /// Adds another client's writes of the same row.
    fn merge(&mut self, other: Self) {
        let is_doubtful = self.is_doubtful || other.is_doubtful;
        let (earlier_end, others_end) = if other.begin > self.begin {
            let (end, others_end) = (self.end, self.others_end);
            *self = other;
            (end, others_end)
        } else {
            (other.end, other.others_end)
        };
        self.others_end = self.others_end.max(others_end).max(earlier_end);
        self.is_doubtful = is_doubtful;
    }
}

/// The last writes of the rows that are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes {
    rows: BTreeMap<(u64, RowKey), LastWrite>,
    capacity: usize,
    /// Rows whose hashes are not below it are not remembered.
    limit: u64,
}

impl Writes {
    /// Writes of one of so many clients.
    pub fn new(clients: u64) -> Self {
        let share = usize::try_from(4 * MOST_ROWS as u64 / clients.max(1)).unwrap_or(MOST_ROWS);
        let capacity = share.clamp(32, MOST_ROWS / 4);
        Self { rows: BTreeMap::new(), capacity, limit: u64::MAX }
    }

    /// Remembers that an attempt, which lasted from `begin` to `end`, has written this value to a row,
    /// or has deleted it. One client's writes come in their order.
    #[inline]
    pub fn remember(
        &mut self,
        key: RowKey,
        value: Option<impl AsRef<str>>,
        outcome: Outcome,
        (begin, end): (Timestamp, Timestamp),
    ) {
        let hash = key.hash();
        if hash >= self.limit || outcome == Outcome::Undone {
            return;
        }
        let others_end = Timestamp::default();
        let value = value.map(|value| value.as_ref().to_owned());
        let is_doubtful = outcome == Outcome::Unknown;
        let write = LastWrite { value, begin, end, others_end, is_doubtful };
        match self.rows.entry((hash, key)) {
            Entry::Vacant(place) => {
                place.insert(write);
            }
            Entry::Occupied(mut place) => {
                let is_doubtful = place.get().is_doubtful || is_doubtful;
                place.insert(LastWrite { is_doubtful, ..write });
            }
        }
        self.forget_surplus();
    }

    /// What all clients together may remember, as one of them knows it.
    #[must_use]
    pub fn known(self) -> Self {
        Self { capacity: MOST_ROWS, ..self }
    }

    /// Adds what another client knows.
    pub fn merge(&mut self, other: Self) {
        self.limit = self.limit.min(other.limit);
        for (key, write) in other.rows {
            match self.rows.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(write);
                }
                Entry::Occupied(mut place) => place.get_mut().merge(write),
            }
        }
        let limit = self.limit;
        self.rows.retain(|(hash, _), _| *hash < limit);
        self.forget_surplus();
    }

    fn forget_surplus(&mut self) {
        while self.rows.len() > self.capacity
            && let Some(((hash, _), _)) = self.rows.pop_last()
        {
            self.limit = hash;
        }
        let limit = self.limit;
        // Of two rows with one hash neither may stay alone.
        while self.rows.last_key_value().is_some_and(|((hash, _), _)| *hash >= limit) {
            self.rows.pop_last();
        }
    }

    /// The rows of which it is certain what they must hold; None is a row that must not be there.
    pub fn certain(&self) -> impl Iterator<Item = (RowKey, Option<&str>)> {
        let certain = self.rows.iter().filter(|(_, write)| write.is_certain());
        certain.map(|((_, key), write)| (*key, write.value.as_deref()))
    }

    /// The rows that are remembered and of which that is not certain: others wrote them at the same
    /// time, or nobody knows what became of a write.
    pub fn ambiguous(&self) -> usize {
        self.rows.values().filter(|write| !write.is_certain()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: u64 = 2;

    fn row(id: i64) -> RowKey {
        RowKey { table: 0, id }
    }

    fn at(time: u64) -> Timestamp {
        Timestamp(time)
    }

    fn write(writes: &mut Writes, id: i64, value: &str, (begin, end): (u64, u64)) {
        writes.remember(row(id), Some(value), Outcome::Acknowledged, (at(begin), at(end)));
    }

    fn together(clients: &[&Writes]) -> Writes {
        let mut all = clients[0].clone().known();
        clients[1..].iter().for_each(|client| all.merge((*client).clone().known()));
        all
    }

    fn certain(writes: &Writes) -> Vec<(i64, Option<&str>)> {
        writes.certain().map(|(key, value)| (key.id, value)).collect()
    }

    #[test]
    fn the_last_of_writes_that_follow_each_other_is_certain() {
        let (mut one, mut other) = (Writes::new(CLIENTS), Writes::new(CLIENTS));
        write(&mut one, 1, "a", (10, 20));
        write(&mut other, 1, "b", (30, 40));
        write(&mut one, 1, "c", (50, 60));
        assert_eq!(certain(&together(&[&one, &other])), [(1, Some("c"))]);
        assert_eq!(certain(&together(&[&other, &one])), [(1, Some("c"))]);
    }

    #[test]
    fn writes_at_the_same_time_leave_a_row_out_until_one_comes_after_both() {
        let mut clients = [Writes::new(3), Writes::new(3), Writes::new(3)];
        write(&mut clients[0], 1, "a", (10, 30));
        write(&mut clients[1], 1, "b", (20, 25));
        let [a, b, c] = &clients;
        for order in [[a, b, c], [c, b, a]] {
            let all = together(&order);
            assert_eq!((certain(&all), all.ambiguous()), (vec![], 1));
        }
        write(&mut clients[2], 1, "c", (31, 40));
        let [a, b, c] = &clients;
        for order in [[a, b, c], [c, b, a], [b, c, a]] {
            assert_eq!(certain(&together(&order)), [(1, Some("c"))]);
        }
    }

    #[test]
    fn a_row_with_a_write_of_unknown_outcome_is_left_out_for_good() {
        let mut writes = Writes::new(CLIENTS);
        writes.remember(row(1), Some("a"), Outcome::Unknown, (at(1), at(2)));
        assert_eq!((certain(&writes), writes.ambiguous()), (vec![], 1));
        write(&mut writes, 1, "b", (3, 4));
        assert_eq!((certain(&writes), writes.ambiguous()), (vec![], 1));
    }

    #[test]
    fn what_was_undone_was_not_written_and_a_deleted_row_is_gone() {
        let mut writes = Writes::new(CLIENTS);
        write(&mut writes, 1, "a", (1, 2));
        writes.remember(row(1), Some("b"), Outcome::Undone, (at(3), at(4)));
        assert_eq!(certain(&writes), [(1, Some("a"))]);
        writes.remember(row(1), None::<&str>, Outcome::Acknowledged, (at(5), at(6)));
        assert_eq!(certain(&writes), [(1, None)]);
    }

    /// Two clients write many rows; what is known of them together is what a client would know that
    /// had done all.
    #[test]
    fn a_sample_has_all_writes_of_its_rows() {
        let mut clients = [Writes::new(CLIENTS), Writes::new(CLIENTS)];
        let mut expected = BTreeMap::new();
        for time in 0..20_000_u64 {
            let id = (time * 7919 % 5003).cast_signed();
            let value = time.to_string();
            let client = usize::from(time % 3 == 0);
            write(&mut clients[client], id, &value, (3 * time + 1, 3 * time + 2));
            expected.insert(id, value);
        }
        let all = together(&[&clients[0], &clients[1]]);
        let found = certain(&all);
        assert!((MOST_ROWS / 8..=MOST_ROWS).contains(&found.len()), "{} rows", found.len());
        assert_eq!(all.ambiguous(), 0);
        for (id, value) in found {
            assert_eq!(value, Some(expected[&id].as_str()), "row {id}");
        }
    }
}
