//! Pauses of the generator itself: it was stopped, it had no CPU, or its whole machine stood still.
//! What a server seems to have done meanwhile is not known.

use std::time::Duration;

use eventloop::Timestamp;

use crate::timeline::Timeline;

/// So late a thread may be that ought to run by now, on a machine that has other things to do.
const MARGIN: Duration = Duration::from_millis(10);

/// Pauses in one interval, of the thread that had most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// The longest of those that touch the interval, in nanoseconds: from where it began, perhaps in
    /// an earlier one, to where it ended or to the interval's end.
    pub longest_ns: u64,
    /// Nanoseconds within the interval.
    pub total_ns: u64,
}

impl Pauses {
    /// Adds another pause of the same thread.
    pub(crate) fn add(&mut self, other: Self) {
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.total_ns += other.total_ns;
    }

    /// Adds another thread, which mostly paused at the same time.
    pub(crate) fn merge(&mut self, other: Self) {
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.total_ns = self.total_ns.max(other.total_ns);
    }
}

/// A time in which a thread did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    pub from: Timestamp,
    pub to: Timestamp,
}

impl Pause {
    /// The pause of a thread that was sure to run again within `limit` from `before`, and did so
    /// `now`: None where it came in time.
    #[inline]
    pub fn between(before: Timestamp, now: Timestamp, limit: Duration) -> Option<Self> {
        let from = before + limit;
        (now > from + MARGIN).then_some(Self { from, to: now })
    }

    /// Its parts, by the intervals that it touches from the start of the load on.
    pub fn by_interval(self, timeline: &Timeline) -> Vec<(i64, Pauses)> {
        let mut parts = Vec::new();
        let mut span = timeline.locate(self.from);
        while span.start < self.to {
            let end = span.end.min(self.to);
            let total_ns = end.since(self.from.max(span.start));
            parts.push((span.index, Pauses { longest_ns: end.since(self.from), total_ns }));
            span = timeline.next(&span);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Timestamp {
        Timestamp(milliseconds * 1_000_000)
    }

    #[test]
    fn a_pause_is_shared_out_among_the_intervals_that_it_touches() {
        let second = Duration::from_secs(1);
        let timeline = Timeline::new(at(1000), second, second * 2, second);
        let limit = Duration::from_millis(100);
        assert_eq!(Pause::between(at(1700), at(1809), limit), None);
        let pause = Pause::between(at(1700), at(4300), limit).unwrap();
        let parts = pause.by_interval(&timeline);
        let parts_ms: Vec<_> = parts
            .iter()
            .map(|(index, part)| (*index, part.longest_ns / 1_000_000, part.total_ns / 1_000_000))
            .collect();
        assert_eq!(parts_ms, [(-1, 200, 200), (0, 1200, 1000), (1, 2200, 1000), (2, 2500, 300)]);
    }

    #[test]
    fn threads_that_pause_together_count_once() {
        let mut pauses = Pauses { longest_ns: 5, total_ns: 6 };
        pauses.add(Pauses { longest_ns: 4, total_ns: 4 });
        pauses.merge(Pauses { longest_ns: 7, total_ns: 7 });
        assert_eq!(pauses, Pauses { longest_ns: 7, total_ns: 10 });
    }
}
