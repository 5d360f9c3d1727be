//! Hashes and permutations, bit by bit those of pgbench, so that its keys are found again.

use rand_xoshiro::Xoroshiro128StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const FNV_OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a over the eight bytes of an integer, the lowest first.
pub(super) fn fnv1a(value: i64, seed: i64) -> i64 {
    let start = FNV_OFFSET_BASIS ^ seed.cast_unsigned();
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    value.to_le_bytes().into_iter().fold(start, mix).cast_signed()
}

const MURMUR_FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
const MURMUR_SHIFT: u32 = 47;

/// `MurmurHash2` (64A) of one word of eight bytes.
pub(super) fn murmur2(value: i64, seed: i64) -> i64 {
    let shift = |word: u64| word ^ (word >> MURMUR_SHIFT);
    let word = shift(value.cast_unsigned().wrapping_mul(MURMUR_FACTOR));
    let start = seed.cast_unsigned() ^ MURMUR_FACTOR.wrapping_mul(8);
    let hash = (start ^ word.wrapping_mul(MURMUR_FACTOR)).wrapping_mul(MURMUR_FACTOR);
    shift(shift(hash).wrapping_mul(MURMUR_FACTOR)).cast_signed()
}

const PERMUTE_ROUNDS: u32 = 6;

/// The place of a number in a permutation of 0 to `size` − 1.
pub(super) fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let size = size.cast_unsigned();
    let mut random = Xoroshiro128StarStar::seed_from_u64(seed.cast_unsigned());
    let half = Half { bits: size.ilog2() };
    // A negative number counts from the top of all unsigned ones.
    let mut place = value.cast_unsigned() % size;
    for _ in 0..PERMUTE_ROUNDS {
        let (factor, pattern) = (random.next_u64(), random.next_u64());
        place = half.mix(place, factor, pattern);
        let (factor, pattern) = (random.next_u64(), random.next_u64());
        place = size - 1 - half.mix(size - 1 - place, factor, pattern);
        place = ((u128::from(place) + u128::from(below(&mut random, size))) % u128::from(size))
            .try_into()
            .unwrap_or_default();
    }
    place.cast_signed()
}

/// The largest power of two that is not above the size, as a mask.
struct Half {
    bits: u32,
}

impl Half {
    /// Moves a number about among those under the mask; others stay.
    fn mix(&self, number: u64, factor: u64, pattern: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        if number > mask {
            return number;
        }
        let mixed = (number.wrapping_mul((factor & mask) | 1) ^ (pattern & mask)) & mask;
        ((mixed << 1) & mask) | (mixed >> (self.bits - 1))
    }
}

/// A number below a bound: as many random bits as the largest has, again until they fit.
fn below(random: &mut Xoroshiro128StarStar, bound: u64) -> u64 {
    let highest = bound - 1;
    if highest == 0 {
        return 0;
    }
    loop {
        let number = random.next_u64() >> (63 - highest.ilog2());
        if number <= highest {
            return number;
        }
    }
}
