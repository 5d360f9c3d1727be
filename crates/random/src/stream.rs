//! One seeded stream of random numbers, and the simple draws from it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a stream is for. Purposes have streams of their own, so that drawing one number more for
/// one of them changes nothing for the others. The numbers are part of every seed and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The rows of a dataset.
    Load = 1,
    /// The inputs of transactions.
    Inputs = 2,
    /// The instants at which transactions arrive in an open loop.
    Arrivals = 3,
    /// The waits before a retry.
    Backoff = 4,
    /// Ids that are given once.
    Unique = 5,
    /// What all clients of a run have in common.
    Constants = 6,
    /// How long clients think.
    Pace = 7,
    /// The kinds of transactions that arrive in an open loop.
    Kinds = 8,
}

/// A stream of random numbers: xoshiro256++, seeded from a seed, a purpose and an index.
#[derive(Clone, Debug)]
pub struct Stream {
    generator: Xoshiro256PlusPlus,
}

impl Stream {
    /// The stream number `index` (a client, a worker, a chunk of rows) of a purpose.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        // Each part is mixed before the next is added, so that neighbouring seeds and indexes share
        // nothing, and (seed 1, index 2) is not (seed 2, index 1).
        let mut state = mix(mix(mix(seed) ^ purpose as u64) ^ index);
        let mut bytes = [0; 32];
        for word in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(GOLDEN_GAMMA);
            word.copy_from_slice(&mix(state).to_le_bytes());
        }
        Self { generator: Xoshiro256PlusPlus::from_seed(bytes) }
    }

    /// Sixty-four random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A float in [0, 1), uniform over the multiples of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// An integer in 0..`bound`, each equally likely.
    ///
    /// The method is Lemire's ("Fast Random Integer Generation in an Interval", 2019): the upper
    /// half of a product, with the few draws refused that would favour some results. The division
    /// that finds them is needed once in 2⁶⁴ / `bound` draws.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no integer is below 0");
        let (mut high, mut low) = widening_product(self.bits(), bound);
        if low < bound {
            let refused_below = bound.wrapping_neg() % bound;
            while low < refused_below {
                (high, low) = widening_product(self.bits(), bound);
            }
        }
        high
    }

    /// An integer from `low` to `high`, both included, each equally likely.
    ///
    /// # Panics
    ///
    /// When `low` is above `high`, and when the range is that of all 64-bit integers.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        assert!(low <= high, "the range {low}..={high} is empty");
        low + self.below((high - low).wrapping_add(1))
    }

    /// An exponentially distributed float with this mean: the gap between two Poisson arrivals.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // 1 − U is in (0, 1], so the logarithm is finite.
        -mean * (1.0 - self.unit()).ln()
    }

    /// Fill with random ASCII digits, sixteen for each 64 random bits.
    #[inline]
    pub fn fill_digits(&mut self, out: &mut [u8]) {
        let mut blocks = out.chunks_exact_mut(16);
        for block in &mut blocks {
            block.copy_from_slice(&self.sixteen_digits());
        }
        let rest = blocks.into_remainder();
        if !rest.is_empty() {
            rest.copy_from_slice(&self.sixteen_digits()[..rest.len()]);
        }
    }

    #[inline]
    fn sixteen_digits(&mut self) -> [u8; 16] {
        let number = self.below(10_000_000_000_000_000);
        let mut digits = [0; 16];
        digits[..8].copy_from_slice(&eight_digits(number / 100_000_000));
        digits[8..].copy_from_slice(&eight_digits(number % 100_000_000));
        digits
    }
}

/// The increment of splitmix64: 2⁶⁴ over the golden ratio, odd.
pub(crate) const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of splitmix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators", 2014; constants of Stafford's variant 13). A bijection.
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The upper and the lower half of a product of 128 bits.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn widening_product(left: u64, right: u64) -> (u64, u64) {
    let product = u128::from(left) * u128::from(right);
    ((product >> 64) as u64, product as u64)
}

/// The decimal digits of a number below 10⁸ in ASCII, without a loop.
///
/// The number is split into halves, these into pairs, these into digits, each level in all lanes of
/// one 64-bit word at once; a division by 100 or 10 is a multiplication with the rounded-up inverse,
/// which is exact in the ranges that occur (checked for all numbers in the tests).
#[inline]
const fn eight_digits(number: u64) -> [u8; 8] {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((halves - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - tens * 10) << 8);
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::eight_digits;

    #[test]
    fn eight_digits_are_those_that_formatting_gives() {
        // Halves are independent of each other, so all values of one half with a few of the other
        // cover every path.
        for half in 0..10_000 {
            for other in [0, 1, 9_999, (half * 7) % 10_000] {
                for number in [half * 10_000 + other, other * 10_000 + half] {
                    assert_eq!(eight_digits(number), format!("{number:08}").as_bytes());
                }
            }
        }
    }
}
