//! Histograms of durations in nanoseconds: record, merge, encode, and ask for quantiles.
//!
//! A thin layer on `hdrhistogram` that fixes the range and the precision for the whole program, so
//! that any two histograms can be merged, and that adds the one thing the library lacks: a value
//! beyond the range is counted as *overflow*. It is neither clamped to the range (which would turn a
//! stall of three hours into one of two) nor dropped (which would improve every quantile).

mod encoding;
mod live;
mod sparse;

pub use encoding::DecodeError;
pub use live::LiveHistogram;
pub use sparse::SparseHistogram;

/// The largest duration that is recorded as a value: two hours.
pub const HIGHEST_NS: u64 = 2 * 3600 * 1_000_000_000;

/// The smallest duration that is told apart from zero.
const LOWEST_NS: u64 = 1;

/// Three significant digits: a value read back is at most 0.1 % from the one recorded.
const SIGNIFICANT_DIGITS: u8 = 3;

/// A histogram of nanoseconds from 0 to two hours, with three significant digits.
///
/// Zero is a value of its own and is recorded exactly: in a closed loop a transaction starts at the
/// very instant it was scheduled.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    values: hdrhistogram::Histogram<u64>,
    overflow: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram. All memory that it ever needs is allocated here.
    ///
    /// # Panics
    ///
    /// Never: the bounds and the precision are constants that the library accepts.
    pub fn new() -> Self {
        let values =
            hdrhistogram::Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
                .expect("constant bounds are valid");
        Self { values, overflow: 0 }
    }

    /// Count one value.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.record_many(value_ns, 1);
    }

    /// Count one value `count` times.
    ///
    /// # Panics
    ///
    /// Never: every value in the range has its counter.
    #[inline]
    pub fn record_many(&mut self, value_ns: u64, count: u64) {
        // The library's own check is too late: its counters reach up to the next power of two.
        if value_ns > HIGHEST_NS {
            self.overflow += count;
        } else {
            self.values.record_n(value_ns, count).expect("a value in the range has its counter");
        }
    }

    /// Count so many values beyond the range.
    fn record_overflow(&mut self, count: u64) {
        self.overflow += count;
    }

    /// How many values were recorded, those beyond the range included.
    pub fn count(&self) -> u64 {
        self.values.len() + self.overflow
    }

    /// How many values were beyond [`HIGHEST_NS`].
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// The smallest value in the range, within the precision; 0 where there is none.
    pub fn min_ns(&self) -> u64 {
        self.values.min()
    }

    /// The largest value in the range, within the precision; 0 where there is none.
    pub fn max_ns(&self) -> u64 {
        self.values.max()
    }

    /// The mean of the values in the range, within the precision; 0 where there is none.
    pub fn mean_ns(&self) -> f64 {
        self.values.mean()
    }

    /// The values in the range with their counts, from the smallest on, each within the precision.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let of =
            |value| (self.values.lowest_equivalent(value), self.values.highest_equivalent(value));
        self.values.iter_recorded().map(move |bucket| {
            let (lowest, highest) = of(bucket.value_iterated_to());
            (lowest.midpoint(highest), bucket.count_at_value())
        })
    }

    /// The smallest value that at least the share `quantile` of all values does not exceed.
    ///
    /// `None` where the histogram is empty, and where the quantile falls among the values beyond
    /// the range: these are larger than any other, and how much larger is not known.
    ///
    /// # Panics
    ///
    /// When `quantile` is not in [0, 1].
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        assert!((0.0..=1.0).contains(&quantile), "a quantile lies in [0, 1], this is {quantile}");
        let in_range = self.values.len();
        let rank = rank(quantile, self.count());
        if self.count() == 0 || rank > in_range {
            return None;
        }
        // Half a rank less asks for the same value and is safe from rounding.
        Some(self.values.value_at_quantile((rank as f64 - 0.5) / in_range as f64))
    }

    /// Add everything that another histogram recorded, as if it had been recorded here.
    pub fn merge(&mut self, other: &Self) {
        for bucket in other.values.iter_recorded() {
            // Where the range ends there is a counter that goes beyond it: its lowest value is in.
            let value = other.values.lowest_equivalent(bucket.value_iterated_to());
            self.record_many(value, bucket.count_at_value());
        }
        self.overflow += other.overflow;
    }
}

/// The rank of a quantile among `count` sorted values, from 1.
///
/// The quantile is lowered by the smallest step of a float, so that 0.07 × 100, which is computed as
/// 7.000000000000001, asks for the seventh value and not for the eighth.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rank(quantile: f64, count: u64) -> u64 {
    ((quantile.next_down() * count as f64).ceil() as u64).max(1)
}
