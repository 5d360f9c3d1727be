//! What ends a wait besides sockets: a beat ten times a second, and an alarm at a precise time.
//!
//! Both are timers that are files, in the same set as the sockets, so that a wait itself has no time
//! limit. A limit would be set and taken back at every wait, which costs a virtual machine more than
//! a statement's own code; epoll also counts it in milliseconds, too rough for arrivals, and the
//! system call that counts in nanoseconds is unknown to older kernels and to valgrind.

use std::cell::Cell;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::epoll;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::clock::Timestamp;

/// No task has these numbers.
pub(crate) const ALARM: u64 = u64::MAX;
pub(crate) const BEAT: u64 = u64::MAX - 1;

/// How often deadlines are looked at, and the longest that the loop ever sleeps: its owner may rely
/// on getting a turn at least this often.
pub const SWEEP_PERIOD: Duration = Duration::from_millis(100);

fn add_timer(epoll: &OwnedFd, token: u64) -> io::Result<OwnedFd> {
    let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
    let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
    epoll::add(epoll, &timer, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?;
    Ok(timer)
}

fn timespec(nanoseconds: u64) -> Timespec {
    Timespec {
        tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
        tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
    }
}

/// A timer that goes off again and again.
pub(crate) struct Beat(OwnedFd);

impl Beat {
    /// Adds a beat to a set.
    pub fn new(epoll: &OwnedFd, period: Duration) -> io::Result<Self> {
        let timer = add_timer(epoll, BEAT)?;
        let nanoseconds = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
        let setting =
            Itimerspec { it_interval: timespec(nanoseconds), it_value: timespec(nanoseconds) };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &setting)?;
        Ok(Self(timer))
    }

    /// Makes it silent until the next time. Nothing happens where it has not gone off.
    pub fn acknowledge(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// A timer that goes off once, when it is set to.
pub(crate) struct Alarm {
    timer: OwnedFd,
    set_to: Cell<Option<Timestamp>>,
}

impl Alarm {
    /// Adds an alarm to a set.
    pub fn new(epoll: &OwnedFd) -> io::Result<Self> {
        let timer = add_timer(epoll, ALARM)?;
        Ok(Self { timer, set_to: Cell::new(None) })
    }

    /// Sets it, or takes it back. An alarm that has gone off is silent again once it is set anew.
    #[inline]
    pub fn set(&self, time: Option<Timestamp>) -> io::Result<()> {
        if self.set_to.get() == time {
            return Ok(());
        }
        self.set_to.set(time);
        // A zero would take the alarm back; the first nanosecond is as long past.
        let nanoseconds = time.map_or(0, |time| time.0.max(1));
        let setting = Itimerspec { it_interval: timespec(0), it_value: timespec(nanoseconds) };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &setting)?;
        Ok(())
    }
}
