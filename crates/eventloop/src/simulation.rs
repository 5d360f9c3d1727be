//! A virtual clock, and sockets that become readable by it: what a loop is tested with.
//!
//! While a [`VirtualTime`] lives, its thread reads it in place of the kernel's clocks, and loops that
//! are made on the thread never wait: whoever turns them first moves the time to
//! [`EventLoop::next_event`](crate::EventLoop::next_event). All else in a loop is what it always is.

use std::cell::{Cell, RefCell};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::rc::{Rc, Weak};
use std::time::Duration;

use rustix::event::epoll;

use crate::alarm::{ALARM, BEAT};
use crate::clock::Timestamp;
use crate::handle::{Handle, TaskId};
use crate::poller::Epoll;

/// What it takes to read a clock. Without it time would stand still for a task that never waits.
const READING: Duration = Duration::from_nanos(20);

/// An odd number with which places are shuffled: the golden ratio's fraction in 64 bits.
const SHUFFLE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both clocks, in nanoseconds.
#[derive(Clone, Copy)]
struct Clocks {
    monotonic: u64,
    /// What the wall clock is ahead.
    wall_offset: u64,
    /// What the order of events grows from that are ready at the same time.
    seed: u64,
}

/// A virtual socket has no number: there is one a task.
const NO_NUMBER: RawFd = -1;

thread_local! {
    static CLOCKS: Cell<Option<Clocks>> = const { Cell::new(None) };
}

pub(crate) fn read(clock: libc::clockid_t) -> Option<u64> {
    let mut clocks = CLOCKS.get()?;
    clocks.monotonic += u64::try_from(READING.as_nanos()).unwrap_or(0);
    CLOCKS.set(Some(clocks));
    Some(match clock {
        libc::CLOCK_REALTIME => clocks.monotonic.wrapping_add(clocks.wall_offset),
        _ => clocks.monotonic,
    })
}

pub(crate) fn sleep(duration: Duration) -> bool {
    let Some(clocks) = CLOCKS.get() else { return false };
    let time = Timestamp(clocks.monotonic) + duration;
    CLOCKS.set(Some(Clocks { monotonic: time.0, ..clocks }));
    true
}

/// The calling thread's clock, as long as this lives.
pub struct VirtualTime {
    /// It is the thread's own.
    not_send: PhantomData<*const ()>,
}

impl VirtualTime {
    /// Begins a time of its own. The seed decides in which order those are told that are ready at the
    /// same time.
    ///
    /// # Panics
    ///
    /// Where the thread has one already.
    pub fn begin(seed: u64) -> Self {
        assert!(CLOCKS.get().is_none(), "a thread has one virtual time");
        let (monotonic, wall_offset) = (1_000_000_000_000, 1_700_000_000_000_000_000);
        CLOCKS.set(Some(Clocks { monotonic, wall_offset, seed }));
        Self { not_send: PhantomData }
    }

    /// Moves the time on; it never goes back.
    pub fn advance_to(&self, time: Timestamp) {
        change(|clocks| clocks.monotonic = clocks.monotonic.max(time.0));
    }

    /// Has the wall clock, and only it, make a step.
    pub fn step_wall_clock(&self, nanoseconds: i64) {
        change(|clocks| {
            clocks.wall_offset = clocks.wall_offset.wrapping_add_signed(nanoseconds);
        });
    }
}

fn change(change: impl FnOnce(&mut Clocks)) {
    if let Some(mut clocks) = CLOCKS.get() {
        change(&mut clocks);
        CLOCKS.set(Some(clocks));
    }
}

impl Drop for VirtualTime {
    fn drop(&mut self) {
        CLOCKS.set(None);
    }
}

/// A socket of the current task that is readable from a time on, until it is set anew.
pub struct VirtualSocket(Rc<Socket>);

struct Socket {
    task: TaskId,
    readable_from: Cell<Timestamp>,
    /// Only the beginning of its being readable is told.
    is_told_once: Cell<bool>,
    was_told: Cell<bool>,
}

impl VirtualSocket {
    /// Sets when it becomes readable, and with it what is new.
    pub fn set_readable_from(&self, time: Timestamp) {
        self.0.readable_from.set(time);
        self.0.was_told.set(false);
    }

    /// Whether it is readable.
    pub fn is_readable(&self, now: Timestamp) -> bool {
        self.0.readable_from.get() <= now
    }

    /// The wall clock's time at a monotonic time, by which a kernel would stamp what arrives then.
    pub fn wall_ns(&self, time: Timestamp) -> u64 {
        CLOCKS.get().map_or(0, |clocks| time.0.wrapping_add(clocks.wall_offset))
    }
}

impl Handle {
    /// Has the current task polled whenever the socket is readable that is made here. It is not
    /// readable yet.
    ///
    /// # Panics
    ///
    /// On a loop that waits for the kernel.
    pub fn register_virtual(&self) -> VirtualSocket {
        let Poller::Virtual(poller) = &self.0.poller else { panic!("there is no virtual time") };
        let socket = Rc::new(Socket {
            task: self.current_task(),
            readable_from: Cell::new(Timestamp(u64::MAX)),
            is_told_once: Cell::new(false),
            was_told: Cell::new(false),
        });
        poller.sockets.borrow_mut().push(Rc::downgrade(&socket));
        let slots = self.0.slots.borrow();
        slots[self.current_task()].socket.set(Some((NO_NUMBER, epoll::EventFlags::IN)));
        slots[self.current_task()].polled_in_vain.set(0);
        VirtualSocket(socket)
    }
}

