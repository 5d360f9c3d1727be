//! Phases and intervals: which instant belongs to which.

use std::time::Duration;

use eventloop::Timestamp;

/// A part of a trial, in order. Connecting comes before; its time is not on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Load without measurement.
    Warmup,
    /// What is measured.
    Window,
    /// No new transactions; those under way end.
    Drain,
}

impl Phase {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warmup => "warmup",
            Self::Window => "window",
            Self::Drain => "drain",
        }
    }
}

/// One interval: a piece of one phase. Intervals never straddle phases; the first one of the
/// warm-up and the last one of the window may be shorter than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Counts up from zero at the start of the window; negative in the warm-up, where it counts from
    /// the start that was planned, so that it stays what it was when the window is brought forward.
    pub index: i64,
    /// The phase.
    pub phase: Phase,
    /// First instant.
    pub start: Timestamp,
    /// First instant after it.
    pub end: Timestamp,
}

/// When the phases of one trial begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Everybody is ready and the warm-up begins.
    pub go: Timestamp,
    /// The window begins.
    pub window_start: Timestamp,
    /// The window ends, and the drain begins.
    pub window_end: Timestamp,
    interval_ns: u64,
    /// Intervals by which the window begins earlier than planned.
    early: u64,
}

impl Timeline {
    /// Lays the phases out from the instant at which the load begins.
    pub fn new(go: Timestamp, warmup: Duration, duration: Duration, interval: Duration) -> Self {
        let window_start = go + warmup;
        let interval_ns = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        let window_end = window_start + duration;
        Self { go, window_start, window_end, interval_ns, early: 0 }
    }

    /// The same with a window that begins where an interval of the warm-up was to begin, and is as
    /// long as before; why not, where it can't. The warm-up takes at least so long.
    pub fn with_window_at(&self, index: i64, least: Duration) -> Result<Self, &'static str> {
        if self.early > 0 {
            return Err("the window was brought forward before");
        }
        if index >= 0 {
            return Err("the window may only be brought forward");
        }
        let early_ns = index.unsigned_abs().checked_mul(self.interval_ns);
        let start = early_ns.and_then(|early_ns| self.window_start.0.checked_sub(early_ns));
        match (start.map(Timestamp), early_ns) {
            (Some(window_start), Some(early_ns)) if window_start >= self.go + least => Ok(Self {
                window_start,
                window_end: Timestamp(self.window_end.0 - early_ns),
                early: index.unsigned_abs(),
                ..*self
            }),
            _ => Err("the warm-up takes longer than that in any case"),
        }
    }

    /// The length of an interval that is not cut short.
    pub fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// The interval that an instant belongs to. What comes before the warm-up belongs to its first
    /// interval: the clock starts there.
    pub fn locate(&self, time: Timestamp) -> Span {
        let time = time.max(self.go);
        if time < self.window_start {
            self.warmup_span(time)
        } else if time < self.window_end {
            self.span(Phase::Window, self.window_start, time, self.window_end)
        } else {
            self.span(Phase::Drain, self.window_end, time, Timestamp(u64::MAX))
        }
    }

    /// The interval after `span`.
    pub fn next(&self, span: &Span) -> Span {
        self.locate(span.end)
    }

    fn warmup_span(&self, time: Timestamp) -> Span {
        // Counted backwards from the window, so that whole intervals lie next to it.
        let back = self.window_start.since(time).div_ceil(self.interval_ns);
        let start = self.window_start.0.saturating_sub(back * self.interval_ns);
        Span {
            index: -((back + self.early).cast_signed()),
            phase: Phase::Warmup,
            start: Timestamp(start).max(self.go),
            end: Timestamp(self.window_start.0 - (back - 1) * self.interval_ns),
        }
    }

    fn span(&self, phase: Phase, origin: Timestamp, time: Timestamp, limit: Timestamp) -> Span {
        let number = time.since(origin) / self.interval_ns;
        let start = Timestamp(origin.0 + number * self.interval_ns);
        let before = match phase {
            Phase::Drain => self.window_end.since(self.window_start).div_ceil(self.interval_ns),
            _ => 0,
        };
        Span {
            index: (before + number).cast_signed(),
            phase,
            start,
            end: Timestamp(start.0.saturating_add(self.interval_ns)).min(limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn timeline() -> Timeline {
        Timeline::new(
            Timestamp(10_000 * MS),
            Duration::from_millis(2500),
            Duration::from_millis(3200),
            Duration::from_secs(1),
        )
    }

    #[test]
    fn spans_follow_one_another_without_gap_or_overlap() {
        let timeline = timeline();
        let mut span = timeline.locate(Timestamp(0));
        assert_eq!(span.start, timeline.go);
        let mut seen = vec![(span.phase, span.index)];
        while span.index < 5 {
            let next = timeline.next(&span);
            assert_eq!(next.start, span.end);
            assert_eq!(next.index, span.index + 1);
            assert_eq!(timeline.locate(next.start), next);
            assert_eq!(timeline.locate(Timestamp(next.start.0 - 1)), span);
            span = next;
            seen.push((span.phase, span.index));
        }
        let phases = [
            (Phase::Warmup, -3),
            (Phase::Warmup, -2),
            (Phase::Warmup, -1),
            (Phase::Window, 0),
            (Phase::Window, 1),
            (Phase::Window, 2),
            (Phase::Window, 3),
            (Phase::Drain, 4),
            (Phase::Drain, 5),
        ];
        assert_eq!(seen, phases);
    }

    #[test]
    fn a_window_that_is_brought_forward_leaves_the_warm_up_as_it_was_and_keeps_its_length() {
        let planned = timeline();
        let early = planned.with_window_at(-1, Duration::from_millis(1500)).unwrap();
        assert_eq!(early.window_start, Timestamp(planned.window_start.0 - 1000 * MS));
        assert_eq!(early.window_end.since(early.window_start), 3200 * MS);
        for before in [planned.go.0, planned.go.0 + 500 * MS, early.window_start.0 - 1] {
            assert_eq!(early.locate(Timestamp(before)), planned.locate(Timestamp(before)));
        }
        let last = early.locate(Timestamp(early.window_start.0 - 1));
        assert_eq!((last.phase, last.index), (Phase::Warmup, -2));
        let first = early.next(&last);
        assert_eq!((first.phase, first.index), (Phase::Window, 0));
        let drain = early.locate(early.window_end);
        assert_eq!((drain.phase, drain.index), (Phase::Drain, 4));
    }

    #[test]
    fn a_window_is_not_brought_forward_twice_nor_into_the_least_warm_up_nor_moved_back() {
        let planned = timeline();
        let none = Duration::ZERO;
        let early = planned.with_window_at(-2, none).unwrap();
        for (timeline, index, least) in [
            (early, -1, none),
            (planned, 0, none),
            (planned, 3, none),
            (planned, -3, none),
            (planned, i64::MIN, none),
            (planned, -2, Duration::from_millis(501)),
        ] {
            assert!(timeline.with_window_at(index, least).is_err(), "{index} {least:?}");
        }
    }

    #[test]
    fn short_intervals_lie_at_the_outer_ends() {
        let timeline = timeline();
        let first = timeline.locate(timeline.go);
        assert_eq!(first.end.since(first.start), 500 * MS);
        let last = timeline.locate(Timestamp(timeline.window_end.0 - 1));
        assert_eq!((last.phase, last.index), (Phase::Window, 3));
        assert_eq!(last.end, timeline.window_end);
        assert_eq!(last.end.since(last.start), 200 * MS);
    }
}
