//! Gaps: time in which no transaction ended well, at any worker.
//!
//! Workers note for each small part of an interval whether anything ended in it, the coordinator puts
//! their notes together and measures the longest run of empty parts, from interval to interval.

use crate::timeline::Span;

/// Parts of an interval that are told apart at most; they are at least half as many.
const SLOTS: u32 = 256;

const WORD_BITS: usize = u64::BITS as usize;

/// Which parts of an interval had a transaction that ended well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Completions([u64; SLOTS as usize / WORD_BITS]);

impl Completions {
    /// Notes one in a part, which [`Slots`] numbers.
    #[inline]
    pub fn mark(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / WORD_BITS) {
            *word |= 1 << (slot % WORD_BITS);
        }
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    fn contains(self, slot: usize) -> bool {
        self.0.get(slot / WORD_BITS).is_some_and(|word| word >> (slot % WORD_BITS) & 1 == 1)
    }
}

/// How intervals are divided. Parts are a power of two of nanoseconds long, so that finding one takes
/// no division.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    shift: u32,
}

impl Slots {
    /// The division of intervals of this length, and of shorter ones.
    pub fn new(interval_ns: u64) -> Self {
        let mut shift = 0;
        while interval_ns.saturating_sub(1) >> shift >= u64::from(SLOTS) {
            shift += 1;
        }
        Self { shift }
    }

    /// The part in which a time lies, given from the start of the interval.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // Where there are 32 bits, a part beyond all is meant.
    pub fn of(self, offset_ns: u64) -> usize {
        (offset_ns >> self.shift) as usize
    }

    fn start_ns(self, slot: usize) -> u64 {
        (slot as u64) << self.shift
    }
}

/// Finds the longest gap of each interval; they have to come in order.
#[derive(Debug)]
pub(crate) struct Gaps {
    slots: Slots,
    /// How long there has been nothing by the end of the last interval.
    carried_ns: u64,
}

impl Gaps {
    pub fn new(slots: Slots) -> Self {
        Self { slots, carried_ns: 0 }
    }

    /// The longest gap that touches the next interval, in nanoseconds. Only parts that are empty in
    /// whole count: it may have been longer by up to two of them.
    pub fn next(&mut self, span: &Span, completions: Completions) -> u64 {
        let length_ns = span.end.since(span.start);
        let mut longest_ns = 0;
        let mut began_ns = 0;
        let mut slot = 0;
        while self.slots.start_ns(slot) < length_ns {
            if completions.contains(slot) {
                let gap_ns = self.carried_ns + self.slots.start_ns(slot) - began_ns;
                longest_ns = longest_ns.max(gap_ns);
                self.carried_ns = 0;
                began_ns = self.slots.start_ns(slot + 1).min(length_ns);
            }
            slot += 1;
        }
        self.carried_ns += length_ns - began_ns;
        longest_ns.max(self.carried_ns)
    }
}

#[cfg(test)]
mod tests {
    use eventloop::Timestamp;

    use super::*;
    use crate::timeline::Phase;

    const MS: u64 = 1_000_000;
    const SECOND: u64 = 1000 * MS;

    /// The gaps of intervals of one second, given when something ended in each, in milliseconds.
    fn gaps_ms(ended_ms: &[&[u64]]) -> Vec<u64> {
        let slots = Slots::new(SECOND);
        let mut gaps = Gaps::new(slots);
        let mut found = Vec::new();
        for (index, times) in (0_i64..).zip(ended_ms) {
            let mut completions = Completions::default();
            for time in *times {
                let mut of_another_worker = Completions::default();
                of_another_worker.mark(slots.of(time * MS));
                completions.merge(of_another_worker);
            }
            let start = Timestamp(index.cast_unsigned() * SECOND);
            let end = Timestamp(start.0 + SECOND);
            let span = Span { index, phase: Phase::Window, start, end };
            found.push(gaps.next(&span, completions) / MS);
        }
        found
    }

    fn assert_near(found: &[u64], expected: &[u64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            // Two parts of an interval: less than 2 % of it.
            let close = *expected >= *found && expected - found < 20;
            assert!(close, "{found} ms, expected {expected} ms");
        }
    }

    #[test]
    fn a_gap_is_found_within_an_interval_and_across_several() {
        let found = gaps_ms(&[&[0, 300, 999], &[10, 500], &[], &[], &[250, 400]]);
        assert_near(&found, &[699, 500, 1500, 2500, 2750]);
    }

    #[test]
    fn every_length_of_an_interval_is_divided_finely() {
        for interval_ns in [1, 100, 256, 257, 1000 * MS, 1024 * MS, 60 * SECOND, 3600 * SECOND] {
            let slots = Slots::new(interval_ns);
            let last = slots.of(interval_ns - 1);
            assert!(last < SLOTS as usize, "{interval_ns} ns: {last}");
            assert!(last >= 127 || interval_ns <= 256, "{interval_ns} ns: {last}");
        }
    }
}
