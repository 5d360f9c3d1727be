//! Who does what when, within one worker: the start, the tickets of an open loop, the end.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use eventloop::{Handle, TaskId, Timestamp};

/// Scheduled transactions that may wait in one worker; those beyond are dropped at once. Sixteen
/// megabytes: an overload of a thousand a second for a quarter of an hour.
const QUEUE_LIMIT: usize = 1_000_000;

/// A transaction that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    pub time: Timestamp,
    /// Its kind, where it has been chosen: by the open loop, or by a client before a wait.
    pub kind: Option<usize>,
}

/// What an idle client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ticket {
    /// Carry out this one.
    Transaction(Scheduled),
    /// There are no more.
    Over,
    /// Nothing was due, but the client was polled: its socket is readable although nothing was
    /// asked, and stays so. The server has closed the connection.
    Disturbed,
}

impl Ticket {
    fn of((time, kind): (Timestamp, usize)) -> Self {
        Self::Transaction(Scheduled { time, kind: Some(kind) })
    }
}

struct IdleClient {
    task: TaskId,
    ticket: Rc<Cell<Option<Ticket>>>,
}

/// Hands out transactions. In a closed loop a client that asks gets one at once; in an open loop it
/// gets the one that has waited longest, or waits in line itself.
pub(crate) struct Dispatcher {
    handle: Handle,
    open_loop: bool,
    over: Cell<bool>,
    /// Times and kinds.
    queue: RefCell<VecDeque<(Timestamp, usize)>>,
    /// Transactions that are due and not started, by kind: in the queue, or handed out to a client
    /// that was woken for it and has not taken it yet.
    waiting: Vec<Cell<u64>>,
    idle: RefCell<VecDeque<IdleClient>>,
    /// Clients whose transaction is not yet due.
    pacing: RefCell<HashSet<TaskId>>,
}

impl Dispatcher {
    pub fn new(handle: Handle, open_loop: bool, kinds: usize) -> Self {
        Self {
            handle,
            open_loop,
            over: Cell::new(false),
            queue: RefCell::default(),
            waiting: vec![Cell::new(0); kinds],
            idle: RefCell::default(),
            pacing: RefCell::default(),
        }
    }

    /// The next transaction for the calling client, where it need not wait for it. In a closed loop
    /// it never does, and the transaction is scheduled `now`.
    #[inline]
    pub fn next_at_once(&self, now: Timestamp) -> Option<Ticket> {
        if self.open_loop {
            return None;
        }
        let scheduled = Scheduled { time: now, kind: None };
        Some(if self.over.get() { Ticket::Over } else { Ticket::Transaction(scheduled) })
    }

    /// The next transaction of an open loop for the calling client.
    pub async fn next(&self) -> Ticket {
        let first = self.queue.borrow_mut().pop_front();
        let ticket = match first {
            Some(arrival) => Ticket::of(arrival),
            None if self.over.get() => Ticket::Over,
            None => self.wait_in_line().await,
        };
        if let Ticket::Transaction(Scheduled { kind: Some(kind), .. }) = ticket {
            self.waiting[kind].update(|waiting| waiting - 1);
        }
        ticket
    }

    async fn wait_in_line(&self) -> Ticket {
        let task = self.handle.current_task();
        let ticket = Rc::new(Cell::new(None));
        self.handle.clear_deadline();
        self.idle.borrow_mut().push_back(IdleClient { task, ticket: Rc::clone(&ticket) });
        let mut was_parked = false;
        let ticket = self.handle.park_until(|| {
            let parked_before = std::mem::replace(&mut was_parked, true);
            let is_disturbed = parked_before && self.handle.is_polled_for_socket();
            ticket.take().or(is_disturbed.then_some(Ticket::Disturbed))
        });
        let ticket = ticket.await;
        if ticket == Ticket::Disturbed {
            self.idle.borrow_mut().retain(|client| client.task != task);
        }
        ticket
    }

    /// Waits until the calling client's next transaction is due, which is then scheduled for that
    /// very time. Ends early when there are to be no more.
    pub async fn wait_until_due(&self, due: Scheduled) -> Ticket {
        let task = self.handle.current_task();
        self.handle.clear_deadline();
        self.pacing.borrow_mut().insert(task);
        let mut sleep = self.handle.sleep_until(due.time);
        let mut was_parked = false;
        let ticket = self.handle.park_until(|| {
            let parked_before = std::mem::replace(&mut was_parked, true);
            if self.over.get() {
                return Some(Ticket::Over);
            }
            if Pin::new(&mut sleep).poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                return Some(Ticket::Transaction(due));
            }
            let is_disturbed = parked_before && self.handle.is_polled_for_socket();
            is_disturbed.then_some(Ticket::Disturbed)
        });
        let ticket = ticket.await;
        self.pacing.borrow_mut().remove(&task);
        ticket
    }

    /// Whether clients are to end rather than go on.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Whether a client waits for a transaction.
    pub fn has_idle_clients(&self) -> bool {
        !self.idle.borrow().is_empty()
    }

    /// Transactions of a kind that are due and not started.
    pub fn waiting(&self, kind: usize) -> u64 {
        self.waiting[kind].get()
    }

    /// All transactions that are due and not started.
    pub fn all_waiting(&self) -> u64 {
        self.waiting.iter().map(Cell::get).sum()
    }

    /// Takes a transaction that is due; false where too many wait already.
    pub fn enqueue(&self, time: Timestamp, kind: usize) -> bool {
        let mut queue = self.queue.borrow_mut();
        let room = queue.len() < QUEUE_LIMIT;
        if room {
            queue.push_back((time, kind));
            self.waiting[kind].update(|waiting| waiting + 1);
        }
        room
    }

    /// Gives waiting transactions to waiting clients.
    pub fn dispatch(&self) {
        let (mut queue, mut idle) = (self.queue.borrow_mut(), self.idle.borrow_mut());
        while !queue.is_empty()
            && let Some(client) = idle.pop_front()
        {
            client.ticket.set(queue.pop_front().map(Ticket::of));
            self.handle.wake(client.task);
        }
    }

    /// Nothing more will be scheduled; what waits is still carried out.
    pub fn end(&self) {
        self.over.set(true);
        for client in self.idle.borrow_mut().drain(..) {
            client.ticket.set(Some(Ticket::Over));
            self.handle.wake(client.task);
        }
        for task in self.pacing.borrow().iter() {
            self.handle.wake(*task);
        }
    }

    /// Takes away everything that still waits: times and kinds.
    pub fn abandon_queue(&self) -> VecDeque<(Timestamp, usize)> {
        let abandoned = self.queue.take();
        for (_, kind) in &abandoned {
            self.waiting[*kind].update(|waiting| waiting - 1);
        }
        abandoned
    }
}

/// Lets only so many tasks through at once: servers take a limited number of connections that are
/// not yet accepted, and punish more with seconds of delay.
pub(crate) struct Gate {
    free: Cell<usize>,
    waiting: RefCell<VecDeque<TaskId>>,
}

impl Gate {
    pub fn new(width: usize) -> Self {
        Self { free: Cell::new(width), waiting: RefCell::default() }
    }

    pub async fn enter(&self, handle: &Handle) {
        if self.free.get() == 0 {
            self.waiting.borrow_mut().push_back(handle.current_task());
            handle.park_until(|| (self.free.get() > 0).then_some(())).await;
        }
        self.free.set(self.free.get() - 1);
    }

    pub fn leave(&self, handle: &Handle) {
        self.free.set(self.free.get() + 1);
        if let Some(task) = self.waiting.borrow_mut().pop_front() {
            handle.wake(task);
        }
    }
}
