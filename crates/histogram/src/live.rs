//! A histogram that is recorded into at every transaction, with few instructions for a value.

use crate::{HIGHEST_NS, Histogram};

/// Binary digits of a value that are kept: as many as a [`Histogram`] tells apart.
const SIGNIFICANT_BITS: u32 = 11;

/// From one power of two to the next there are so many counters.
const COUNTERS_OF_A_POWER: usize = 1 << (SIGNIFICANT_BITS - 1);

const COUNTERS: usize = index_of(HIGHEST_NS) + 1;

/// The same values, range and precision as a [`Histogram`]. A counter has 32 bits and stops at 4.29
/// thousand million: it is for a short time, after which it is merged into a [`Histogram`].
#[derive(Clone, Debug, PartialEq)]
pub struct LiveHistogram {
    counts: Vec<u32>,
    overflow: u64,
}

impl Default for LiveHistogram {
    fn default() -> Self {
        Self { counts: vec![0; COUNTERS], overflow: 0 }
    }
}

impl LiveHistogram {
    /// Count one value.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        if value_ns > HIGHEST_NS {
            self.overflow += 1;
            return;
        }
        let count = &mut self.counts[index_of(value_ns)];
        *count = count.saturating_add(1);
    }

    /// How many values were recorded, those beyond the range included.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum::<u64>() + self.overflow
    }
}

impl Histogram {
    /// Add everything that a live histogram recorded, as if it had been recorded here.
    pub fn merge_live(&mut self, live: &LiveHistogram) {
        for (index, count) in live.counts.iter().enumerate() {
            if *count > 0 {
                self.record_many(lowest_at(index), u64::from(*count));
            }
        }
        self.record_overflow(live.overflow);
    }
}

/// So many of a value's last binary digits are dropped.
#[inline]
pub(crate) const fn dropped_bits(value_ns: u64) -> u32 {
    // Of a smaller value none are.
    (value_ns | (COUNTERS_OF_A_POWER as u64)).ilog2() + 1 - SIGNIFICANT_BITS
}

/// The place of a value's counter. Smaller values than two to the power of [`SIGNIFICANT_BITS`] have
/// one each.
#[inline]
#[allow(clippy::cast_possible_truncation)]
const fn index_of(value_ns: u64) -> usize {
    let dropped = dropped_bits(value_ns);
    dropped as usize * COUNTERS_OF_A_POWER + (value_ns >> dropped) as usize
}

/// The smallest value that is counted in this place.
fn lowest_at(index: usize) -> u64 {
    let dropped = (index / COUNTERS_OF_A_POWER).saturating_sub(1);
    ((index - dropped * COUNTERS_OF_A_POWER) as u64) << dropped
}
