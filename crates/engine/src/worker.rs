//! One thread, its loop, and its clients.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use contract::{
    Connection, Driver, Fact, Limits, SqlError, Statement, StatementCount, Tally, Workload,
};
use eventloop::{EventLoop, Handle, Timestamp};

use crate::arrivals::Schedule;
use crate::client::run_client;
use crate::dispatch::{Dispatcher, Gate};
use crate::options::{Arrivals, Options};
use crate::recorder::{Completion, Recorder};
use crate::sample::IntervalSample;
use crate::timeline::Timeline;

/// Connections that one worker makes at the same time.
const CONNECTING_AT_ONCE: usize = 32;

/// How long an interrupted trial waits for what is under way.
const INTERRUPTED_DRAIN: std::time::Duration = std::time::Duration::from_secs(2);

/// What all workers share.
pub(crate) struct Shared<D, W> {
    pub driver: D,
    pub workload: W,
    pub options: Options,
    pub workers: usize,
    /// When the load begins, in nanoseconds; zero until everybody is ready.
    pub go: AtomicU64,
    /// Set from outside, or by a worker that failed: end early.
    pub stop: Arc<AtomicBool>,
}

/// What a worker tells the coordinator.
pub(crate) enum Message {
    /// A client is connected and prepared; the server's version and the kind of its clock.
    Ready { server_version: String, kernel_timestamps: bool },
    /// A client could not be made ready: there will be no trial.
    Refused { client: u64, error: SqlError },
    /// A finished interval, in order.
    Interval { worker: usize, sample: Box<IntervalSample> },
    /// The last word.
    End { worker: usize, statements: Vec<StatementCount>, facts: Facts, ended: Timestamp },
}

/// Facts by name.
pub(crate) type Facts = BTreeMap<&'static str, Fact>;

/// What a client sees of its worker.
pub(crate) struct Context<D, W> {
    shared: Arc<Shared<D, W>>,
    handle: Handle,
    sender: Sender<Message>,
    statements: Rc<[Statement]>,
    dispatcher: Dispatcher,
    gate: Gate,
    start: Cell<Option<bool>>,
    recorder: RefCell<Option<Recorder>>,
    running: RefCell<Vec<u64>>,
    live_clients: Cell<u64>,
    drain_end: Cell<Option<Timestamp>>,
    statement_counts: RefCell<Vec<StatementCount>>,
    facts: RefCell<Facts>,
}

impl<D: Driver, W: Workload> Context<D, W> {
    fn new(shared: Arc<Shared<D, W>>, handle: Handle, sender: Sender<Message>) -> Self {
        let kinds = shared.workload.transactions().len();
        let statements = shared.workload.statements(shared.driver.dialect());
        let open_loop = shared.options.arrivals != Arrivals::Closed;
        Self {
            dispatcher: Dispatcher::new(handle.clone(), open_loop),
            gate: Gate::new(CONNECTING_AT_ONCE),
            start: Cell::new(None),
            recorder: RefCell::new(None),
            running: RefCell::new(vec![0; kinds]),
            live_clients: Cell::new(0),
            drain_end: Cell::new(None),
            statement_counts: RefCell::default(),
            facts: RefCell::default(),
            shared,
            handle,
            sender,
            statements,
        }
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    pub fn driver(&self) -> &D {
        &self.shared.driver
    }

    pub fn workload(&self) -> &W {
        &self.shared.workload
    }

    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    pub fn driver_limits(&self) -> Limits {
        let limits = self.shared.options.limits;
        Limits { connect: limits.connect, statement: limits.statement }
    }

    pub fn statements(&self) -> Rc<[Statement]> {
        Rc::clone(&self.statements)
    }

    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Some(true) when the load begins, Some(false) when there will be none.
    pub fn start_signal(&self) -> Option<bool> {
        self.start.get()
    }

    /// The recorder; there is one from the start of the load on.
    pub fn recorder(&self) -> RefMut<'_, Recorder> {
        RefMut::map(self.recorder.borrow_mut(), |recorder| {
            recorder.as_mut().unwrap_or_else(|| unreachable!("no load before the start"))
        })
    }

    /// Whether so little time is left that a further attempt would not end in it.
    pub fn is_draining_out(&self) -> bool {
        self.drain_end.get().is_some_and(|end| self.handle.turn_time() >= end)
    }

