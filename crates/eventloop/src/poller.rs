//! What the kernel does for a loop: it waits for sockets and for the time.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::time::Timespec;

use crate::alarm::{Alarm, Beat};
use crate::clock::Timestamp;
use crate::handle::TaskId;

/// Which of the two a loop runs on is decided when it is compiled, unless a simulation may be
/// asked for.
#[cfg(feature = "simulation")]
pub(crate) use crate::simulation::Poller;
#[cfg(not(feature = "simulation"))]
pub(crate) use Epoll as Poller;

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// A set of sockets with a beat and an alarm. The token of an event is the task to poll.
pub(crate) struct Epoll {
    set: OwnedFd,
    alarm: Alarm,
    beat: Beat,
}

impl Epoll {
    /// Fails only where the kernel has no more of what it is made of.
    pub fn new(beat_period: Duration) -> io::Result<Self> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let alarm = Alarm::new(&set)?;
        let beat = Beat::new(&set, beat_period)?;
        Ok(Self { set, alarm, beat })
    }

    /// Adds a task's socket.
    pub fn add(&self, socket: BorrowedFd<'_>, task: TaskId) -> io::Result<()> {
        let token = epoll::EventData::new_u64(task as u64);
        Ok(epoll::add(&self.set, socket, token, epoll::EventFlags::IN)?)
    }

    /// Changes what is told of a task's socket.
    pub fn modify<S: AsFd>(
        &self,
        socket: S,
        task: TaskId,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        let token = epoll::EventData::new_u64(task as u64);
        Ok(epoll::modify(&self.set, socket, token, flags)?)
    }

    /// The same for a socket that is known by its number.
    pub fn modify_raw(&self, socket: RawFd, task: TaskId, flags: epoll::EventFlags) {
        // SAFETY: the number is that of a socket whose registration lives, and with it the socket:
        // `Registration` takes the number back when it is dropped.
        let socket = unsafe { BorrowedFd::borrow_raw(socket) };
        // A socket that is no longer in the set has nothing to tell.
        let _ = self.modify(socket, task, flags);
    }

    /// Says when a wait must end, at the latest by the next beat.
    #[inline]
    pub fn set_alarm(&self, time: Option<Timestamp>) -> io::Result<()> {
        self.alarm.set(time)
    }

    /// Makes the beat silent until the next time.
    pub fn acknowledge_beat(&self) {
        self.beat.acknowledge();
    }

    /// Waits until something is ready, or looks only. What was found before is replaced.
    #[inline]
    pub fn wait(&self, events: &mut Vec<epoll::Event>, at_once: bool) -> io::Result<()> {
        events.clear();
        let buffer = rustix::buffer::spare_capacity(events);
        match epoll::wait(&self.set, buffer, at_once.then_some(&AT_ONCE)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
