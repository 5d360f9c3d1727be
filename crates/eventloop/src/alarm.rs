//! Ends a wait at a precise time: epoll itself counts in milliseconds, too rough for arrivals.
//!
//! The system call that waits in nanoseconds is unknown to older kernels and to valgrind. A timer
//! that is a file is not, and costs a system call only where there is something to be on time for.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::clock::Timestamp;

/// No task has this number.
const TOKEN: u64 = u64::MAX;

/// A timer in an epoll set.
pub(crate) struct Alarm {
    timer: OwnedFd,
    set_to: Option<Timestamp>,
}

impl Alarm {
    /// Adds an alarm to a set.
    pub fn new(epoll: &OwnedFd) -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(epoll, &timer, epoll::EventData::new_u64(TOKEN), epoll::EventFlags::IN)?;
        Ok(Self { timer, set_to: None })
    }

    /// Sets it, or takes it back. An alarm that has gone off is silent again once it is set anew.
    #[inline]
    pub fn set(&mut self, time: Option<Timestamp>) -> io::Result<()> {
        if self.set_to == time {
            return Ok(());
        }
        self.set_to = time;
        // A zero would take the alarm back; the first nanosecond is as long past.
        let nanoseconds = time.map_or(0, |time| time.0.max(1));
        let it_value = Timespec {
            tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
            tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
        };
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let setting = Itimerspec { it_interval, it_value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &setting)?;
        Ok(())
    }
}
