//! What a task sees of its loop.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use rustix::event::epoll;

use crate::clock::{Timestamp, WallOffset};
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
    /// Set by the loop when the deadline has passed, cleared when the next deadline is set.
    pub expired: Cell<bool>,
}

pub(crate) struct Shared {
    pub epoll: OwnedFd,
    pub current: Cell<TaskId>,
    pub polled_for_socket: Cell<bool>,
    pub slots: RefCell<Vec<Slot>>,
    pub ready: RefCell<VecDeque<TaskId>>,
    pub timers: RefCell<BinaryHeap<Reverse<(Timestamp, TaskId)>>>,
    pub turn_time: Cell<Timestamp>,
    pub wall_offset: Cell<WallOffset>,
    pub read_buffer: RefCell<Vec<u8>>,
}

impl Shared {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            current: Cell::new(0),
            polled_for_socket: Cell::new(false),
            slots: RefCell::default(),
            ready: RefCell::default(),
            timers: RefCell::default(),
            turn_time: Cell::new(Timestamp::now()),
            wall_offset: Cell::default(),
            read_buffer: RefCell::new(vec![0; READ_BUFFER_BYTES]),
        })
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

    /// Whether the current task is being polled because its socket is ready.
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

    /// Has the task polled soon, from another task of the same loop or from the loop's owner.
    pub fn wake(&self, task: TaskId) {
        self.0.ready.borrow_mut().push_back(task);
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

    /// Sets the time at which the current task's wait has lasted too long.
    pub fn set_deadline(&self, deadline: Timestamp) {
        let slots = self.0.slots.borrow();
        let slot = &slots[self.current_task()];
        slot.deadline.set(deadline);
        slot.expired.set(false);
    }

    /// Takes the current task's deadline away.
    pub fn clear_deadline(&self) {
        self.set_deadline(Timestamp::default());
    }

    /// Whether the current task's deadline has passed.
    pub fn deadline_expired(&self) -> bool {
        self.0.slots.borrow()[self.current_task()].expired.get()
    }

    /// Lends the loop's read buffer. It must not be held across a wait, which the closure ensures.
    pub fn with_read_buffer<T>(&self, use_buffer: impl FnOnce(&mut [u8]) -> T) -> T {
        use_buffer(&mut self.0.read_buffer.borrow_mut())
    }

    /// Has the current task polled whenever its socket is readable.
    pub fn register<S: AsFd>(&self, socket: &S) -> io::Result<Registration> {
        let task = self.current_task();
        let token = epoll::EventData::new_u64(task as u64);
        epoll::add(&self.0.epoll, socket, token, epoll::EventFlags::IN)?;
        Ok(Registration { handle: self.clone(), task })
    }
}

/// A socket's place in the loop. The kernel forgets it when the socket is closed.
pub struct Registration {
    handle: Handle,
    task: TaskId,
}

impl Registration {
    /// Also polls the task when the socket is writable, or no longer does.
    pub fn want_writable<S: AsFd>(&self, socket: &S, writable: bool) -> io::Result<()> {
        let mut flags = epoll::EventFlags::IN;
        flags.set(epoll::EventFlags::OUT, writable);
        let token = epoll::EventData::new_u64(self.task as u64);
        Ok(epoll::modify(&self.handle.0.epoll, socket, token, flags)?)
    }
}
