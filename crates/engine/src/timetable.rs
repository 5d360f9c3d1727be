//! The timeline that all workers of a generator share, and whose window may be brought forward.
//!
//! Workers ask for it where they open an interval, and nowhere else: what is recorded looks at the
//! interval that is open. Whoever opens one says so under the same lock under which the window is
//! moved, so that a worker can never have opened an interval of the warm-up that is one of the window
//! for another, however late it runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use eventloop::Timestamp;

use crate::timeline::{Span, Timeline};

/// When the phases begin and end, for all workers.
#[derive(Debug)]
pub(crate) struct Timetable {
    state: Mutex<State>,
    /// The end of the window, in nanoseconds, for those who look at it in every turn.
    window_end: AtomicU64,
}

#[derive(Debug)]
struct State {
    timeline: Timeline,
    /// The start of the latest interval that anybody has opened.
    latest: Timestamp,
}

impl Timetable {
    pub fn new(timeline: Timeline) -> Self {
        let latest = timeline.locate(timeline.go).start;
        Self {
            state: Mutex::new(State { timeline, latest }),
            window_end: AtomicU64::new(timeline.window_end.0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|_| unreachable!("nobody panics with it"))
    }

    /// The phases as they are known now.
    pub fn timeline(&self) -> Timeline {
        self.lock().timeline
    }

    /// When the window ends, as far as is known now.
    #[inline]
    pub fn window_end(&self) -> Timestamp {
        Timestamp(self.window_end.load(Ordering::Relaxed))
    }

    /// Opens the interval after `span`: what it is will not change any more.
    pub fn open_next(&self, span: &Span) -> (Timeline, Span) {
        let mut state = self.lock();
        let next = state.timeline.next(span);
        state.latest = state.latest.max(next.start);
        (state.timeline, next)
    }

    /// Has the window begin with an interval of the warm-up that nobody has opened; why not, where
    /// it can't.
    pub fn bring_forward(
        &self,
        index: i64,
        least: Duration,
        now: Timestamp,
    ) -> Result<Timeline, &'static str> {
        let mut state = self.lock();
        let timeline = state.timeline.with_window_at(index, least)?;
        if timeline.window_start <= state.latest.max(now) {
            return Err("that interval has begun");
        }
        state.timeline = timeline;
        self.window_end.store(timeline.window_end.0, Ordering::Relaxed);
        Ok(timeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Phase;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Timestamp {
        Timestamp(seconds * 1_000_000_000)
    }

    #[test]
    fn an_interval_that_anybody_has_opened_stays_what_it_is() {
        let timetable = Timetable::new(Timeline::new(at(100), SECOND * 10, SECOND * 5, SECOND));
        let mut span = timetable.timeline().locate(at(100));
        for _ in 0..3 {
            span = timetable.open_next(&span).1;
        }
        assert_eq!((span.start, span.index), (at(103), -7));
        // By the clock of whoever asks, it has not even begun.
        assert!(timetable.bring_forward(-7, SECOND, at(102)).is_err());
        // Nobody has opened this one, but its time has come.
        assert!(timetable.bring_forward(-6, SECOND, at(104)).is_err());
        assert_eq!(timetable.window_end(), at(115));
        let moved = timetable.bring_forward(-6, SECOND, at(103)).unwrap();
        assert_eq!((moved.window_start, timetable.window_end()), (at(104), at(109)));
        let (timeline, first) = timetable.open_next(&span);
        assert_eq!((timeline, first.phase, first.index), (moved, Phase::Window, 0));
    }
}
