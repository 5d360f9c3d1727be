//! Naps: a loop that has much to wait for sleeps a little without being woken, and then finds several
//! answers at once.
//!
//! Each wake-up of an idle CPU costs the one who wakes it, which is the server; many small ones take a
//! good part of its capacity, and what is measured is no longer the server's own. A nap costs time
//! instead: a client whose answer has come is late to send its next statement. So there is one only
//! where answers wait for each other in the server anyway, and it is short beside that wait. The answers'
//! own times are those at which the kernel received them; where it does not tell, there are no naps.

use std::time::Duration;

use crate::clock::Timestamp;

/// A nap is at most this share of the time for which answers queue.
const SHARE_OF_QUEUEING: u64 = 12;

/// A nap up to this length may be a larger share: what it costs is little.
const SHORT_NAP_NS: u64 = 80_000;
const SHARE_FOR_SHORT: u64 = 2;

/// Of the clients' answers at most this share is to come in a nap: the server has the others to do, and
/// nine clients of ten are at work.
const SHARE_OF_CLIENTS: u64 = 10;

/// The longest nap.
const LONGEST_NAP_NS: u64 = 250_000;

/// A shorter one costs more than the wake-up that it saves: the timer has its own.
pub(crate) const SHORTEST_NAP_NS: u64 = 15_000;

/// How often the rate of answers, and the fastest of them, are taken anew.
const PERIOD_NS: u64 = 100_000_000;

/// What a loop knows of the times between statements and their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerTimes {
    quartile_ns: u64,
    /// Nanoseconds in the present period, and in the one before.
    fastest: [u64; 2],
}

impl Default for AnswerTimes {
    fn default() -> Self {
        Self { quartile_ns: 1000, fastest: [u64::MAX; 2] }
    }
}

impl AnswerTimes {
    /// Takes note of one. The lower quartile is followed in small steps, up by one and down by three,
    /// which balance where a quarter is below it.
    #[inline]
    pub fn record(&mut self, time_ns: u64) {
        self.fastest[0] = self.fastest[0].min(time_ns);
        let step = self.quartile_ns / 128;
        if time_ns < self.quartile_ns {
            self.quartile_ns -= 3 * step;
        } else {
            self.quartile_ns += step + 1;
        }
    }

    /// Forgets the fastest of the period before the last.
    pub fn begin_period(&mut self) {
        self.fastest = [u64::MAX, self.fastest[0]];
    }

    /// How much longer than the fastest all but a quarter take: the time for which they queue.
    ///
    /// The quartile and not the mean: where many wait for a lock, the few that hold it get their
    /// answers fast, and they must not be late. Where answers take long and all alike, a disk or the
    /// network is what they wait for, and the time of each counts.
    fn queueing_ns(self) -> u64 {
        let [now, before] = self.fastest;
        self.quartile_ns.saturating_sub(now.min(before))
    }
}

/// How long a nap may be where answers queue for so long.
fn longest_nap_ns(queueing_ns: u64) -> u64 {
    let short = (queueing_ns / SHARE_FOR_SHORT).min(SHORT_NAP_NS);
    (queueing_ns / SHARE_OF_QUEUEING).clamp(short, LONGEST_NAP_NS)
}

/// Decides how long the naps are.
#[derive(Debug)]
pub(crate) struct Naps {
    since: Timestamp,
    answers: u64,
    /// How long a nap may be now; zero where the loop is better woken.
    length_ns: u64,
}

impl Naps {
    /// None until the rate of answers is known.
    pub fn new(now: Timestamp) -> Self {
        Self { since: now, answers: 0, length_ns: 0 }
    }

    /// Counts what a turn found; true when a period is over, and the length is to be decided anew.
    #[inline]
    pub fn count(&mut self, answers: usize, now: Timestamp) -> bool {
        self.answers += answers as u64;
        now.since(self.since) >= PERIOD_NS
    }

    /// Decides how long naps of so many clients are in the period that begins: in each, at least one
    /// more answer is to be expected.
    #[cold]
    pub fn decide(&mut self, times: AnswerTimes, clients: usize, now: Timestamp) {
        let gap_ns = now.since(self.since).checked_div(self.answers).unwrap_or(u64::MAX);
        let share_ns = gap_ns.saturating_mul(clients as u64) / SHARE_OF_CLIENTS;
        let length_ns = longest_nap_ns(times.queueing_ns()).min(share_ns);
        let pays = length_ns >= gap_ns.max(SHORTEST_NAP_NS);
        self.length_ns = if pays { length_ns } else { 0 };
        self.answers = 0;
        self.since = now;
    }

