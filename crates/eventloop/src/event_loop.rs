//! The loop itself: waits, then polls every task that has a reason.

use std::cmp::Reverse;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use rustix::event::epoll;

use crate::alarm::{ALARM, BEAT};
use crate::clock::{self, Timestamp};
use crate::handle::{Handle, Shared, Slot, TaskId};
use crate::naps::{Naps, SHORTEST_NAP_NS};

/// How often deadlines are looked at, and the longest that the loop ever sleeps: its owner may rely
/// on getting a turn at least this often.
pub const SWEEP_PERIOD: Duration = Duration::from_millis(100);

/// Events taken at one wake-up.
const EVENTS_PER_TURN: usize = 1024;

type Task<'tasks> = Pin<Box<dyn Future<Output = ()> + 'tasks>>;

/// How a loop waits for its sockets. By default it sleeps until the first of them is ready, and takes
/// naps where that is better (see `naps`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// So much longer when one is ready, where more may come: several answers are then found at one
    /// wake-up. None leaves it to the loop, which then takes naps; zero is never.
    pub coalesce: Option<Duration>,
    /// Looks again and again instead of sleeping, at the price of a whole CPU.
    pub busy_poll: bool,
}

/// A set of tasks and what they wait for. Owned and turned by one thread.
pub struct EventLoop<'tasks> {
    shared: Rc<Shared>,
    tasks: Vec<Option<Task<'tasks>>>,
    live_tasks: usize,
    events: Vec<epoll::Event>,
    waiting: Waiting,
    /// Whether it sleeps until the first is ready, and goes to work on it.
    is_plain: bool,
    /// None where it takes none.
    naps: Option<Naps>,
}

impl<'tasks> EventLoop<'tasks> {
    /// Makes an empty loop; fails only where the kernel gives no epoll instance.
    pub fn new() -> io::Result<Self> {
        Self::with_waiting(Waiting::default())
    }

    /// Makes an empty loop that waits in another way.
    pub fn with_waiting(waiting: Waiting) -> io::Result<Self> {
        let is_plain = !waiting.busy_poll && waiting.coalesce.unwrap_or_default().is_zero();
        let shared = Rc::new(Shared::new(SWEEP_PERIOD)?);
        let events = Vec::with_capacity(EVENTS_PER_TURN);
        let naps = waiting.coalesce.is_none().then(|| Naps::new(Timestamp::now()));
        Ok(Self { shared, tasks: Vec::new(), live_tasks: 0, events, waiting, is_plain, naps })
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
        let timer = self.shared.timers.borrow().peek().map(|Reverse((time, _))| *time);
        let next = self.shared.poller.next_event().min(until);
        timer.map_or(next, |timer| timer.min(next))
    }

    /// Waits until something happens, at most until `until` or for a tenth of a second, then polls
    /// every task that is concerned. Returns the time at which the wait ended.
    pub fn turn(&mut self, until: Timestamp) -> io::Result<Timestamp> {
        if self.is_plain {
            self.wait(until)?;
        } else {
            self.wait_otherwise(until)?;
        }
        let now = Timestamp::now();
        self.shared.turn_time.set(now);
        self.learn(now);
        self.shared.wall_offset.set(self.shared.wall_offset.get().renewed(now));
        self.poll_woken();
        self.poll_readable();
        self.poll_timers(now);
        Ok(now)
    }

    fn wait(&mut self, until: Timestamp) -> io::Result<()> {
        let has_work = !self.shared.ready.borrow().is_empty();
        if has_work {
            return self.look(true);
        }
        if let Some(nap) = self.nap(until) {
            clock::sleep(nap);
            self.shared.napped(nap);
            self.look(true)?;
            if !self.events.is_empty() {
                return Ok(());
            }
        }
        self.set_alarm(until)?;
        self.look(false)
    }

