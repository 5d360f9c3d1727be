//! Which part of a trial's load one generator of several makes.
//!
//! Nobody deals the load out: each generator knows the whole, and takes what is its own by its share
//! alone. All shares of a trial together take each client and each arrival exactly once.

use std::ops::Range;

/// The parts from `begin` up to `end` of a load of `of` equal parts. All generators of a trial have the
/// same `of`, and each part is one generator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The first part.
    pub begin: u64,
    /// The first part after it.
    pub end: u64,
    /// The number of all parts.
    pub of: u64,
}

impl Share {
    /// All of it.
    pub const WHOLE: Self = Self { begin: 0, end: 1, of: 1 };

    /// Those of so many numbered things that belong to it, one after another.
    #[must_use]
    pub fn range(&self, count: u64) -> Range<u64> {
        let before = |part: u64| u128::from(count) * u128::from(part) / u128::from(self.of);
        let before = |part| u64::try_from(before(part)).unwrap_or(count);
        before(self.begin)..before(self.end)
    }

    /// Tells of one arrival after another whether it belongs to it.
    pub(crate) fn turns(self) -> Turns {
        Turns { share: self, part: 0, stride: stride(self.of) }
    }
}

/// Goes round the parts in strides, so that each has its turn once in as many arrivals as there are
/// parts, and those of one generator lie apart from each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    share: Share,
    /// Whose turn it is.
    part: u64,
    stride: u64,
}

impl Turns {
    /// Whether the next arrival belongs to the share.
    pub fn is_next(&self) -> bool {
        (self.share.begin..self.share.end).contains(&self.part)
    }

    /// Goes on to the arrival after it.
    pub fn advance(&mut self) {
        self.part = (self.part + self.stride) % self.share.of;
    }
}

/// A stride that comes to each part: near the golden section, where neighbours are far apart.
fn stride(of: u64) -> u64 {
    let golden = u64::try_from(u128::from(of) * 618 / 1000).unwrap_or(1).max(1);
    (golden..=of).find(|stride| greatest_common_divisor(*stride, of) == 1).unwrap_or(1)
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Shares that end at these parts.
    pub fn shares(ends: &[u64]) -> Vec<Share> {
        let of = *ends.last().unwrap();
        let begins = std::iter::once(0).chain(ends.iter().copied());
        begins.zip(ends).map(|(begin, end)| Share { begin, end: *end, of }).collect()
    }

    pub const DIVISIONS: [&[u64]; 6] =
        [&[1], &[1, 2], &[1, 3], &[1, 2, 3, 4, 5, 6, 7], &[37, 100], &[1, 500, 999, 1000]];

    #[test]
    fn each_client_belongs_to_one_share_and_its_neighbours_to_the_same() {
        for ends in DIVISIONS {
            for clients in [1, 2, 7, 64, 1001] {
                let ranges = shares(ends).into_iter().map(|share| share.range(clients));
                assert!(ranges.flatten().eq(0..clients), "{clients} clients, {ends:?}");
            }
        }
        assert_eq!(Share { begin: 0, end: 1, of: 3 }.range(u64::MAX).end, u64::MAX / 3);
    }

    #[test]
    fn each_arrival_belongs_to_one_share_and_each_share_has_what_is_due_to_it() {
        for ends in DIVISIONS {
            let shares = shares(ends);
            let of = shares[0].of;
            let mut turns: Vec<Turns> = shares.iter().map(|share| share.turns()).collect();
            let mut taken = vec![0; shares.len()];
            for _ in 0..3 * of {
                let mine: Vec<bool> = turns.iter().map(Turns::is_next).collect();
                assert_eq!(mine.iter().filter(|mine| **mine).count(), 1);
                taken.iter_mut().zip(mine).for_each(|(taken, mine)| *taken += u64::from(mine));
                turns.iter_mut().for_each(Turns::advance);
            }
            let due: Vec<u64> = shares.iter().map(|share| 3 * (share.end - share.begin)).collect();
            assert_eq!(taken, due);
        }
    }

    #[test]
    fn a_share_of_half_has_its_turn_every_time_or_every_other_time() {
        let mut turns = Share { begin: 50, end: 100, of: 100 }.turns();
        let mut same = 0;
        let mut longest = 0;
        let mut last = turns.is_next();
        for _ in 0..1000 {
            turns.advance();
            same = if turns.is_next() == last { same + 1 } else { 0 };
            last = turns.is_next();
            longest = longest.max(same);
        }
        assert!(longest <= 1, "{longest} more of one share after another");
    }
}
