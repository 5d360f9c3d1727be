//! A histogram that takes memory only for the values that it has.

use std::collections::BTreeMap;

use crate::live::dropped_bits;
use crate::{HIGHEST_NS, Histogram};

/// The same values, range and precision as a [`Histogram`], for many histograms of few values each.
/// Recording takes longer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseHistogram {
    /// Counts by the smallest value that is not told apart.
    counts: BTreeMap<u64, u64>,
    overflow: u64,
}

impl SparseHistogram {
    /// Count one value.
    pub fn record(&mut self, value_ns: u64) {
        if value_ns > HIGHEST_NS {
            self.overflow += 1;
            return;
        }
        let dropped = dropped_bits(value_ns);
        *self.counts.entry(value_ns >> dropped << dropped).or_default() += 1;
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.overflow == 0
    }

    /// Add everything that another one recorded.
    pub fn merge(&mut self, other: &Self) {
        for (value_ns, count) in &other.counts {
            *self.counts.entry(*value_ns).or_default() += count;
        }
        self.overflow += other.overflow;
    }

    /// The same as a histogram with a place for each value of the range.
    pub fn to_histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        for (value_ns, count) in &self.counts {
            histogram.record_many(*value_ns, *count);
        }
        histogram.record_overflow(self.overflow);
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_a_histogram_holds() {
        let (mut sparse, mut dense) = (SparseHistogram::default(), Histogram::new());
        assert!(sparse.is_empty());
        let mut value_ns = 0;
        while value_ns < 2 * HIGHEST_NS {
            for near in [value_ns, value_ns + 1, value_ns + value_ns / 1500] {
                sparse.record(near);
                dense.record(near);
            }
            value_ns += 1 + value_ns / 7;
        }
        assert_eq!(sparse.to_histogram(), dense);
        let mut twice = sparse.clone();
        twice.merge(&sparse);
        dense.merge(&dense.clone());
        assert_eq!(twice.to_histogram().count(), dense.count());
    }
}
