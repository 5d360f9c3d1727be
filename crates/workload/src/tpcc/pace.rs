//! How long a terminal's user thinks and types: TPC-C, clauses 5.2.5.2 to 5.2.5.7.

use std::time::Duration;

use contract::{Due, Timestamp};
use random::{Purpose, Stream};

use super::choices::Pacing;
use super::mix::Kind;

/// The keying time of each kind, in seconds: it is always the same.
const KEYING_S: [f64; 5] = [18.0, 3.0, 2.0, 2.0, 2.0];

/// The mean think time after each kind, in seconds; it is exponentially distributed.
const THINK_S: [f64; 5] = [12.0, 12.0, 10.0, 5.0, 5.0];

/// A think time may be cut at so many times its mean (clause 5.2.5.4).
const LONGEST_THINK: f64 = 10.0;

/// The waits of one terminal.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    pacing: Pacing,
    /// Not the terminal's own stream: with and without waits, inputs are the same.
    stream: Stream,
    /// The kind that was carried out last, and when its user saw the answer, where that is not when
    /// the last transaction was done with.
    last: Option<(Kind, Option<Timestamp>)>,
}

impl Pace {
    pub fn new(pacing: Pacing, seed: u64, index: u64) -> Self {
        Self { pacing, stream: Stream::new(seed, Purpose::Pace, index), last: None }
    }

    /// When the next transaction is due, of this kind, the one before being done with now: its user
    /// thinks about the last answer, then types.
    pub fn due(&mut self, kind: Kind, now: Timestamp) -> Due {
        if !self.pacing.waits() {
            return Due::Now;
        }
        // At the start everybody has just seen something, so that not all type at the same time.
        let (last, seen) = self.last.replace((kind, None)).unwrap_or((Kind::NewOrder, None));
        let mean_s = THINK_S[last as usize] * self.pacing.think;
        let think_s = self.stream.exponential(mean_s).min(mean_s * LONGEST_THINK);
        let wait_s = think_s + KEYING_S[kind as usize] * self.pacing.keying;
        let passed_ns = seen.map_or(0, |seen| now.since(seen));
        let wait = Duration::from_secs_f64(wait_s);
        Due::In(wait.saturating_sub(Duration::from_nanos(passed_ns)))
    }

    /// What comes now is done while the user thinks about what he has just seen.
    pub fn works_while_thinking(&mut self, now: Timestamp) {
        if let Some((_, seen)) = &mut self.last {
            seen.get_or_insert(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits_s(pace: &mut Pace, kind: Kind, draws: usize) -> Vec<f64> {
        let now = Timestamp::now();
        let wait = |pace: &mut Pace| match pace.due(kind, now) {
            Due::In(wait) => wait.as_secs_f64(),
            other => panic!("{other:?}"),
        };
        wait(pace);
        (0..draws).map(|_| wait(pace)).collect()
    }

    #[test]
    fn keying_is_constant_and_thinking_exponential() {
        for (kind, keying_s, think_s) in
            [(Kind::NewOrder, 18.0, 12.0), (Kind::Payment, 3.0, 12.0), (Kind::StockLevel, 2.0, 5.0)]
        {
            let mut pace = Pace::new(Pacing { keying: 1.0, think: 1.0 }, 1, 0);
            let waits = waits_s(&mut pace, kind, 20_000);
            let mean = waits.iter().sum::<f64>() / 20_000.0;
            // Four standard errors of a mean whose deviation is itself.
            assert!((mean - keying_s - think_s).abs() < 4.0 * think_s / 141.4, "{kind:?} {mean}");
            assert!(waits.iter().all(|wait| (keying_s..=keying_s + 120.0).contains(wait)));
        }
    }

    #[test]
    fn multiples_shorten_both_and_none_is_at_once() {
        let mut pace = Pace::new(Pacing { keying: 0.5, think: 0.0 }, 1, 0);
        let nine_s = Due::In(Duration::from_secs(9));
        assert_eq!(pace.due(Kind::NewOrder, Timestamp::now()), nine_s);
        assert_eq!(pace.due(Kind::NewOrder, Timestamp::now()), nine_s);
        let mut pace = Pace::new(Pacing::default(), 1, 0);
        assert_eq!(pace.due(Kind::NewOrder, Timestamp::now()), Due::Now);
    }

    #[test]
    fn what_is_done_while_thinking_takes_nothing_from_the_user() {
        let mut pace = Pace::new(Pacing { keying: 1.0, think: 0.0 }, 1, 0);
        let seen = Timestamp::now();
        pace.due(Kind::Delivery, seen);
        pace.works_while_thinking(seen);
        let later = seen + Duration::from_secs(1);
        assert_eq!(pace.due(Kind::NewOrder, later), Due::In(Duration::from_secs(17)));
        assert_eq!(pace.due(Kind::NewOrder, later), Due::In(Duration::from_secs(18)));
    }
}
