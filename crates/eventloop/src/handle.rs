//! What a task sees of its loop.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::epoll;

use crate::clock::{Timestamp, WallOffset};
use crate::naps::AnswerTimes;
use crate::poller::Poller;
use crate::wait::{Park, Sleep, Yield};

/// The number of a task within its loop.
pub type TaskId = usize;

/// Answers are read into one buffer a loop; this is its size. A reply of a hundred sysbench rows is
/// about 13 kB, so that most replies arrive in one read.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// What the loop knows of a task besides its future.
#[derive(Default)]
pub(crate) struct Slot {
    /// When the task's current wait has lasted too long; zero for never.
    pub deadline: Cell<Timestamp>,
    /// When the present wait for an answer began; zero once some of it has come.
    pub asked_at: Cell<Timestamp>,
    /// Set by the loop when the deadline has passed, cleared when the next deadline is set.
    pub expired: Cell<bool>,
    /// The task's socket, and what is told of it.
    pub socket: Cell<Option<(RawFd, epoll::EventFlags)>>,
    /// How often the task was polled for its socket in the present wait without reading from it.
    pub polled_in_vain: Cell<u8>,
}

/// The time of one answer out of so many is noted: noting it costs something at each statement.
const ANSWERS_PER_SAMPLE: u32 = 4;

/// A task that was polled so often in vain waits for something else than its socket.
const MOST_IN_VAIN: u8 = 3;

/// What a loop counted since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// Instants that were moved between those around them, because the wall clock had been set.
    pub clock_clamps: u64,
    /// Sleeps without being woken.
    pub naps: u64,
    /// Nanoseconds for which they were asked.
    pub napped_ns: u64,
}

impl LoopCounts {
    /// Adds what was counted by another loop, or later.
    pub fn merge(&mut self, other: Self) {
        let Self { clock_clamps, naps, napped_ns } = other;
        self.clock_clamps += clock_clamps;
        self.naps += naps;
        self.napped_ns += napped_ns;
    }
}

pub(crate) struct Shared {
    pub poller: Poller,
    pub current: Cell<TaskId>,
    /// Whether the current task is polled for its socket, and has not read from it yet.
    pub polled_for_socket: Cell<bool>,
    pub slots: RefCell<Vec<Slot>>,
    /// How long tasks waited for their answers.
    pub answer_times: Cell<AnswerTimes>,
    /// How many tasks found their answers.
    pub answers: Cell<u32>,
    /// Whether the kernel tells when an answer arrived; None before there is a connection.
    pub answers_carry_times: Cell<Option<bool>>,
    pub ready: RefCell<VecDeque<TaskId>>,
    pub timers: RefCell<BinaryHeap<Reverse<(Timestamp, TaskId)>>>,
    pub turn_time: Cell<Timestamp>,
    pub wall_offset: Cell<WallOffset>,
    pub counts: Cell<LoopCounts>,
    pub read_buffer: RefCell<Vec<u8>>,
}

impl Shared {
    pub fn new(beat_period: Duration) -> io::Result<Self> {
        Ok(Self {
            poller: Poller::new(beat_period)?,
            current: Cell::new(0),
            polled_for_socket: Cell::new(false),
            slots: RefCell::default(),
            answer_times: Cell::default(),
            answers: Cell::default(),
            answers_carry_times: Cell::new(None),
            ready: RefCell::default(),
            timers: RefCell::default(),
            turn_time: Cell::new(Timestamp::now()),
            wall_offset: Cell::default(),
            counts: Cell::default(),
            read_buffer: RefCell::new(vec![0; READ_BUFFER_BYTES]),
        })
    }

    /// When the next timer is due, at the latest at `until`.
    #[inline]
    pub fn next_due(&self, until: Timestamp) -> Timestamp {
        let timer = self.timers.borrow().peek().map(|Reverse((time, _))| *time);
        timer.map_or(until, |timer| timer.min(until))
    }

    /// Counts a nap.
    pub fn napped(&self, nap: Duration) {
        let counts = self.counts.get();
        let napped_ns = counts.napped_ns + u64::try_from(nap.as_nanos()).unwrap_or(0);
        self.counts.set(LoopCounts { naps: counts.naps + 1, napped_ns, ..counts });
    }

    /// Takes note that a task whose socket is ready has not read from it. Readiness is level-triggered:
    /// a server that says something, or closes the connection, while the task sleeps would wake the
    /// loop over and over. After some times only what is new is told.
    #[cold]
    pub fn polled_in_vain(&self, task: TaskId) {
        let slots = self.slots.borrow();
        let Some(slot) = slots.get(task) else { return };
        let times = slot.polled_in_vain.get().saturating_add(1);
        slot.polled_in_vain.set(times);
        if times == MOST_IN_VAIN
            && let Some((socket, flags)) = slot.socket.get()
        {
            self.poller.modify_raw(socket, task, flags | epoll::EventFlags::ET);
        }
    }

    /// Another wait begins: it may be one for the socket.
    #[cold]
    fn forget_vain_polls(&self, task: TaskId, slot: &Slot) {
        let times = slot.polled_in_vain.replace(0);
        if times >= MOST_IN_VAIN
            && let Some((socket, flags)) = slot.socket.get()
        {
            self.poller.modify_raw(socket, task, flags);
        }
    }
}

/// A task's access to its loop; cheap to clone, never leaves the thread.
#[derive(Clone)]
pub struct Handle(pub(crate) Rc<Shared>);

impl Handle {
    /// The task that is being polled.
    pub fn current_task(&self) -> TaskId {
        self.0.current.get()
    }

