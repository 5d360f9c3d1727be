//! The non-uniform numbers of TPC-C.

use crate::stream::Stream;

/// `NURand(A, x, y)` of TPC-C, revision 5.11, clause 2.1.6: the integers from x to y, some of them far
/// more often than others. Which ones, the constant C decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NuRand {
    a: u64,
    low: u64,
    high: u64,
    c: u64,
}

impl NuRand {
    /// `NURand(a, low, high)` with the constant `c`, which is from 0 to `a`.
    ///
    /// # Panics
    ///
    /// When `low` is above `high`.
    pub fn new(a: u64, low: u64, high: u64, c: u64) -> Self {
        assert!(low <= high, "the range {low}..={high} is empty");
        Self { a, low, high, c }
    }

    /// Draws one number.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let mixed = stream.between(0, self.a) | stream.between(self.low, self.high);
        (mixed + self.c) % (self.high - self.low + 1) + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Purpose;

    /// The share of each result, by counting all pairs of draws.
    fn shares(a: u64, low: u64, high: u64, c: u64) -> Vec<f64> {
        let range = high - low + 1;
        let mut counts = vec![0_u32; usize::try_from(range).unwrap()];
        for first in 0..=a {
            for second in low..=high {
                let place = ((first | second) + c) % range;
                counts[usize::try_from(place).unwrap()] += 1;
            }
        }
        let all = f64::from(counts.iter().sum::<u32>());
        counts.into_iter().map(|count| f64::from(count) / all).collect()
    }

    #[test]
    fn numbers_are_distributed_by_the_formula() {
        let (a, low, high, c) = (255, 0, 999, 123);
        let expected = shares(a, low, high, c);
        let nurand = NuRand::new(a, low, high, c);
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let draws = 2_000_000_u32;
        let mut counts = vec![0_u32; expected.len()];
        for _ in 0..draws {
            counts[usize::try_from(nurand.draw(&mut stream) - low).unwrap()] += 1;
        }
        // Pearson's statistic of a thousand cells: mean 999, deviation √(2·999) ≈ 45.
        let statistic: f64 = counts
            .iter()
            .zip(&expected)
            .filter(|(_, share)| **share > 0.0)
            .map(|(count, share)| {
                let expected = share * f64::from(draws);
                (f64::from(*count) - expected).powi(2) / expected
            })
            .sum();
        assert!((800.0..1200.0).contains(&statistic), "{statistic}");
    }

    #[test]
    fn the_constant_turns_the_range_and_leaves_it_whole() {
        for c in [0, 100, 8191] {
            let nurand = NuRand::new(8191, 1, 100_000, c);
            let mut stream = Stream::new(7, Purpose::Inputs, c);
            let drawn: Vec<u64> = (0..100_000).map(|_| nurand.draw(&mut stream)).collect();
            assert!(drawn.iter().all(|number| (1..=100_000).contains(number)));
        }
        let without = shares(255, 0, 999, 0);
        let mut turned = shares(255, 0, 999, 17);
        turned.rotate_left(17);
        assert_eq!(without, turned);
    }
}
