//! When an answer arrived: as the kernel tells it, within what can be.

use std::time::Duration;

use eventloop::Timestamp;

use super::Stream;

impl Stream {
    /// Notes when the last of what was read arrived, by the wall clock where the kernel told.
    #[inline]
    pub(super) fn stamp(&mut self, wall_ns: Option<u64>) {
        let turn_time = self.handle.turn_time();
        let Some(wall_ns) = wall_ns else {
            // What was read in this turn had arrived when the turn began, or nearly so.
            self.arrived_at = turn_time.max(self.sent_at);
            return;
        };
        let told = self.handle.wall_offset().monotonic(wall_ns);
        let now = if told > turn_time { Timestamp::now() } else { turn_time };
        let (arrived_at, is_clamped) = between(self.sent_at, told, now);
        self.arrived_at = arrived_at;
        if is_clamped {
            self.handle.count_clock_clamp();
        }
    }
}

/// The two clocks are compared once a turn, and read one after the other.
const CLOCK_PRECISION: Duration = Duration::from_micros(1);

/// A step of the wall clock must not move an answer before its question, nor into the future. Gives
/// the time, and whether it was told as another.
#[inline]
fn between(sent_at: Timestamp, told: Timestamp, now: Timestamp) -> (Timestamp, bool) {
    let is_clamped = told + CLOCK_PRECISION < sent_at || told > now + CLOCK_PRECISION;
    (told.min(now).max(sent_at), is_clamped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_a_step_of_the_clock_has_moved_is_clamped_and_told() {
        let [sent_at, now] = [1_000_000, 2_000_000].map(Timestamp);
        for (told, arrived_at, is_clamped) in [
            (1_500_000, 1_500_000, false),
            // What the clocks' precision explains is no step.
            (999_500, 1_000_000, false),
            (2_000_500, 2_000_000, false),
            (400_000, 1_000_000, true),
            (9_000_000, 2_000_000, true),
        ] {
            assert_eq!(between(sent_at, Timestamp(told), now), (Timestamp(arrived_at), is_clamped));
        }
    }
}
