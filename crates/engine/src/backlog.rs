//! What is due and what was begun of an open loop, over all workers.

use std::sync::Arc;

use crate::arrivals::{Arrival, Schedule};
use crate::claims::Claims;
use crate::sample::IntervalSample;

/// Follows a trial's schedule interval by interval, apart from those who carry it out.
pub(crate) struct Backlog {
    schedule: Schedule,
    claims: Arc<Claims>,
    /// Due and not begun, by kind.
    waiting: Vec<u64>,
}

impl Backlog {
    pub fn new(schedule: Schedule, claims: Arc<Claims>, kinds: usize) -> Self {
        Self { schedule, claims, waiting: vec![0; kinds] }
    }

    /// Fills in what the schedule says of an interval. At the end of the last one, when nobody is
    /// there any more to begin them, the arrivals that are left are dropped, and given back.
    ///
    /// # Panics
    ///
    /// When more was begun than was due, and when what is left by the schedule is not what nobody has
    /// claimed.
    pub fn complete(&mut self, sample: &mut IntervalSample, is_last: bool) -> Vec<Arrival> {
        if !is_last {
            self.count(sample);
            return Vec::new();
        }
        // Workers that have failed did not say that nothing more is to arrive.
        self.claims.stop(sample.span.end);
        self.count(sample);
        self.drop_rest(sample)
    }

    /// Counts what was due by the end of an interval. Workers have counted what they began as
    /// scheduled, for no worker knows what waits for all of them.
    fn count(&mut self, sample: &mut IntervalSample) {
        let until = self.claims.end().min(sample.span.end);
        let mut due = vec![0; self.waiting.len()];
        while let Some(arrival) = self.schedule.pop_before(until) {
            due[arrival.kind] += 1;
        }
        let kinds = sample.transactions.iter_mut().zip(&mut self.waiting).zip(due);
        for ((transaction, waiting), due) in kinds {
            let begun = std::mem::replace(&mut transaction.scheduled, due);
            let left = (*waiting + due).checked_sub(begun);
            *waiting = left.unwrap_or_else(|| panic!("more was begun than was due"));
            transaction.in_flight += *waiting;
        }
        sample.levels.waiting = self.waiting.iter().sum();
    }

    fn drop_rest(&mut self, sample: &mut IntervalSample) -> Vec<Arrival> {
        let rest = self.claims.take_rest();
        let mut unclaimed = vec![0; self.waiting.len()];
        for arrival in &rest {
            unclaimed[arrival.kind] += 1;
        }
        assert_eq!(self.waiting, unclaimed, "due and not begun, by the schedule and by the claims");
        for (transaction, unclaimed) in sample.transactions.iter_mut().zip(unclaimed) {
            transaction.dropped += unclaimed;
            transaction.in_flight -= unclaimed;
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use eventloop::Timestamp;

    use super::*;
    use crate::arrivals::tests::schedule;
    use crate::options::tests::options;
    use crate::options::{Arrivals, Options};
    use crate::timeline::Timeline;

    const SECOND: u64 = 1_000_000_000;

    /// Ten arrivals a second from the fifth second on, of two kinds that take turns.
    fn backlog() -> (Backlog, Arc<Claims>, IntervalSample) {
        let arrivals = Arrivals::Constant { rate_per_s: 10.0 };
        let options = Options { arrivals, ..options() };
        let second = Duration::from_secs(1);
        let timeline = Timeline::new(Timestamp(5 * SECOND), second, second * 9, second);
        let claims = Arc::new(Claims::new(schedule(&options), &timeline));
        let sample = IntervalSample::new(timeline.locate(timeline.go), 2);
        (Backlog::new(schedule(&options), Arc::clone(&claims), 2), claims, sample)
    }

    #[test]
    fn what_was_due_and_not_begun_waits_and_is_dropped_in_the_end() {
        let (mut backlog, claims, mut sample) = backlog();
        for _ in 0..3 {
            let arrival = claims.claim().unwrap();
            assert!(claims.begin(arrival));
            sample.transactions[arrival.kind].scheduled += 1;
        }
        assert!(backlog.complete(&mut sample, false).is_empty());
        let counted = sample.transactions.iter().map(|t| (t.scheduled, t.in_flight));
        assert_eq!(counted.collect::<Vec<_>>(), [(5, 4), (5, 3)]);
        assert_eq!(sample.levels.waiting, 7);
        let mut last = IntervalSample::new(sample.span, 2);
        assert_eq!(backlog.complete(&mut last, true).len(), 7);
        let counted = last.transactions.iter().map(|t| (t.dropped, t.in_flight));
        assert_eq!(counted.collect::<Vec<_>>(), [(4, 0), (3, 0)]);
    }

    #[test]
    #[should_panic(expected = "by the schedule and by the claims")]
    fn a_claim_that_is_lost_is_found() {
        let (mut backlog, claims, mut sample) = backlog();
        claims.claim();
        backlog.complete(&mut sample, true);
    }

    #[test]
    #[should_panic(expected = "more was begun than was due")]
    fn what_is_begun_twice_is_found() {
        let (mut backlog, _, mut sample) = backlog();
        sample.transactions[0].scheduled = 6;
        backlog.complete(&mut sample, false);
    }
}
