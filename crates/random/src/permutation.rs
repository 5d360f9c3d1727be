//! Spreads neighbouring keys over a whole range, each to a place of its own.
//!
//! A Feistel network of four rounds permutes the numbers of an even count of bits (Luby, Rackoff:
//! "How to Construct Pseudorandom Permutations from Pseudorandom Functions", 1988); a result beyond
//! the range is permuted again until it is inside, which keeps it a permutation (Black, Rogaway:
//! "Ciphers with Arbitrary Finite Domains", 2002, the cycle-walking cipher).

use crate::stream::{GOLDEN_GAMMA, mix};

const ROUNDS: u64 = 4;

/// A fixed permutation of the numbers below a bound.
#[derive(Clone, Debug)]
pub struct Permutation {
    bound: u64,
    half_bits: u32,
}

impl Permutation {
    /// The permutation of the numbers 0 to `bound` − 1; it depends on `bound` alone.
    pub fn new(bound: u64) -> Self {
        let bits = (u64::BITS - bound.saturating_sub(1).leading_zeros()).max(2);
        Self { bound, half_bits: bits.div_ceil(2) }
    }

    /// The place of a number. There are fewer than four times as many numbers in the network as
    /// below the bound, so that this takes fewer than four tries on average.
    #[inline]
    pub fn place(&self, number: u64) -> u64 {
        let mut place = self.permute(number);
        while place >= self.bound {
            place = self.permute(place);
        }
        place
    }

    #[inline]
    fn permute(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for round in 1..=ROUNDS {
            let mixed = mix(right ^ GOLDEN_GAMMA.wrapping_mul(round)) & mask;
            (left, right) = (right, left ^ mixed);
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        for bound in [1, 2, 3, 4, 5, 16, 17, 1000, 65_536, 100_003] {
            let permutation = Permutation::new(bound);
            let mut places: Vec<u64> = (0..bound).map(|number| permutation.place(number)).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..bound), "{bound}");
        }
    }

    #[test]
    fn neighbours_are_spread_over_the_range() {
        let permutation = Permutation::new(100_000);
        // Of the first hundred numbers, each tenth of the range gets about ten.
        let mut tenths = [0; 10];
        for number in 0..100 {
            tenths[usize::try_from(permutation.place(number) / 10_000).unwrap()] += 1;
        }
        assert!(tenths.iter().all(|count| (2..=22).contains(count)), "{tenths:?}");
    }

    #[test]
    fn places_never_change() {
        let places = [0, 1, 2, 999].map(|number| Permutation::new(1000).place(number));
        assert_eq!(places, [76, 823, 258, 395]);
    }
}
