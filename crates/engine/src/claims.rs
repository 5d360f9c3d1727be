//! One schedule for the clients of all workers: whoever is free claims the next arrival that nobody
//! has claimed, and begins it when it is due.
//!
//! Clients without anything to do therefore hold the arrivals that come next, in order, and what is
//! due and unclaimed waits until a client becomes free: one line for all of them, first come, first
//! served, without a word between threads. What waits takes no memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use eventloop::Timestamp;

use crate::arrivals::{Arrival, Schedule};
use crate::timeline::Timeline;

/// The arrivals of a trial, shared by all workers.
pub(crate) struct Claims {
    state: Mutex<State>,
    /// No arrival is at this time or later, in nanoseconds.
    end: AtomicU64,
    /// Whether there are any that were handed back.
    has_returned: AtomicBool,
}

struct State {
    schedule: Schedule,
    /// Claimed once, and handed back by clients that have lost their connection.
    returned: BinaryHeap<Reverse<Arrival>>,
    /// The latest that was begun.
    latest: Timestamp,
}

impl Claims {
    pub fn new(schedule: Schedule, timeline: &Timeline) -> Self {
        let state = State { schedule, returned: BinaryHeap::new(), latest: Timestamp::default() };
        Self {
            state: Mutex::new(state),
            end: AtomicU64::new(timeline.window_end.0),
            has_returned: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|_| unreachable!("nobody panics with it"))
    }

    /// No arrival is at this time or later.
    pub fn end(&self) -> Timestamp {
        Timestamp(self.end.load(Ordering::Acquire))
    }

    /// The next arrival that nobody has claimed; None when there are no more.
    pub fn claim(&self) -> Option<Arrival> {
        let mut state = self.lock();
        let (end, next) = (self.end(), state.schedule.peek());
        let returned = state.returned.peek().map(|Reverse(arrival)| arrival.time);
        if returned.is_some_and(|returned| next.is_none_or(|next| returned <= next)) {
            let arrival = state.returned.pop().map(|Reverse(arrival)| arrival);
            self.note_returned(&state);
            return arrival.filter(|arrival| arrival.time < end);
        }
        let arrival = state.schedule.pop_before(end)?;
        if state.schedule.is_exhausted() {
            // It was the last that is allowed: nobody needs to wait for the end of the window.
            self.end.fetch_min(arrival.time.0 + 1, Ordering::Release);
        }
        Some(arrival)
    }

    /// Hands an arrival back that was claimed and not begun.
    pub fn hand_back(&self, arrival: Arrival) {
        let mut state = self.lock();
        state.returned.push(Reverse(arrival));
        self.note_returned(&state);
    }

    /// Whether there are any that were handed back and not claimed again.
    pub fn has_returned(&self) -> bool {
        self.has_returned.load(Ordering::Relaxed)
    }

    /// Gives the first one that was handed back for one that comes later, or for none.
    pub fn exchange(&self, held: Option<Arrival>) -> Option<Arrival> {
        let mut state = self.lock();
        let Reverse(first) = state.returned.peek().copied()?;
        if held.is_some_and(|held| held <= first) || first.time >= self.end() {
            return None;
        }
        state.returned.pop();
        state.returned.extend(held.map(Reverse));
        self.note_returned(&state);
        Some(first)
    }

    /// Begins an arrival that is due; false where the trial was stopped before that.
    pub fn begin(&self, arrival: Arrival) -> bool {
        let mut state = self.lock();
        let is_in_time = arrival.time < self.end();
        if is_in_time {
            state.latest = state.latest.max(arrival.time);
        }
        is_in_time
    }

    /// Lets nothing more arrive, but for what was begun by workers whose clock was read later.
    pub fn stop(&self, now: Timestamp) {
        let state = self.lock();
        self.end.fetch_min(now.0.max(state.latest.0 + 1), Ordering::Release);
    }

    /// Takes what nobody has begun, in order, once there are no clients any more.
    pub fn take_rest(&self) -> Vec<Arrival> {
        let mut state = self.lock();
        let end = self.end();
        let mut rest: Vec<Arrival> =
            state.returned.drain().map(|Reverse(arrival)| arrival).collect();
        rest.retain(|arrival| arrival.time < end);
        rest.extend(std::iter::from_fn(|| state.schedule.pop_before(end)));
        rest.sort_unstable();
        rest
    }

    fn note_returned(&self, state: &State) {
        self.has_returned.store(!state.returned.is_empty(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arrivals::tests::schedule;
    use crate::options::tests::options;
    use crate::options::{Arrivals, Options};

    /// Ten arrivals, one a second from the fifth second on; the first is in the warm-up.
    fn claims(transactions: Option<u64>) -> Claims {
        let arrivals = Arrivals::Constant { rate_per_s: 1.0 };
        let second = Duration::from_secs(1);
        let timeline = Timeline::new(at(5), second, second * 9, second);
        Claims::new(schedule(&Options { arrivals, transactions, ..options() }), &timeline)
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp(seconds * 1_000_000_000)
    }

    fn second(arrival: Option<Arrival>) -> Option<u64> {
        arrival.map(|arrival| arrival.time.0 / 1_000_000_000)
    }

    #[test]
    fn each_arrival_is_claimed_once_and_in_order() {
        for (transactions, last, end) in [(None, 14, at(15)), (Some(3), 8, Timestamp(at(8).0 + 1))]
        {
            let claims = claims(transactions);
            let all: Vec<_> = std::iter::from_fn(|| second(claims.claim())).collect();
            assert_eq!(all, (5..=last).collect::<Vec<_>>());
            assert_eq!(claims.end(), end);
            assert!(claims.take_rest().is_empty());
        }
    }

    #[test]
    fn what_is_handed_back_comes_before_what_is_later() {
        let claims = claims(None);
        let (first, second_one) = (claims.claim().unwrap(), claims.claim());
        claims.hand_back(first);
        assert!(claims.has_returned());
        assert_eq!(claims.exchange(second_one), Some(first), "who holds a later one takes it");
        assert_eq!(claims.exchange(Some(first)), None, "and nobody a later one");
        assert_eq!(second(claims.claim()), Some(6));
        assert!(!claims.has_returned());
        assert_eq!(second(claims.claim()), Some(7));
    }

    #[test]
    fn a_stop_leaves_what_was_due_and_what_was_begun() {
        let claims = claims(None);
        let begun: Vec<_> = (0..3).filter_map(|_| claims.claim()).collect();
        assert!(claims.begin(begun[2]));
        claims.stop(at(6));
        assert!(claims.begin(begun[1]));
        assert_eq!(claims.claim(), None);
        claims.hand_back(begun[0]);
        assert_eq!(claims.take_rest(), [begun[0]]);
        assert!(!claims.begin(Arrival { time: at(8), kind: 0 }));
    }
}
