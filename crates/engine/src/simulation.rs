//! A whole trial in virtual time, on the calling thread: the same workers and the same coordinator as
//! in [`run`](crate::run), turned one at a time by whoever's time has come.
//!
//! It is a machine with one CPU on which nothing takes long. The seed decides who is first of those
//! whose time has come, so that a trial is the same again with the same seed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use contract::{Driver, Workload};
use eventloop::Timestamp;
use eventloop::simulation::VirtualTime;
use random::{Purpose, Stream};

use crate::context::{Message, Shared};
use crate::coordinator::Coordinator;
use crate::event::Event;
use crate::options::Options;
use crate::run::{Commands, prepare};
use crate::run_error::RunError;
use crate::worker::Worker;

/// What a turn takes. Without it a task that only gives way would stop the time.
const TURN: Duration = Duration::from_micros(1);

/// Something that befalls the generator from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incident {
    /// It gets no CPU for so long.
    Pause(Duration),
    /// The wall clock makes a step of so many nanoseconds.
    WallClockStep(i64),
    /// Somebody asks for the end.
    Stop,
    /// Somebody says with which interval of the warm-up the window is to begin.
    BeginWindowAt(i64),
    /// The kernel refuses a worker something that it can't do without.
    WorkerFails(usize),
}

/// Runs one trial. Incidents are in the order of their times, which count from the beginning.
pub fn simulate<D: Driver, W: Workload>(
    time: &VirtualTime,
    driver: D,
    workload: W,
    options: Options,
    commands: &Commands,
    incidents: &[(Duration, Incident)],
    emit: &mut dyn FnMut(Event),
) -> Result<Simulated, RunError> {
    let order = Stream::new(options.seed, Purpose::Constants, 0);
    let shared = Arc::new(prepare(driver, workload, options, commands)?);
    let (sender, receiver) = channel();
    let workers = (0..shared.workers)
        .map(|number| Worker::new(&shared, number, sender.clone()).map(Some))
        .collect::<io::Result<Vec<_>>>()?;
    let begin = Timestamp::now();
    let coordinator = Coordinator::new(&shared, begin);
    let incidents = incidents.iter().map(|(after, incident)| (begin + *after, *incident)).collect();
    let mut machine = Machine {
        time,
        shared: &shared,
        workers,
        waits_since: begin,
        next_look: begin + coordinator.pause(),
        coordinator,
        receiver,
        incidents,
        order,
        turns: 0,
        failure: None,
    };
    machine.run(emit)?;
    let Machine { failure, mut coordinator, turns, .. } = machine;
    if let Some(error) = failure {
        return Err(error.into());
    }
    emit(Event::End(coordinator.end()));
    Ok(Simulated { turns, elapsed: Duration::from_nanos(Timestamp::now().since(begin)) })
}

/// What a trial took.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    /// Turns of all loops.
    pub turns: u64,
    /// From the beginning to the last worker's end.
    pub elapsed: Duration,
}

/// Whose time has come.
enum Next {
    Worker(usize),
    Coordinator,
    Incident,
}

struct Machine<'a, D: Driver, W: Workload> {
    time: &'a VirtualTime,
    shared: &'a Shared<D, W>,
    workers: Vec<Option<Worker<D, W>>>,
    coordinator: Coordinator<'a, D, W>,
    /// Since when the coordinator waits, and until when.
    waits_since: Timestamp,
    next_look: Timestamp,
    receiver: Receiver<Message>,
    /// Those that are yet to come.
    incidents: Vec<(Timestamp, Incident)>,
    order: Stream,
    turns: u64,
    failure: Option<io::Error>,
}

impl<D: Driver, W: Workload> Machine<'_, D, W> {
    fn run(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), RunError> {
        while self.workers.iter().any(Option::is_some) {
            let (time, next) = self.next();
            self.time.advance_to(time);
            match next {
                Next::Worker(number) => self.turn(number),
                Next::Incident => self.meet_incident(),
                Next::Coordinator => {
                    self.end_wait();
                    self.coordinator.look(Timestamp::now(), emit)?;
                }
            }
            self.hear(emit)?;
        }
        Ok(())
    }

    fn hear(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), RunError> {
        while let Ok(message) = self.receiver.try_recv() {
            self.end_wait();
            self.coordinator.take(message, Timestamp::now(), emit)?;
        }
        Ok(())
    }

    /// The coordinator wakes up, and begins another wait.
    fn end_wait(&mut self) {
        let now = Timestamp::now();
        self.coordinator.waited(self.waits_since, now);
        self.waits_since = now;
        self.next_look = now + self.coordinator.pause();
    }

    /// Of several whose time has come any may be the first.
    fn next(&mut self) -> (Timestamp, Next) {
        let now = Timestamp::now();
        let mut first = (self.next_look.max(now), 0, Next::Coordinator);
        let mut consider = |time: Timestamp, next: Next, order: &mut Stream| {
            let (time, place) = (time.max(now), order.bits());
            if (time, place) < (first.0, first.1) {
                first = (time, place, next);
            }
        };
        for (number, worker) in self.workers.iter().enumerate() {
            if let Some(worker) = worker {
                consider(worker.next_event(), Next::Worker(number), &mut self.order);
            }
        }
        if let Some((time, _)) = self.incidents.first() {
            consider(*time, Next::Incident, &mut self.order);
        }
        (first.0, first.2)
    }

    fn turn(&mut self, number: usize) {
        self.turns += 1;
        self.time.advance_to(Timestamp::now() + TURN);
        let Some(worker) = &mut self.workers[number] else { return };
        match worker.turn() {
            Ok(true) => {}
            Ok(false) => self.end(number),
            Err(error) => self.fail(number, error),
        }
    }

    fn meet_incident(&mut self) {
        match self.incidents.remove(0).1 {
            Incident::Pause(pause) => self.time.advance_to(Timestamp::now() + pause),
            Incident::WallClockStep(nanoseconds) => self.time.step_wall_clock(nanoseconds),
            Incident::Stop => self.shared.stop.store(true, Ordering::Relaxed),
            Incident::BeginWindowAt(index) => {
                self.shared.window_at.store(index, Ordering::Release);
            }
            Incident::WorkerFails(number) if self.workers[number].is_some() => {
                self.fail(number, io::Error::other("a scripted failure"));
            }
            Incident::WorkerFails(_) => {}
        }
    }

    fn end(&mut self, number: usize) {
        if let Some(worker) = self.workers[number].take() {
            worker.end();
        }
    }

    /// What a thread's end by an error does.
    fn fail(&mut self, number: usize, error: io::Error) {
        self.end(number);
        self.shared.stop.store(true, Ordering::Relaxed);
        self.failure.get_or_insert(error);
    }
}