    /// The same in one of the other ways; apart, so that those who do not ask for it do not pay.
    #[cold]
    fn wait_otherwise(&mut self, until: Timestamp) -> io::Result<()> {
        let has_work = !self.shared.ready.borrow().is_empty();
        if !has_work {
            let next = self.shared.timers.borrow().peek().map(|Reverse((time, _))| *time);
            let wake = next.map_or(until, |timer| timer.min(until));
            self.shared.poller.set_alarm(Some(wake))?;
        }
        let at_once = has_work || self.waiting.busy_poll;
        self.look(at_once)?;
        while self.waiting.busy_poll && !has_work && self.events.is_empty() {
            // Alarm and beat are in the same set, so that this ends in time.
            self.look(true)?;
        }
        self.wait_more()
    }

    /// How long the loop may sleep without looking; None where the next answer is to wake it, and
    /// where a timer would be late. After a nap in which nothing came it waits to be woken.
    #[inline]
    fn nap(&self, until: Timestamp) -> Option<Duration> {
        if self.events.is_empty() || self.shared.answers_carry_times.get() != Some(true) {
            return None;
        }
        let length = self.naps.as_ref()?.length(self.shared.answer_times.get())?;
        let timer = self.shared.timers.borrow().peek().map(|Reverse((time, _))| *time);
        let wake = timer.map_or(until, |timer| timer.min(until));
        // It counts from when the answers were found: a loop that has been at work on them for as long
        // is the limit itself, and the next ones are there.
        let end = self.shared.turn_time.get() + length;
        let left_ns = end.since(Timestamp::now());
        (left_ns >= SHORTEST_NAP_NS && end + length < wake).then(|| Duration::from_nanos(left_ns))
    }

    /// Takes note of how many answers have come.
    #[inline]
    fn learn(&mut self, now: Timestamp) {
        if let Some(naps) = &mut self.naps
            && naps.count(self.events.len(), now)
        {
            let mut times = self.shared.answer_times.get();
            times.begin_period();
            self.shared.answer_times.set(times);
        }
    }

    /// Takes what is ready, in place of what was taken before.
    fn look(&mut self, at_once: bool) -> io::Result<()> {
        self.shared.poller.wait(&mut self.events, at_once)
    }

    /// Gives answers a little more time, unless all tasks have theirs, or one has other work to do.
    /// Readiness is level-triggered: what was found before is found again.
    fn wait_more(&mut self) -> io::Result<()> {
        let Waiting { coalesce, busy_poll } = self.waiting;
        let all_have_theirs = self.events.len() >= self.live_tasks;
        let others_wait = !self.shared.ready.borrow().is_empty();
        let coalesce = coalesce.unwrap_or_default();
        if coalesce.is_zero() || self.events.is_empty() || all_have_theirs || others_wait {
            return Ok(());
        }
        if busy_poll {
            let until = Timestamp::now() + coalesce;
            while Timestamp::now() < until {
                std::hint::spin_loop();
            }
        } else {
            clock::sleep(coalesce);
        }
        self.look(true)
    }

