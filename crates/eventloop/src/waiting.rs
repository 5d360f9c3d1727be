//! How a loop waits: asleep until the first socket is ready, asleep a little longer, or awake.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use rustix::event::epoll;

use crate::alarm::{BEAT, SWEEP_PERIOD};
use crate::clock::{self, Timestamp};
use crate::handle::Shared;
use crate::naps::{Naps, SHORTEST_NAP_NS};

/// Events taken at one wake-up.
const EVENTS_PER_TURN: usize = 1024;

/// How a loop waits for its sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waiting {
    /// It sleeps until the first is ready, and takes naps where they pay (see `naps`).
    #[default]
    Nap,
    /// It sleeps until the first is ready.
    Sleep,
    /// So much longer when one is ready, where more may come: several answers are then found at one
    /// wake-up.
    Coalesce(Duration),
    /// It looks again and again instead of sleeping, at the price of a whole CPU.
    Spin,
}

/// What waits for a loop.
pub(crate) struct Waiter {
    shared: Rc<Shared>,
    /// What was ready when the last wait ended.
    pub found: Vec<epoll::Event>,
    waiting: Waiting,
    /// Whether it sleeps until the first is ready, and goes to work on it.
    uses_fast_path: bool,
    /// None where it takes none.
    naps: Option<Naps>,
}

impl Waiter {
    pub fn new(shared: Rc<Shared>, waiting: Waiting) -> Self {
        let uses_fast_path = matches!(waiting, Waiting::Nap | Waiting::Sleep);
        let found = Vec::with_capacity(EVENTS_PER_TURN);
        let naps = (waiting == Waiting::Nap).then(|| Naps::new(Timestamp::now()));
        Self { shared, found, waiting, uses_fast_path, naps }
    }

    /// Waits until something is ready or due, at most until `until`.
    #[inline]
    pub fn wait(&mut self, until: Timestamp, live_tasks: usize) -> io::Result<()> {
        if self.uses_fast_path {
            self.wait_on_fast_path(until)
        } else {
            self.wait_otherwise(until, live_tasks)
        }
    }

    fn wait_on_fast_path(&mut self, until: Timestamp) -> io::Result<()> {
        let has_work = !self.shared.ready.borrow().is_empty();
        if has_work {
            return self.look(true);
        }
        if let Some(nap) = self.nap(until) {
            clock::sleep(nap);
            self.shared.napped(nap);
            self.look(true)?;
            if !self.found.is_empty() {
                return Ok(());
            }
        }
        self.set_alarm(until)?;
        self.look(false)
    }

    /// The same in one of the other ways; apart, so that those who do not ask for it do not pay.
    #[cold]
    fn wait_otherwise(&mut self, until: Timestamp, live_tasks: usize) -> io::Result<()> {
        let has_work = !self.shared.ready.borrow().is_empty();
        if !has_work {
            self.shared.poller.set_alarm(Some(self.shared.next_due(until)))?;
        }
        let spins = self.waiting == Waiting::Spin;
        self.look(has_work || spins)?;
        while spins && !has_work && self.found.is_empty() {
            // Alarm and beat are in the same set, so that this ends in time.
            self.look(true)?;
        }
        match self.waiting {
            Waiting::Coalesce(time) => self.wait_more(time, live_tasks),
            _ => Ok(()),
        }
    }

    /// How long the loop may sleep without looking; None where the next answer is to wake it, and
    /// where a timer would be late. After a nap in which nothing came it waits to be woken.
    #[inline]
    fn nap(&self, until: Timestamp) -> Option<Duration> {
        let length = self.naps.as_ref()?.length()?;
        if self.found.is_empty() || self.shared.answers_carry_times.get() != Some(true) {
            return None;
        }
        // It counts from when the answers were found: a loop that has been at work on them for as long
        // is the limit itself, and the next ones are there.
        let end = self.shared.turn_time.get() + length;
        let left_ns = end.since(Timestamp::now());
        (left_ns >= SHORTEST_NAP_NS && end + length < self.shared.next_due(until))
            .then(|| Duration::from_nanos(left_ns))
    }

    /// Takes note of how many answers have come.
    #[inline]
    pub fn learn(&mut self, now: Timestamp, live_tasks: usize) {
        if let Some(naps) = &mut self.naps
            && naps.count(self.found.len(), now)
        {
            let mut times = self.shared.answer_times.get();
            naps.decide(times, live_tasks, now);
            times.begin_period();
            self.shared.answer_times.set(times);
        }
    }

    /// Takes what is ready, in place of what was taken before.
    fn look(&mut self, at_once: bool) -> io::Result<()> {
        self.shared.poller.wait(&mut self.found, at_once)
    }

