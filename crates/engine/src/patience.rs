//! How long the coordinator waits for its workers. Each of their waits has a limit of its own; these
//! are for the day on which one has none.

use std::time::Duration;

use contract::{Driver, Workload};
use eventloop::Timestamp;

use crate::context::Shared;
use crate::options::Options;

/// What a worker may take beyond its limits: it looks at the time ten times a second, but must first
/// get a CPU.
pub(crate) const MARGIN: Duration = Duration::from_secs(30);

/// A longer gap between two looks is no waiting: the generator was stopped, or the machine was asleep,
/// and the workers with it.
const LONGEST_GAP: Duration = Duration::from_secs(2);

/// From one client's being ready to the next one's: it connects, prepares each of its statements, and
/// asks what it runs with.
pub(crate) fn connect_limit<D: Driver, W: Workload>(shared: &Shared<D, W>) -> Duration {
    let steps = shared.workload.statements(shared.driver.dialect()).len() + 2;
    let limits = shared.options.limits;
    limits.connect.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX)).saturating_add(MARGIN)
}

/// From the signal to the last worker's end. A statement that blocks its thread may begin at the end
/// of the drain.
pub(crate) fn load_limit(options: &Options) -> Duration {
    let limits = options.limits;
    [options.warmup, options.duration, limits.drain, limits.statement, limits.connect]
        .into_iter()
        .fold(MARGIN, Duration::saturating_add)
}

/// What is left of the time in which something must happen.
pub(crate) struct Patience {
    left: Duration,
    last_look: Timestamp,
}

impl Patience {
    pub fn new(limit: Duration, now: Timestamp) -> Self {
        Self { left: limit, last_look: now }
    }

    /// Whether nothing is left.
    pub fn is_over(&mut self, now: Timestamp) -> bool {
        let gap = Duration::from_nanos(now.since(self.last_look));
        self.last_look = now;
        self.left = self.left.saturating_sub(gap.min(LONGEST_GAP));
        self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_in_time_and_outlasts_a_pause_of_the_generator() {
        let at = |seconds: u64| Timestamp(seconds * 1_000_000_000);
        let mut patience = Patience::new(Duration::from_secs(10), at(0));
        assert!((1..10).all(|second| !patience.is_over(at(second))));
        assert!(patience.is_over(at(10)));
        let mut paused = Patience::new(Duration::from_secs(10), at(0));
        assert!(!paused.is_over(at(3600)), "a pause of an hour is none of the workers' doing");
    }
}