/// What a loop runs on: the kernel, or a virtual time.
pub(crate) enum Poller {
    Kernel(Epoll),
    Virtual(VirtualPoller),
}

/// Tells what is due by the virtual clock.
pub(crate) struct VirtualPoller {
    sockets: RefCell<Vec<Weak<Socket>>>,
    alarm: Cell<Option<Timestamp>>,
    beat_period: Duration,
    next_beat: Cell<Timestamp>,
    waits: Cell<u64>,
}

impl VirtualPoller {
    fn new(beat_period: Duration) -> Self {
        Self {
            sockets: RefCell::default(),
            alarm: Cell::new(None),
            beat_period,
            next_beat: Cell::new(Timestamp::now() + beat_period),
            waits: Cell::new(0),
        }
    }

    /// When there will be something to tell, if nothing happens before.
    fn next_event(&self) -> Timestamp {
        let sockets = self.sockets.borrow();
        let readable = sockets.iter().filter_map(Weak::upgrade).filter(|socket| socket.is_told());
        let readable = readable.map(|socket| socket.readable_from.get()).min();
        [readable, self.alarm.get(), Some(self.next_beat.get())]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_default()
    }

    /// Tells what is due now, in an order that is the seed's.
    fn wait(&self, events: &mut Vec<epoll::Event>) {
        events.clear();
        let now = Timestamp::now();
        self.sockets.borrow_mut().retain(|socket| socket.strong_count() > 0);
        for socket in self.sockets.borrow().iter().filter_map(Weak::upgrade) {
            if socket.is_told() && socket.readable_from.get() <= now {
                socket.was_told.set(true);
                events.push(event(socket.task as u64));
            }
        }
        self.shuffle(events);
        if self.alarm.get().is_some_and(|time| time <= now) {
            events.push(event(ALARM));
        }
        if self.next_beat.get() <= now {
            events.push(event(BEAT));
        }
    }

    fn shuffle(&self, events: &mut [epoll::Event]) {
        let seed = CLOCKS.get().map_or(0, |clocks| clocks.seed);
        let mut state = seed ^ self.waits.replace(self.waits.get() + 1);
        for remaining in (2..=events.len()).rev() {
            // Two rounds of a multiplicative hash: good enough for an order.
            state = (state ^ (state >> 29)).wrapping_mul(SHUFFLE);
            state = (state ^ (state >> 32)).wrapping_mul(SHUFFLE);
            events.swap(remaining - 1, usize::try_from(state >> 33).unwrap_or(0) % remaining);
        }
    }

    fn acknowledge_beat(&self) {
        self.next_beat.set(Timestamp::now() + self.beat_period);
    }

    fn modify(&self, task: TaskId, flags: epoll::EventFlags) {
        for socket in self.sockets.borrow().iter().filter_map(Weak::upgrade) {
            if socket.task == task {
                socket.is_told_once.set(flags.contains(epoll::EventFlags::ET));
                socket.was_told.set(false);
            }
        }
    }
}

impl Socket {
    fn is_told(&self) -> bool {
        !(self.is_told_once.get() && self.was_told.get())
    }
}

fn event(token: u64) -> epoll::Event {
    epoll::Event { flags: epoll::EventFlags::IN, data: epoll::EventData::new_u64(token) }
}

impl Poller {
    pub fn new(beat_period: Duration) -> io::Result<Self> {
        Ok(match CLOCKS.get() {
            Some(_) => Self::Virtual(VirtualPoller::new(beat_period)),
            None => Self::Kernel(Epoll::new(beat_period)?),
        })
    }

    pub fn add(&self, socket: BorrowedFd<'_>, task: TaskId) -> io::Result<()> {
        match self {
            Self::Kernel(epoll) => epoll.add(socket, task),
            Self::Virtual(_) => Err(io::Error::other("a real socket in a virtual time")),
        }
    }

    pub fn modify<S: AsFd>(
        &self,
        socket: S,
        task: TaskId,
        flags: epoll::EventFlags,
    ) -> io::Result<()> {
        match self {
            Self::Kernel(epoll) => epoll.modify(socket, task, flags),
            Self::Virtual(_) => Err(io::Error::other("a real socket in a virtual time")),
        }
    }

    pub fn modify_raw(&self, socket: RawFd, task: TaskId, flags: epoll::EventFlags) {
        match self {
            Self::Kernel(epoll) => epoll.modify_raw(socket, task, flags),
            Self::Virtual(poller) => poller.modify(task, flags),
        }
    }

    pub fn set_alarm(&self, time: Option<Timestamp>) -> io::Result<()> {
        match self {
            Self::Kernel(epoll) => epoll.set_alarm(time),
            Self::Virtual(poller) => {
                poller.alarm.set(time);
                Ok(())
            }
        }
    }

    pub fn acknowledge_beat(&self) {
        match self {
            Self::Kernel(epoll) => epoll.acknowledge_beat(),
            Self::Virtual(poller) => poller.acknowledge_beat(),
        }
    }

    pub fn wait(&self, events: &mut Vec<epoll::Event>, at_once: bool) -> io::Result<()> {
        match self {
            Self::Kernel(epoll) => epoll.wait(events, at_once),
            Self::Virtual(poller) => {
                poller.wait(events);
                Ok(())
            }
        }
    }

    pub(crate) fn next_event(&self) -> Timestamp {
        match self {
            Self::Kernel(_) => Timestamp::default(),
            Self::Virtual(poller) => poller.next_event(),
        }
    }
}