    pub fn client_ready(&self, connection: &D::Connection) {
        self.live_clients.set(self.live_clients.get() + 1);
        self.send(Message::Ready {
            server_version: connection.server_version().to_owned(),
            kernel_timestamps: connection.has_kernel_timestamps(),
        });
    }

    pub fn client_refused(&self, client: u64, error: &SqlError) {
        self.send(Message::Refused { client, error: error.clone() });
    }

    pub fn client_lost(&self) {
        self.live_clients.set(self.live_clients.get() - 1);
    }

    pub fn client_reconnected(&self) {
        self.live_clients.set(self.live_clients.get() + 1);
        self.recorder().reconnected(Timestamp::now());
    }

    pub fn transaction_started(&self, kind: usize, scheduled: Timestamp) {
        self.running.borrow_mut()[kind] += 1;
        if self.shared.options.arrivals == Arrivals::Closed {
            self.recorder().scheduled(kind, scheduled);
        }
    }

    pub fn transaction_completed(&self, completion: &Completion, tally: Tally) {
        self.running.borrow_mut()[completion.kind] -= 1;
        self.recorder().completed(completion, tally);
    }

    pub fn transaction_failed(&self, kind: usize, tally: Tally) {
        self.running.borrow_mut()[kind] -= 1;
        self.recorder().failed(kind, Timestamp::now(), tally);
    }

    pub fn keep_statement_counts(&self, connection: &mut D::Connection) {
        merge_statements(
            &mut self.statement_counts.borrow_mut(),
            connection.take_statement_counts(),
        );
    }

    pub fn keep_facts(&self, facts: Vec<(&'static str, Fact)>) {
        merge_facts(&mut self.facts.borrow_mut(), facts);
    }

    fn send(&self, message: Message) {
        // The coordinator is gone only when the trial has been given up.
        let _ = self.sender.send(message);
    }
}

/// Adds statement counts up by their text.
pub(crate) fn merge_statements(into: &mut Vec<StatementCount>, from: Vec<StatementCount>) {
    for count in from {
        match into.iter_mut().find(|known| known.sql == count.sql) {
            Some(known) => {
                known.executions += count.executions;
                known.rows += count.rows;
                known.affected += count.affected;
            }
            None => into.push(count),
        }
    }
}

/// Adds facts up by their name.
pub(crate) fn merge_facts(into: &mut Facts, from: impl IntoIterator<Item = (&'static str, Fact)>) {
    for (name, fact) in from {
        match (into.get_mut(name), fact) {
            (Some(Fact::Share { part, whole }), Fact::Share { part: more, whole: of }) => {
                *part += more;
                *whole += of;
            }
            (Some(Fact::Count(count)), Fact::Count(more)) => *count += more,
            (Some(_), _) => {}
            (None, fact) => {
                into.insert(name, fact);
            }
        }
    }
}

/// Raises the stop flag when a worker ends in a panic, so that the others end too.
struct StopOnPanic(Arc<AtomicBool>);

impl Drop for StopOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs one worker's clients from connecting to the last goodbye.
pub(crate) fn run_worker<D: Driver, W: Workload>(
    shared: &Arc<Shared<D, W>>,
    worker: usize,
    clients: std::ops::Range<usize>,
    sender: Sender<Message>,
) -> io::Result<()> {
    let _guard = StopOnPanic(Arc::clone(&shared.stop));
    // Timers may be late by 50 µs unless a thread asks for better.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
    let mut event_loop = EventLoop::new()?;
    let context = Rc::new(Context::new(Arc::clone(shared), event_loop.handle(), sender));
    let tasks: Vec<_> = clients
        .map(|index| event_loop.spawn(run_client(Rc::clone(&context), index as u64)))
        .collect();
    let go = wait_for_start(&mut event_loop, shared)?;
    if let Some(go) = go {
        let options = &shared.options;
        let timeline = Timeline::new(go, options.warmup, options.duration, options.interval);
        *context.recorder.borrow_mut() =
            Some(Recorder::new(timeline, shared.workload.transactions().len()));
        let mut load = Load::new(&context, worker, timeline);
        context.start.set(Some(true));
        for task in tasks {
            context.handle.wake(task);
        }
        load.run(&mut event_loop)?;
    }
    // Tasks that are still under way are given up; their connections close with them.
    drop(event_loop);
    context.send(Message::End {
        worker,
        statements: context.statement_counts.take(),
        facts: context.facts.take(),
        ended: Timestamp::now(),
    });
    Ok(())
}

fn wait_for_start<D, W>(
    event_loop: &mut EventLoop<'_>,
    shared: &Shared<D, W>,
) -> io::Result<Option<Timestamp>> {
    loop {
        let go = Timestamp(shared.go.load(Ordering::Acquire));
        if shared.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if go == Timestamp::default() {
            event_loop.turn(Timestamp(u64::MAX))?;
        } else if event_loop.turn(go)? >= go {
            return Ok(Some(go));
        }
    }
}

/// A worker's part in the load, from the start to the end of the drain.
struct Load<'a, D, W> {
    context: &'a Context<D, W>,
    worker: usize,
    timeline: Timeline,
    schedule: Option<Schedule>,
}

impl<'a, D: Driver, W: Workload> Load<'a, D, W> {
    fn new(context: &'a Context<D, W>, worker: usize, timeline: Timeline) -> Self {
        let options = context.options();
        let workers = context.shared.workers;
        let schedule = Schedule::new(options.arrivals, options.seed, worker, workers, timeline.go);
        Self { context, worker, timeline, schedule }
    }

