//! When an open loop's transactions are scheduled: a function of the seed and the worker alone.

use eventloop::Timestamp;
use random::{Purpose, Stream};

use crate::options::Arrivals;

/// One worker's share of the schedule, an endless sequence of instants.
///
/// A constant rate is dealt out like cards: worker `w` of `n` has arrivals `w`, `w + n`, `w + 2n` …
/// of the whole schedule. A Poisson process is split into independent ones of an `n`-th of the rate,
/// which together are the whole again.
pub(crate) struct Schedule {
    next_ns: f64,
    gap_ns: f64,
    random: Option<Stream>,
    origin: Timestamp,
}

impl Schedule {
    /// The share of `worker` among `workers` from `origin` on; None for a closed loop.
    pub fn new(
        arrivals: Arrivals,
        seed: u64,
        worker: usize,
        workers: usize,
        origin: Timestamp,
    ) -> Option<Self> {
        let (rate_per_s, poisson) = match arrivals {
            Arrivals::Closed => return None,
            Arrivals::Constant { rate_per_s } => (rate_per_s, false),
            Arrivals::Poisson { rate_per_s } => (rate_per_s, true),
        };
        let gap_ns = workers as f64 * 1e9 / rate_per_s;
        let mut schedule = if poisson {
            let random = Stream::new(seed, Purpose::Arrivals, worker as u64);
            Self { next_ns: 0.0, gap_ns, random: Some(random), origin }
        } else {
            let next_ns = worker as f64 * 1e9 / rate_per_s;
            Self { next_ns, gap_ns, random: None, origin }
        };
        if poisson {
            schedule.advance();
        }
        Some(schedule)
    }

    /// The next instant, which [`pop`](Self::pop) will take.
    pub fn peek(&self) -> Timestamp {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let offset_ns = self.next_ns as u64;
        Timestamp(self.origin.0.saturating_add(offset_ns))
    }

    /// Takes the next instant if it is before `time`.
    pub fn pop_before(&mut self, time: Timestamp) -> Option<Timestamp> {
        let next = self.peek();
        (next < time).then(|| {
            self.advance();
            next
        })
    }

    fn advance(&mut self) {
        self.next_ns += match &mut self.random {
            Some(stream) => stream.exponential(self.gap_ns),
            None => self.gap_ns,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn arrivals_in_a_second(arrivals: Arrivals, workers: usize, seed: u64) -> Vec<u64> {
        let mut all = Vec::new();
        for worker in 0..workers {
            let mut schedule =
                Schedule::new(arrivals, seed, worker, workers, Timestamp(5 * SECOND)).unwrap();
            while let Some(time) = schedule.pop_before(Timestamp(6 * SECOND)) {
                all.push(time.0 - 5 * SECOND);
            }
        }
        all.sort_unstable();
        all
    }

    #[test]
    fn a_constant_rate_is_the_same_schedule_for_any_number_of_workers() {
        let arrivals = Arrivals::Constant { rate_per_s: 1000.0 };
        let expected: Vec<u64> = (0..1000).map(|k| k * 1_000_000).collect();
        for workers in [1, 2, 4, 5] {
            assert_eq!(arrivals_in_a_second(arrivals, workers, 1), expected);
        }
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process() {
        let arrivals = Arrivals::Poisson { rate_per_s: 1000.0 };
        let counts: Vec<f64> =
            (0..400).map(|seed| arrivals_in_a_second(arrivals, 3, seed).len() as f64).collect();
        let mean = counts.iter().sum::<f64>() / 400.0;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 399.0;
        // Standard errors: sqrt(1000/400) = 1.6 for the mean, 1000·sqrt(2/399) = 71 for the variance.
        assert!((mean - 1000.0).abs() < 8.0, "mean {mean}");
        assert!((variance - 1000.0).abs() < 350.0, "variance {variance}");
    }

    #[test]
    fn a_seed_gives_the_same_arrivals_again() {
        let arrivals = Arrivals::Poisson { rate_per_s: 100.0 };
        assert_eq!(arrivals_in_a_second(arrivals, 2, 9), arrivals_in_a_second(arrivals, 2, 9));
        assert_ne!(arrivals_in_a_second(arrivals, 2, 9), arrivals_in_a_second(arrivals, 2, 10));
    }
}