    /// Gives answers a little more time, unless all tasks have theirs, or one has other work to do.
    /// Readiness is level-triggered: what was found before is found again.
    fn wait_more(&mut self, time: Duration, live_tasks: usize) -> io::Result<()> {
        let answers = self.found.iter().filter(|event| event.data.u64() < BEAT).count();
        let all_have_theirs = answers >= live_tasks;
        let others_wait = !self.shared.ready.borrow().is_empty();
        if self.found.is_empty() || all_have_theirs || others_wait {
            return Ok(());
        }
        clock::sleep(time);
        self.look(true)
    }

    /// Sees that the wait ends in time, where that may be before the next beat.
    fn set_alarm(&mut self, until: Timestamp) -> io::Result<()> {
        let wake = self.shared.next_due(until);
        let next_beat = self.shared.turn_time.get() + SWEEP_PERIOD;
        self.shared.poller.set_alarm((wake < next_beat).then_some(wake))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::cmp::Reverse;

    use super::*;
    use crate::event_loop::EventLoop;
    use crate::handle::Handle;
    use crate::naps::AnswerTimes;

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

    /// Whether two answers that come 50 ms after each other are found in one turn.
    fn are_found_together(waiting: Waiting) -> bool {
        use std::io::Write;

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
        while event_loop.live_tasks() > 0 {
            event_loop.turn(Timestamp(u64::MAX)).unwrap();
        }
        drop(writer.join().unwrap());
        let turns = turns.borrow();
        turns[0] == turns[1]
    }

    #[test]
    fn answers_that_come_one_after_another_are_found_together_when_the_loop_waits_for_more() {
        const TRIES: usize = 5;
        let coalesce = Waiting::Coalesce(Duration::from_millis(200));
        for (waiting, together) in [
            (Waiting::Sleep, false),
            (Waiting::Nap, false),
            (Waiting::Spin, false),
            (coalesce, true),
        ] {
            // A busy machine may spoil a try.
            let as_wanted = (0..TRIES).filter(|_| are_found_together(waiting) == together).count();
            assert!(as_wanted > TRIES / 2, "{waiting:?}: {as_wanted} of {TRIES}");
        }
    }

    /// A loop that has just found an answer on a busy server, where it takes naps of 100 µs. Its turn
    /// lies ahead, so that no test can be too late for a nap.
    fn busy_waiter(waiting: Waiting) -> (Waiter, Handle) {
        let shared = Rc::new(Shared::new(SWEEP_PERIOD).unwrap());
        let mut waiter = Waiter::new(Rc::clone(&shared), waiting);
        let mut times = AnswerTimes::default();
        (0..20_000).for_each(|index| times.record(1000 * (100 + index % 5000)));
        let now = Timestamp::now();
        waiter.shared.turn_time.set(now + Duration::from_hours(1));
        if let Some(naps) = &mut waiter.naps {
            let later = now + Duration::from_secs(1);
            assert!(naps.count(20_000, later));
            naps.decide(times, 64, later);
        }
        let data = epoll::EventData::new_u64(0);
        waiter.found.push(epoll::Event { flags: epoll::EventFlags::IN, data });
        (waiter, Handle(shared))
    }

    #[test]
    fn naps_are_taken_only_where_no_time_becomes_wrong_by_them() {
        const NEVER: Timestamp = Timestamp(u64::MAX);
        let (waiter, handle) = busy_waiter(Waiting::Nap);
        assert_eq!(waiter.nap(NEVER), None, "nothing is connected");
        handle.connected(true);
        assert!(waiter.nap(NEVER).is_some());
        let soon = waiter.shared.turn_time.get() + Duration::from_micros(20);
        assert_eq!(waiter.nap(soon), None, "something is due");
        waiter.shared.timers.borrow_mut().push(Reverse((soon, 0)));
        assert_eq!(waiter.nap(NEVER), None, "a timer is due");
        waiter.shared.timers.borrow_mut().clear();
        handle.connected(false);
        handle.connected(true);
        assert_eq!(waiter.nap(NEVER), None, "some answers carry no time");
    }

    #[test]
    fn a_loop_that_is_the_limit_itself_takes_no_naps() {
        let (waiter, handle) = busy_waiter(Waiting::Nap);
        handle.connected(true);
        let long_ago = Timestamp(Timestamp::now().0 - 1_000_000);
        waiter.shared.turn_time.set(long_ago);
        assert_eq!(waiter.nap(Timestamp(u64::MAX)), None);
    }

    #[test]
    fn no_naps_are_taken_after_a_turn_without_answers_or_where_they_are_forbidden() {
        let (mut waiter, handle) = busy_waiter(Waiting::Nap);
        handle.connected(true);
        waiter.found.clear();
        assert_eq!(waiter.nap(Timestamp(u64::MAX)), None);
        let (forbidden, handle) = busy_waiter(Waiting::Sleep);
        handle.connected(true);
        assert_eq!(forbidden.nap(Timestamp(u64::MAX)), None);
    }
}