    fn run(&mut self, event_loop: &mut EventLoop<'_>) -> io::Result<()> {
        loop {
            let now = event_loop.turn(self.next_cause())?;
            self.schedule_arrivals(now);
            self.end_when_due(now);
            self.flush(now);
            if event_loop.live_tasks() == 0 || self.context.is_draining_out() {
                break;
            }
        }
        self.give_up_queue();
        self.check_counters();
        let recorder = self.context.recorder.borrow_mut().take();
        for sample in recorder.into_iter().flat_map(|r| r.finish(Timestamp::now())) {
            self.send(sample);
        }
        Ok(())
    }

    /// When the loop must turn even if nothing happens. Loops turn ten times a second anyway, which
    /// is near enough for everything but arrivals.
    fn next_cause(&self) -> Timestamp {
        match &self.schedule {
            Some(schedule) if self.context.dispatcher.has_idle_clients() => schedule.peek(),
            _ => Timestamp(u64::MAX),
        }
    }

    fn schedule_arrivals(&mut self, now: Timestamp) {
        let Some(schedule) = &mut self.schedule else { return };
        if self.context.dispatcher.is_over() {
            return;
        }
        let until = now.min(self.timeline.window_end);
        while let Some(scheduled) = schedule.pop_before(until) {
            let mut recorder = self.context.recorder();
            recorder.scheduled(0, scheduled);
            if !self.context.dispatcher.enqueue(scheduled) {
                recorder.dropped(0, scheduled);
            }
        }
        self.context.dispatcher.dispatch();
    }

    fn end_when_due(&self, now: Timestamp) {
        let interrupted = self.context.shared.stop.load(Ordering::Relaxed);
        if self.context.drain_end.get().is_some()
            || !(interrupted || now >= self.timeline.window_end)
        {
            return;
        }
        let drain = self.context.options().limits.drain;
        let drain = if interrupted { drain.min(INTERRUPTED_DRAIN) } else { drain };
        self.context.drain_end.set(Some(now + drain));
        self.context.dispatcher.end();
    }

    fn flush(&self, now: Timestamp) {
        while now >= self.context.recorder().next_flush() {
            self.check_counters();
            let mut recorder = self.context.recorder();
            recorder.set_live_clients(self.context.live_clients.get());
            if let Some(sample) = recorder.flush(now) {
                self.send(sample);
            }
        }
    }

    /// Compares what the counters say is in flight with what is really there.
    fn check_counters(&self) {
        let recorder = self.context.recorder();
        for (kind, running) in self.context.running.borrow().iter().enumerate() {
            let waiting = if kind == 0 { self.context.dispatcher.waiting() } else { 0 };
            assert_eq!(
                recorder.in_flight(kind),
                running + waiting,
                "transactions in flight by the counters, and in fact"
            );
        }
    }

    fn give_up_queue(&self) {
        let now = Timestamp::now();
        for _ in self.context.dispatcher.abandon_queue() {
            self.context.recorder().dropped(0, now);
        }
    }

    fn send(&self, sample: IntervalSample) {
        self.context.send(Message::Interval { worker: self.worker, sample: Box::new(sample) });
    }
}