    /// Whether the current task is being polled because its socket is ready, and has not read from it.
    pub fn is_polled_for_socket(&self) -> bool {
        self.0.polled_for_socket.get()
    }

    /// The time at which the loop's present turn began: no clock is read.
    pub fn turn_time(&self) -> Timestamp {
        self.0.turn_time.get()
    }

    /// The time now: the clock is read.
    pub fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    /// The offset between wall clock and monotonic clock at the present turn.
    pub fn wall_offset(&self) -> WallOffset {
        self.0.wall_offset.get()
    }

    /// Counts an instant that did not fit between those around it, because the wall clock in which it
    /// was told had been set.
    #[cold]
    pub fn count_clock_clamp(&self) {
        let counts = self.0.counts.get();
        self.0.counts.set(LoopCounts { clock_clamps: counts.clock_clamps + 1, ..counts });
    }

    /// What was counted since this was last asked.
    pub fn take_counts(&self) -> LoopCounts {
        self.0.counts.take()
    }

    /// Has the task polled soon, from another task of the same loop or from the loop's owner.
    pub fn wake(&self, task: TaskId) {
        self.0.ready.borrow_mut().push_back(task);
    }

    /// Has every task of the loop polled soon. A poll without cause is harmless.
    pub fn wake_all(&self) {
        self.0.ready.borrow_mut().extend(0..self.0.slots.borrow().len());
    }

    /// Waits until a time.
    pub fn sleep_until(&self, time: Timestamp) -> Sleep {
        Sleep::new(self.clone(), time)
    }

    /// Lets the loop and the other tasks have a turn.
    pub fn yield_now(&self) -> Yield {
        Yield::new(self.clone())
    }

    /// Waits until `condition` gives a value; it is asked again each time that the task is woken.
    pub fn park_until<T, F: FnMut() -> Option<T>>(&self, condition: F) -> Park<F> {
        Park::new(condition)
    }

    /// Sets the time at which the current task's wait has lasted too long. Every wait for the socket
    /// begins with this.
    pub fn set_deadline(&self, deadline: Timestamp) {
        let slots = self.0.slots.borrow();
        let slot = &slots[self.current_task()];
        slot.deadline.set(deadline);
        slot.asked_at.set(self.turn_time());
        slot.expired.set(false);
        if slot.polled_in_vain.get() > 0 {
            self.0.forget_vain_polls(self.current_task(), slot);
        }
    }

    /// Takes the current task's deadline away.
    pub fn clear_deadline(&self) {
        self.set_deadline(Timestamp::default());
    }

    /// Whether the current task's deadline has passed.
    pub fn deadline_expired(&self) -> bool {
        self.0.slots.borrow()[self.current_task()].expired.get()
    }

    /// Says of a connection whether the kernel tells when its answers arrived. Only where it does for
    /// all of them may the loop be late to look.
    pub fn connected(&self, answers_carry_times: bool) {
        let others = self.0.answers_carry_times.get().unwrap_or(true);
        self.0.answers_carry_times.set(Some(others && answers_carry_times));
    }

    /// Takes note, for one answer of some, of how long the current task waited for it.
    #[inline]
    fn answered(&self) {
        let slots = self.0.slots.borrow();
        let asked_at = slots[self.current_task()].asked_at.take();
        let answers = self.0.answers.get().wrapping_add(1);
        self.0.answers.set(answers);
        if answers.is_multiple_of(ANSWERS_PER_SAMPLE) && asked_at != Timestamp::default() {
            let mut times = self.0.answer_times.get();
            times.record(self.turn_time().since(asked_at));
            self.0.answer_times.set(times);
        }
    }

    /// Lends the loop's read buffer, to read from the current task's socket. It must not be held across a wait, which the closure ensures.
    pub fn with_read_buffer<T>(&self, use_buffer: impl FnOnce(&mut [u8]) -> T) -> T {
        if self.0.polled_for_socket.replace(false) {
            self.answered();
        }
        use_buffer(&mut self.0.read_buffer.borrow_mut())
    }

    /// Has the current task polled whenever its socket is readable.
    pub fn register<S: AsFd>(&self, socket: &S) -> io::Result<Registration> {
        let (task, socket) = (self.current_task(), socket.as_fd());
        self.0.poller.add(socket, task)?;
        let slots = self.0.slots.borrow();
        slots[task].socket.set(Some((socket.as_raw_fd(), epoll::EventFlags::IN)));
        slots[task].polled_in_vain.set(0);
        Ok(Registration { handle: self.clone(), task, socket: socket.as_raw_fd() })
    }
}

/// A socket's place in the loop, to be dropped with the socket. The kernel forgets it when the socket
/// is closed.
pub struct Registration {
    handle: Handle,
    task: TaskId,
    socket: RawFd,
}

impl Registration {
    /// Also polls the task when the socket is writable, or no longer does.
    pub fn want_writable<S: AsFd>(&self, socket: &S, writable: bool) -> io::Result<()> {
        let mut flags = epoll::EventFlags::IN;
        flags.set(epoll::EventFlags::OUT, writable);
        self.handle.0.poller.modify(socket, self.task, flags)?;
        let slots = self.handle.0.slots.borrow();
        slots[self.task].socket.set(Some((self.socket, flags)));
        slots[self.task].polled_in_vain.set(0);
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let slots = self.handle.0.slots.borrow();
        let slot = &slots[self.task].socket;
        if slot.get().is_some_and(|(socket, _)| socket == self.socket) {
            slot.set(None);
        }
    }
}
