//! The loop itself: waits, then polls every task that has a reason.

use std::cmp::Reverse;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use crate::alarm::{ALARM, BEAT, SWEEP_PERIOD};
use crate::clock::Timestamp;
use crate::handle::{Handle, Shared, Slot, TaskId};
use crate::waiting::{Waiter, Waiting};

type Task<'tasks> = Pin<Box<dyn Future<Output = ()> + 'tasks>>;

/// A set of tasks and what they wait for. Owned and turned by one thread.
pub struct EventLoop<'tasks> {
    shared: Rc<Shared>,
    tasks: Vec<Option<Task<'tasks>>>,
    live_tasks: usize,
    waiter: Waiter,
}

impl<'tasks> EventLoop<'tasks> {
    /// Makes an empty loop; fails only where the kernel gives no epoll instance.
    pub fn new() -> io::Result<Self> {
        Self::with_waiting(Waiting::default())
    }

    /// Makes an empty loop that waits in another way.
    pub fn with_waiting(waiting: Waiting) -> io::Result<Self> {
        let shared = Rc::new(Shared::new(SWEEP_PERIOD)?);
        let waiter = Waiter::new(Rc::clone(&shared), waiting);
        Ok(Self { shared, tasks: Vec::new(), live_tasks: 0, waiter })
    }

    /// Access for tasks.
    pub fn handle(&self) -> Handle {
        Handle(Rc::clone(&self.shared))
    }

    /// Adds a task, polled at the next turn.
    pub fn spawn(&mut self, task: impl Future<Output = ()> + 'tasks) -> TaskId {
        let id = self.tasks.len();
        self.tasks.push(Some(Box::pin(task)));
        self.shared.slots.borrow_mut().push(Slot::default());
        self.shared.ready.borrow_mut().push_back(id);
        self.live_tasks += 1;
        id
    }

    /// Tasks that have not ended.
    pub fn live_tasks(&self) -> usize {
        self.live_tasks
    }

    /// When the loop has something to do, at the latest at `until`: in a virtual time, which does not
    /// wait, it is turned then.
    #[cfg(feature = "simulation")]
    pub fn next_event(&self, until: Timestamp) -> Timestamp {
        if !self.shared.ready.borrow().is_empty() {
            return Timestamp::default();
        }
        self.shared.next_due(self.shared.poller.next_event().min(until))
    }

    /// Waits until something happens, at most until `until` or for a tenth of a second, then polls
    /// every task that is concerned. Returns the time at which the wait ended.
    pub fn turn(&mut self, until: Timestamp) -> io::Result<Timestamp> {
        self.waiter.wait(until, self.live_tasks)?;
        let now = Timestamp::now();
        self.shared.turn_time.set(now);
        self.waiter.learn(now, self.live_tasks);
        self.shared.wall_offset.set(self.shared.wall_offset.get().renewed(now));
        self.poll_woken();
        self.poll_readable();
        self.poll_timers(now);
        Ok(now)
    }