    /// Sees that the wait ends in time, where that may be before the next beat.
    fn set_alarm(&mut self, until: Timestamp) -> io::Result<()> {
        let timer = self.shared.timers.borrow().peek().map(|Reverse((time, _))| *time);
        let wake = timer.map_or(until, |timer| timer.min(until));
        let next_beat = self.shared.turn_time.get() + SWEEP_PERIOD;
        self.shared.poller.set_alarm((wake < next_beat).then_some(wake))
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
        for index in 0..self.events.len() {
            match self.events[index].data.u64() {
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

    use super::*;
    use crate::naps::AnswerTimes;

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
                handle.sleep_until(start + Duration::from_millis(milliseconds)).await;
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

    /// A task that waits for a byte on a socket; gives the turn in which it was found.
    fn reader(
        event_loop: &mut EventLoop<'_>,
        turns: &Rc<RefCell<Vec<Timestamp>>>,
    ) -> std::os::unix::net::UnixStream {
        use std::io::Read;

        let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let (handle, turns) = (event_loop.handle(), Rc::clone(turns));
        event_loop.spawn(async move {
            let _registration = handle.register(&near).unwrap();
            let mut near = &near;
            handle.park_until(|| near.read(&mut [0]).ok()).await;
            turns.borrow_mut().push(handle.turn_time());
        });
        far
    }

    #[test]
    fn answers_that_come_one_after_another_are_found_together_when_the_loop_waits_for_more() {
        use std::io::Write;

        for (coalesce_ms, together) in [(0, false), (200, true)] {
            for busy_poll in [false, true] {
                let coalesce = Some(Duration::from_millis(coalesce_ms));
                let waiting = Waiting { coalesce, busy_poll };
                let mut event_loop = EventLoop::with_waiting(waiting).unwrap();
                let turns = Rc::new(RefCell::new(Vec::new()));
                let mut far: Vec<_> = (0..2).map(|_| reader(&mut event_loop, &turns)).collect();
                event_loop.turn(Timestamp::now()).unwrap();
                let writer = std::thread::spawn(move || {
                    for socket in &mut far {
                        socket.write_all(b"x").unwrap();
                        std::thread::sleep(Duration::from_millis(50));
                    }
                    far
                });
                turn_until_done(&mut event_loop);
                drop(writer.join().unwrap());
                let turns = turns.borrow();
                assert_eq!(turns[0] == turns[1], together, "{waiting:?}");
            }
        }
    }

    /// A loop that has just found an answer on a busy server, where it takes naps of 100 µs.
    fn busy_loop(coalesce: Option<Duration>) -> EventLoop<'static> {
        let waiting = Waiting { coalesce, busy_poll: false };
        let mut event_loop = EventLoop::with_waiting(waiting).unwrap();
        let mut times = AnswerTimes::default();
        (0..20_000).for_each(|index| times.record(1000 * (100 + index % 5000)));
        event_loop.shared.answer_times.set(times);
        let now = Timestamp::now();
        event_loop.shared.turn_time.set(now);
        if let Some(naps) = &mut event_loop.naps {
            assert!(naps.count(20_000, now + Duration::from_secs(1)));
        }
        let data = epoll::EventData::new_u64(0);
        event_loop.events.push(epoll::Event { flags: epoll::EventFlags::IN, data });
        event_loop
    }

    #[test]
    fn naps_are_taken_only_where_no_time_becomes_wrong_by_them() {
        const NEVER: Timestamp = Timestamp(u64::MAX);
        let event_loop = busy_loop(None);
        assert_eq!(event_loop.nap(NEVER), None, "nothing is connected");
        event_loop.handle().connected(true);
        assert!(event_loop.nap(NEVER).is_some());
        let soon = Timestamp::now() + Duration::from_micros(20);
        assert_eq!(event_loop.nap(soon), None, "something is due");
        event_loop.shared.timers.borrow_mut().push(Reverse((soon, 0)));
        assert_eq!(event_loop.nap(NEVER), None, "a timer is due");
        event_loop.shared.timers.borrow_mut().clear();
        event_loop.handle().connected(false);
        event_loop.handle().connected(true);
        assert_eq!(event_loop.nap(NEVER), None, "some answers carry no time");
    }

    #[test]
    fn a_loop_that_is_the_limit_itself_takes_no_naps() {
        let event_loop = busy_loop(None);
        event_loop.handle().connected(true);
        let long_ago = Timestamp(event_loop.shared.turn_time.get().0 - 1_000_000);
        event_loop.shared.turn_time.set(long_ago);
        assert_eq!(event_loop.nap(Timestamp(u64::MAX)), None);
    }

    #[test]
    fn no_naps_are_taken_after_a_turn_without_answers_or_where_they_are_forbidden() {
        let mut event_loop = busy_loop(None);
        event_loop.handle().connected(true);
        event_loop.events.clear();
        assert_eq!(event_loop.nap(Timestamp(u64::MAX)), None);
        let forbidden = busy_loop(Some(Duration::ZERO));
        forbidden.handle().connected(true);
        assert_eq!(forbidden.nap(Timestamp(u64::MAX)), None);
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
