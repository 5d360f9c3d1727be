//! The clock that everything is measured with: nanoseconds of `CLOCK_MONOTONIC`.

use std::ops::{Add, Sub};
use std::time::Duration;

use libc::{CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_THREAD_CPUTIME_ID, clockid_t};

/// An instant on the monotonic clock, in nanoseconds since the machine's arbitrary origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// Through libc: rustix reads clocks in a way that crashes under valgrind, with which instructions
/// are counted.
#[inline]
fn read(clock: clockid_t) -> u64 {
    #[cfg(feature = "simulation")]
    if let Some(time) = crate::simulation::read(clock) {
        return time;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is that of `time`, which outlives the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.unsigned_abs() * NANOSECONDS_PER_SECOND + time.tv_nsec.unsigned_abs()
}

/// Keeps the calling thread from going on for so long.
pub(crate) fn sleep(duration: Duration) {
    #[cfg(feature = "simulation")]
    if crate::simulation::sleep(duration) {
        return;
    }
    std::thread::sleep(duration);
}

/// How long the calling thread has had a CPU.
pub fn thread_cpu_time() -> Duration {
    Duration::from_nanos(read(CLOCK_THREAD_CPUTIME_ID))
}

impl Timestamp {
    /// Reads the clock (about 20 ns through the vDSO).
    #[inline]
    pub fn now() -> Self {
        Self(read(CLOCK_MONOTONIC))
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

/// As many as there can be, where there are more; in 64 bits all the way, for this is done at every
/// statement.
#[inline]
fn nanoseconds(duration: Duration) -> u64 {
    let whole = duration.as_secs().saturating_mul(NANOSECONDS_PER_SECOND);
    whole.saturating_add(u64::from(duration.subsec_nanos()))
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    #[inline]
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanoseconds(duration)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    #[inline]
    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(nanoseconds(duration)))
    }
}

/// From turn to turn the offset between the clocks changes by less: time servers slew the wall clock
/// by far less than that in a tenth of a second, but for those that correct a large error.
const STEADY_NS: u64 = 1000;

/// So often no thread is interrupted.
const CAREFUL_READINGS: usize = 5;

/// Carries times of the wall clock, in which the kernel stamps packets, over to the monotonic clock.
///
/// The offset is taken anew at every turn of a loop, so that a step of the wall clock spoils at most
/// the answers of one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallOffset(u64);

impl WallOffset {
    /// Measures the offset between the two clocks again, given a fresh reading of the monotonic one.
    ///
    /// A thread that has to wait for its CPU between the two readings finds an offset that is too
    /// large by its wait, and would take answers for older than they are. So an offset that is not
    /// where it was is measured with care.
    #[inline]
    #[must_use]
    pub fn renewed(self, now: Timestamp) -> Self {
        let offset = read(CLOCK_REALTIME).wrapping_sub(now.0);
        if offset.wrapping_sub(self.0).cast_signed().unsigned_abs() <= STEADY_NS {
            Self(offset)
        } else {
            Self::with_care()
        }
    }

    /// Measures some times, each between two readings of the monotonic clock, and takes the one in
    /// which these lie closest together.
    #[cold]
    fn with_care() -> Self {
        let measure = || {
            let before = read(CLOCK_MONOTONIC);
            let wall = read(CLOCK_REALTIME);
            let gap = read(CLOCK_MONOTONIC) - before;
            (gap, wall.wrapping_sub(before))
        };
        let best = (0..CAREFUL_READINGS).map(|_| measure()).min_by_key(|(gap, _)| *gap);
        Self(best.map_or(0, |(_, offset)| offset))
    }

    /// The monotonic time of a wall-clock time in nanoseconds since 1970.
    #[inline]
    #[must_use]
    pub fn monotonic(self, wall_ns: u64) -> Timestamp {
        Timestamp(wall_ns.wrapping_sub(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far from the present the wall clock's present lies, by an offset.
    fn error_ns(offset: WallOffset) -> u64 {
        let before = Timestamp::now();
        let seen = offset.monotonic(read(CLOCK_REALTIME));
        seen.0.abs_diff(before.0)
    }

    /// The smallest of some: a test is interrupted, too.
    fn least_error_ns(offset: impl Fn() -> WallOffset) -> u64 {
        (0..100).map(|_| error_ns(offset())).min().unwrap()
    }

    #[test]
    fn an_offset_holds_from_the_first_reading_on() {
        let error_ns = least_error_ns(|| WallOffset::default().renewed(Timestamp::now()));
        assert!(error_ns < 20_000, "{error_ns} ns");
    }

    #[test]
    fn a_wait_between_the_two_readings_does_no_harm() {
        let steady = WallOffset::default().renewed(Timestamp::now());
        let interrupted = || steady.renewed(Timestamp::now() - Duration::from_millis(5));
        let error_ns = least_error_ns(interrupted);
        assert!(error_ns < 20_000, "{error_ns} ns");
    }
}