    /// How long a nap may be now; None where the loop is better woken.
    #[inline]
    pub fn length(&self) -> Option<Duration> {
        (self.length_ns > 0).then(|| Duration::from_nanos(self.length_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERS: u64 = 20_000;

    /// The nap of 64 clients that got so many answers a second, whose times come round and round.
    fn nap_us(answers_per_s: u64, times_us: &[u64]) -> Option<u64> {
        nap_of_us(64, answers_per_s, times_us)
    }

    fn nap_of_us(clients: usize, answers_per_s: u64, times_us: &[u64]) -> Option<u64> {
        let start = Timestamp(1);
        let (mut naps, mut times) = (Naps::new(start), AnswerTimes::default());
        for index in 0..ANSWERS {
            let kind = usize::try_from(index).unwrap() % times_us.len();
            times.record(times_us[kind] * 1000);
        }
        let elapsed = Duration::from_nanos(1_000_000_000 / answers_per_s * ANSWERS);
        assert!(naps.count(usize::try_from(ANSWERS).unwrap(), start + elapsed));
        naps.decide(times, clients, start + elapsed);
        naps.length().map(|nap| u64::try_from(nap.as_micros()).unwrap())
    }

    #[test]
    fn answers_that_queue_in_a_busy_server_are_taken_together() {
        let queued: Vec<u64> = (1..=20).map(|share| 120 * share).collect();
        let queued_longer: Vec<u64> = queued.iter().map(|time| 3 * time).collect();
        // A quarter takes up to 600 µs, the fastest 120.
        let nap = nap_us(40_000, &queued).unwrap();
        assert!((70..=90).contains(&nap), "{nap} µs");
        let nap = nap_us(40_000, &queued_longer).unwrap();
        assert!((100..=140).contains(&nap), "{nap} µs");
    }

    #[test]
    fn few_clients_of_a_fast_server_are_taken_one_by_one() {
        // As eight clients with point selects find a server that has one CPU.
        let times = [40, 160, 190, 220, 230, 240, 250, 260];
        assert_eq!(nap_of_us(8, 33_000, &times), None, "it would be an eighth of them");
        assert_eq!(nap_of_us(8, 12_000, &times), None, "nothing would come in so short a nap");
        assert_eq!(nap_of_us(3, 33_000, &times), None, "it would be most of what the server has");
        let twice: Vec<u64> = times.iter().map(|time| 2 * time).collect();
        let nap = nap_of_us(16, 33_000, &twice).unwrap();
        assert!((45..=50).contains(&nap), "{nap} µs");
    }

    #[test]
    fn answers_that_all_take_as_long_are_waited_for_one_by_one() {
        assert_eq!(nap_us(12_000, &[5000, 5100, 5200, 5300]), None);
    }

    #[test]
    fn whoever_holds_the_lock_for_which_others_wait_is_never_late() {
        assert_eq!(nap_us(13_000, &[75, 75, 75, 4800]), None);
        assert_eq!(nap_us(13_000, &[75, 4800, 4800]), None);
    }

    #[test]
    fn a_nap_in_which_nothing_would_come_is_not_taken() {
        let queued: Vec<u64> = (1..=20).map(|share| 500 * share).collect();
        assert!(nap_us(20_000, &queued).is_some());
        assert_eq!(nap_us(3000, &queued), None);
    }

    #[test]
    fn no_nap_is_longer_than_the_longest() {
        let queued: Vec<u64> = (1..=20).map(|share| 10_000 * share).collect();
        assert_eq!(nap_us(10_000, &queued), Some(LONGEST_NAP_NS / 1000));
    }

    #[test]
    fn a_loop_that_knows_no_rate_takes_none() {
        let mut times = AnswerTimes::default();
        (0..ANSWERS).for_each(|index| times.record(1000 * (1 + index % 5000)));
        let mut naps = Naps::new(Timestamp(1));
        assert_eq!(naps.length(), None);
        naps.decide(times, 64, Timestamp(1) + Duration::from_millis(100));
        assert_eq!(naps.length(), None, "no answer has come");
    }

    #[test]
    fn the_fastest_answer_is_forgotten_after_two_periods() {
        let mut times = AnswerTimes::default();
        times.record(1_000);
        for _ in 0..2 {
            times.begin_period();
            (0..ANSWERS).for_each(|_| times.record(5_000_000));
        }
        // What is left of the difference is the step in which the quartile is followed.
        assert!(times.queueing_ns() < 200_000, "{times:?}");
    }
}
