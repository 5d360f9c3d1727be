//! When an open loop's transactions are scheduled, and of which kind they are: a function of the seed
//! alone.

use eventloop::Timestamp;
use random::{Purpose, Stream};

use crate::options::{self, Options};
use crate::share::Turns;
use crate::timeline::Timeline;

/// A scheduled transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrival {
    pub time: Timestamp,
    pub kind: usize,
}

/// Chooses the kind of one arrival after another.
pub(crate) type Chooser = Box<dyn FnMut() -> usize + Send>;

/// The arrivals of a whole trial, in order, from the start of the load to the end of the window, or
/// those of one share of it. It can be made as often as it is wanted, and is the same each time.
pub(crate) struct Schedule {
    next_ns: f64,
    gap_ns: f64,
    random: Option<Stream>,
    chooser: Chooser,
    timeline: Timeline,
    turns: Turns,
    /// How many there may still be in the window, of all shares; the warm-up is not counted.
    allowance: u64,
}

impl Schedule {
    /// The arrivals of a share; None for a closed loop.
    pub fn new(options: &Options, chooser: Chooser, timeline: Timeline) -> Option<Self> {
        let (rate_per_s, random) = match options.arrivals {
            options::Arrivals::Closed => return None,
            options::Arrivals::Constant { rate_per_s } => (rate_per_s, None),
            options::Arrivals::Poisson { rate_per_s } => {
                (rate_per_s, Some(Stream::new(options.seed, Purpose::Arrivals, 0)))
            }
        };
        let (gap_ns, allowance) = (1e9 / rate_per_s, options.transactions.unwrap_or(u64::MAX));
        let turns = options.share.turns();
        let mut schedule =
            Self { next_ns: 0.0, gap_ns, random, chooser, timeline, turns, allowance };
        if schedule.random.is_some() {
            schedule.advance();
        }
        schedule.skip_others();
        Some(schedule)
    }

    /// When the next one arrives; None when there are no more.
    pub fn peek(&self) -> Option<Timestamp> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let offset_ns = self.next_ns as u64;
        let next = Timestamp(self.timeline.go.0.saturating_add(offset_ns));
        (next < self.timeline.window_end && !(self.is_counted(next) && self.allowance == 0))
            .then_some(next)
    }

    /// Takes the next one, if it arrives before `time`.
    pub fn pop_before(&mut self, time: Timestamp) -> Option<Arrival> {
        let next = self.peek().filter(|next| *next < time)?;
        let arrival = self.take(next);
        self.skip_others();
        Some(arrival)
    }

    /// Goes on to the next arrival of this share. Those of others are drawn as well, so that it is
    /// the same schedule for all.
    fn skip_others(&mut self) {
        while !self.turns.is_next()
            && let Some(next) = self.peek()
        {
            self.take(next);
        }
    }

    fn take(&mut self, time: Timestamp) -> Arrival {
        self.allowance -= u64::from(self.is_counted(time));
        self.advance();
        self.turns.advance();
        Arrival { time, kind: (self.chooser)() }
    }

    /// Whether there are no more because so many were allowed, and not because of the window's end.
    pub fn is_exhausted(&self) -> bool {
        self.allowance == 0
    }

    fn is_counted(&self, time: Timestamp) -> bool {
        time >= self.timeline.window_start
    }

    fn advance(&mut self) {
        self.next_ns += match &mut self.random {
            Some(stream) => stream.exponential(self.gap_ns),
            None => self.gap_ns,
        };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::options::tests::options;
    use crate::share::Share;
    use crate::share::tests::{DIVISIONS, shares};

    const SECOND: u64 = 1_000_000_000;

    /// The arrivals of ten seconds, of which the first is warm-up; kinds take turns.
    pub fn schedule(options: &Options) -> Schedule {
        let mut kind = 0;
        let chooser = Box::new(move || {
            kind = 1 - kind;
            kind
        });
        let second = Duration::from_secs(1);
        let timeline = Timeline::new(Timestamp(5 * SECOND), second, second * 9, second);
        Schedule::new(options, chooser, timeline).unwrap()
    }

    fn arrivals_in_a_second(arrivals: options::Arrivals, seed: u64) -> Vec<u64> {
        let mut schedule = schedule(&Options { arrivals, seed, ..options() });
        std::iter::from_fn(|| schedule.pop_before(Timestamp(6 * SECOND)))
            .map(|arrival| arrival.time.0 - 5 * SECOND)
            .collect()
    }

    #[test]
    fn a_constant_rate_is_equally_spaced() {
        let arrivals = options::Arrivals::Constant { rate_per_s: 1000.0 };
        let expected: Vec<u64> = (0..1000).map(|k| k * 1_000_000).collect();
        assert_eq!(arrivals_in_a_second(arrivals, 1), expected);
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process() {
        let arrivals = options::Arrivals::Poisson { rate_per_s: 1000.0 };
        let counts: Vec<f64> =
            (0..400).map(|seed| arrivals_in_a_second(arrivals, seed).len() as f64).collect();
        let mean = counts.iter().sum::<f64>() / 400.0;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 399.0;
        // Standard errors: sqrt(1000/400) = 1.6 for the mean, 1000·sqrt(2/399) = 71 for the variance.
        assert!((mean - 1000.0).abs() < 8.0, "mean {mean}");
        assert!((variance - 1000.0).abs() < 350.0, "variance {variance}");
    }

    #[test]
    fn a_seed_gives_the_same_arrivals_again() {
        let arrivals = options::Arrivals::Poisson { rate_per_s: 100.0 };
        assert_eq!(arrivals_in_a_second(arrivals, 9), arrivals_in_a_second(arrivals, 9));
        assert_ne!(arrivals_in_a_second(arrivals, 9), arrivals_in_a_second(arrivals, 10));
    }

    #[test]
    fn the_arrivals_of_all_shares_are_those_of_one_generator() {
        let arrivals = [
            options::Arrivals::Constant { rate_per_s: 97.0 },
            options::Arrivals::Poisson { rate_per_s: 97.0 },
        ];
        for (arrivals, transactions) in
            arrivals.into_iter().flat_map(|a| [(a, None), (a, Some(41))])
        {
            let all = |share| {
                let options = Options { share, arrivals, transactions, ..options() };
                let mut schedule = schedule(&options);
                std::iter::from_fn(move || schedule.pop_before(Timestamp(u64::MAX)))
            };
            let expected: Vec<Arrival> = all(Share::WHOLE).collect();
            for ends in DIVISIONS {
                let mut merged: Vec<Arrival> = shares(ends).into_iter().flat_map(all).collect();
                merged.sort_unstable();
                assert_eq!(merged, expected, "{arrivals:?}, {ends:?}");
            }
        }
    }

    #[test]
    fn it_ends_with_the_window_or_with_what_is_allowed_in_it() {
        let arrivals = options::Arrivals::Constant { rate_per_s: 10.0 };
        for (transactions, expected) in [(None, 100), (Some(7), 17)] {
            let mut schedule = schedule(&Options { arrivals, transactions, ..options() });
            let all = std::iter::from_fn(|| schedule.pop_before(Timestamp(u64::MAX)));
            assert_eq!(all.count(), expected);
            assert_eq!(schedule.peek(), None);
        }
    }
}