    fn poll_woken(&mut self) {
        // Only those that are ready now: a task that wakes itself waits for the next turn.
        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            let task = self.shared.ready.borrow_mut().pop_front();
            if let Some(task) = task {
                self.poll(task);
            }
        }
    }

    fn poll_readable(&mut self) {
        for index in 0..self.waiter.found.len() {
            match self.waiter.found[index].data.u64() {
                BEAT => self.poll_expired(),
                // It has done its work by ending the wait.
                ALARM => {}
                task => {
                    self.shared.polled_for_socket.set(true);
                    let task = usize::try_from(task).unwrap_or(usize::MAX);
                    self.poll(task);
                    if self.shared.polled_for_socket.replace(false) {
                        self.shared.polled_in_vain(task);
                    }
                }
            }
        }
    }

    fn poll_timers(&mut self, now: Timestamp) {
        loop {
            let due = {
                let mut timers = self.shared.timers.borrow_mut();
                match timers.peek() {
                    Some(Reverse((time, _))) if *time <= now => timers.pop(),
                    _ => None,
                }
            };
            let Some(Reverse((_, task))) = due else { return };
            self.poll(task);
        }
    }

    fn poll_expired(&mut self) {
        self.shared.poller.acknowledge_beat();
        let now = self.shared.turn_time.get();
        let mut expired = Vec::new();
        for (task, slot) in self.shared.slots.borrow().iter().enumerate() {
            let deadline = slot.deadline.get();
            if deadline != Timestamp::default() && deadline <= now {
                slot.deadline.set(Timestamp::default());
                slot.expired.set(true);
                expired.push(task);
            }
        }
        for task in expired {
            self.poll(task);
        }
    }

    fn poll(&mut self, id: TaskId) {
        let Some(Some(task)) = self.tasks.get_mut(id) else { return };
        self.shared.current.set(id);
        let mut context = Context::from_waker(Waker::noop());
        if task.as_mut().poll(&mut context).is_ready() {
            self.tasks[id] = None;
            self.live_tasks -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::time::Duration;

    use super::*;

    fn turn_until_done(event_loop: &mut EventLoop<'_>) {
        for _ in 0..10_000 {
            if event_loop.live_tasks() == 0 {
                return;
            }
            event_loop.turn(Timestamp(u64::MAX)).unwrap();
        }
        panic!("tasks did not end");
    }

    #[test]
    fn sleepers_end_in_order_of_time() {
        let mut event_loop = EventLoop::new().unwrap();
        let order = Rc::new(RefCell::new(Vec::new()));
        let start = Timestamp::now();
        for milliseconds in [30_u64, 10, 20] {
            let (handle, order) = (event_loop.handle(), Rc::clone(&order));
            event_loop.spawn(async move {
                let wake = handle.turn_time() + Duration::from_millis(milliseconds);
                handle.sleep_until(wake).await;
                order.borrow_mut().push(milliseconds);
            });
        }
        turn_until_done(&mut event_loop);
        assert_eq!(*order.borrow(), [10, 20, 30]);
        assert!(Timestamp::now().since(start) >= 30_000_000);
    }

    #[test]
    fn a_parked_task_goes_on_when_its_condition_holds() {
        let mut event_loop = EventLoop::new().unwrap();
        let ticket = Rc::new(Cell::new(None));
        let got = Rc::new(Cell::new(0));
        let (handle, taken, result) = (event_loop.handle(), Rc::clone(&ticket), Rc::clone(&got));
        let task = event_loop.spawn(async move {
            result.set(handle.park_until(|| taken.take()).await);
        });
        event_loop.turn(Timestamp::now()).unwrap();
        // A poll without cause must not let it through.
        event_loop.handle().wake(task);
        event_loop.turn(Timestamp::now()).unwrap();
        assert_eq!(event_loop.live_tasks(), 1);
        ticket.set(Some(7));
        event_loop.handle().wake(task);
        turn_until_done(&mut event_loop);
        assert_eq!(got.get(), 7);
    }

    #[test]
    fn a_deadline_expires_for_its_own_task_only() {
        let mut event_loop = EventLoop::new().unwrap();
        let outcomes = Rc::new(RefCell::new(Vec::new()));
        for (name, limit_ms) in [("patient", 10_000_u64), ("hasty", 1)] {
            let (handle, outcomes) = (event_loop.handle(), Rc::clone(&outcomes));
            event_loop.spawn(async move {
                handle.set_deadline(Timestamp::now() + Duration::from_millis(limit_ms));
                let mut polls = 0;
                handle
                    .park_until(|| {
                        polls += 1;
                        handle.deadline_expired().then_some(())
                    })
                    .await;
                outcomes.borrow_mut().push(name);
            });
        }
        for _ in 0..4 {
            event_loop.turn(Timestamp(u64::MAX)).unwrap();
        }
        assert_eq!(*outcomes.borrow(), ["hasty"]);
    }

    #[test]
    fn a_socket_that_nobody_reads_wakes_the_loop_some_times_and_no_more() {
        use std::io::Write;

        let mut event_loop = EventLoop::new().unwrap();
        let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        far.write_all(b"x").unwrap();
        let (handle, polls) = (event_loop.handle(), Rc::new(Cell::new(0)));
        let (end, counted) = (Timestamp::now() + Duration::from_millis(150), Rc::clone(&polls));
        let found = Rc::new(Cell::new(false));
        let has_found = Rc::clone(&found);
        event_loop.spawn(async move {
            let _registration = handle.register(&near).unwrap();
            let counts = handle.park_until(|| {
                counted.set(counted.get() + 1);
                (handle.turn_time() >= end).then_some(())
            });
            counts.await;
            // A wait for the socket begins, and what lies there already is told.
            handle.set_deadline(Timestamp(u64::MAX));
            let mut polled_before = false;
            handle
                .park_until(|| {
                    let is_ready = std::mem::replace(&mut polled_before, true);
                    (is_ready && handle.is_polled_for_socket()).then_some(())
                })
                .await;
            has_found.set(true);
        });
        let task = event_loop.handle();
        while Timestamp::now() < end {
            event_loop.turn(end).unwrap();
        }
        assert!(polls.get() < 10, "{} polls in 150 ms of rest", polls.get());
        task.wake_all();
        for _ in 0..3 {
            event_loop.turn(Timestamp::now() + Duration::from_millis(1)).unwrap();
        }
        assert!(found.get(), "the byte is found at once by the one who waits for it");
    }

    #[test]
    fn a_yielding_task_lets_the_others_run() {
        let mut event_loop = EventLoop::new().unwrap();
        let steps = Rc::new(RefCell::new(String::new()));
        for name in ["a", "b"] {
            let (handle, steps) = (event_loop.handle(), Rc::clone(&steps));
            event_loop.spawn(async move {
                for _ in 0..3 {
                    steps.borrow_mut().push_str(name);
                    handle.yield_now().await;
                }
            });
        }
        turn_until_done(&mut event_loop);
        assert_eq!(*steps.borrow(), "ababab");
    }
}
