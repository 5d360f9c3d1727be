//! The clock that everything is measured with: nanoseconds of `CLOCK_MONOTONIC`.

use std::ops::{Add, Sub};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// An instant on the monotonic clock, in nanoseconds since the machine's arbitrary origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec.unsigned_abs() * NANOSECONDS_PER_SECOND + time.tv_nsec.unsigned_abs()
}

impl Timestamp {
    /// Reads the clock (about 20 ns through the vDSO).
    #[inline]
    pub fn now() -> Self {
        Self(read(ClockId::Monotonic))
    }

    /// Nanoseconds from `earlier` to here; zero where `earlier` is in fact later.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Seconds from `origin` to here, negative before it.
    #[must_use]
    pub fn seconds_from(self, origin: Self) -> f64 {
        if self >= origin {
            self.since(origin) as f64 / 1e9
        } else {
            -(origin.since(self) as f64 / 1e9)
        }
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanoseconds))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_sub(nanoseconds))
    }
}

/// Carries times of the wall clock, in which the kernel stamps packets, over to the monotonic clock.
///
/// The offset is taken anew at every turn of a loop, so that a step of the wall clock spoils at most
/// the answers of one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallOffset(u64);

impl WallOffset {
    /// Measures the offset between the two clocks, given a fresh reading of the monotonic one.
    #[inline]
    pub fn measure(now: Timestamp) -> Self {
        Self(read(ClockId::Realtime).wrapping_sub(now.0))
    }

    /// The monotonic time of a wall-clock time in nanoseconds since 1970.
    #[inline]
    #[must_use]
    pub fn monotonic(self, wall_ns: u64) -> Timestamp {
        Timestamp(wall_ns.wrapping_sub(self.0))
    }
}
