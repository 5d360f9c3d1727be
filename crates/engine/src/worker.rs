//! One thread, its loop, and its clients.

use std::io;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use contract::{Client, Driver, Workload};
use eventloop::{EventLoop, Timestamp};

use crate::arrivals::Schedule;
use crate::client::run_client;
use crate::context::{Context, Message, Shared};
use crate::live::Extent;
use crate::recorder::Recorder;
use crate::sample::IntervalSample;
use crate::timeline::Timeline;
use crate::transaction_log::{Line, TransactionLog};

/// How long an interrupted trial waits for what is under way.
const INTERRUPTED_DRAIN: Duration = Duration::from_secs(2);

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
    let mut event_loop = EventLoop::with_waiting(shared.options.waiting)?;
    let context = Rc::new(Context::new(Arc::clone(shared), event_loop.handle(), sender));
    let tasks: Vec<_> =
        clients.map(|index| event_loop.spawn(run_client(Rc::clone(&context), index))).collect();
    let go = wait_for_start(&mut event_loop, shared)?;
    if let Some(go) = go {
        let options = &shared.options;
        let timeline = Timeline::new(go, options.warmup, options.duration, options.interval);
        let extent = Extent {
            kinds: shared.workload.transactions().len(),
            clients: if options.count_by_client { options.clients } else { 0 },
            hosts: context.hosts.names.len(),
        };
        context.window_start.set(timeline.window_start);
        *context.recorder.borrow_mut() =
            Some(Recorder::new(timeline, extent, context.hosts.names.clone()));
        let log = shared.log.clone();
        *context.log.borrow_mut() = log.map(|log| TransactionLog::new(log, timeline.window_start));
        let mut load = Load::new(&context, worker, timeline);
        context.start.set(Some(true));
        for task in tasks {
            context.handle.wake(task);
        }
        load.run(&mut event_loop)?;
    }
    // Tasks that are still under way are given up; their connections close with them.
    drop(event_loop);
    context.flush_log();
    context.send(Message::End {
        worker,
        statements: context.statement_counts.take(),
        statements_by_host: context.hosts.take_statements(),
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
    /// Chooses the kinds of what is scheduled.
    chooser: Box<dyn FnMut() -> usize>,
}

impl<'a, D: Driver, W: Workload> Load<'a, D, W> {
    fn new(context: &'a Context<D, W>, worker: usize, timeline: Timeline) -> Self {
        let options = context.options();
        let workers = context.shared.workers;
        let schedule = Schedule::new(options.arrivals, options.seed, worker, workers, timeline.go);
        let chooser = context.workload().chooser(options.seed, worker as u64);
        Self { context, worker, timeline, schedule, chooser }
    }

    fn run(&mut self, event_loop: &mut EventLoop<'_>) -> io::Result<()> {
        // It may be over before any interval is flushed.
        self.note_levels();
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
            if !self.context.may_start(scheduled) {
                self.context.dispatcher.end();
                break;
            }
            let mut recorder = self.context.recorder();
            let kind = (self.chooser)();
            recorder.scheduled(kind, scheduled);
            if !self.context.dispatcher.enqueue(scheduled, kind) {
                recorder.dropped(kind, scheduled);
                self.context.log(&dropped(kind, scheduled, now));
            }
        }
        self.context.dispatcher.dispatch();
    }

    fn end_when_due(&self, now: Timestamp) {
        if W::Client::PACED && self.context.may_start_no_more(now) {
            // Whoever waits for a transaction to become due would be told so at the end of the wait.
            self.context.dispatcher.end();
        }
        let interrupted = self.context.shared.stop.load(Ordering::Relaxed);
        if self.context.drain_end.get().is_some()
            || !(interrupted || now >= self.timeline.window_end)
        {
            return;
        }
        let drain = self.context.options().limits.drain;
        let drain = if interrupted { drain.min(INTERRUPTED_DRAIN) } else { drain };
        // The last interval is taken with the load, and not flushed.
        self.note_levels();
        self.context.drain_end.set(Some(now + drain));
        self.context.dispatcher.end();
    }

    fn flush(&self, now: Timestamp) {
        while now >= self.context.recorder().next_flush() {
            self.check_counters();
            self.note_levels();
            let sample = self.context.recorder().flush(now);
            if let Some(sample) = sample {
                self.send(sample);
            }
        }
    }

    fn note_levels(&self) {
        let (levels, live_clients) = (self.context.levels(), self.context.hosts.live_clients());
        self.context.recorder().set_levels(levels, &live_clients);
    }

    /// Compares what the counters say is in flight with what is really there.
    fn check_counters(&self) {
        let recorder = self.context.recorder();
        for (kind, running) in self.context.running.iter().enumerate() {
            let waiting = self.context.dispatcher.waiting(kind);
            assert_eq!(
                recorder.in_flight(kind),
                running.get() + waiting,
                "transactions in flight by the counters, and in fact"
            );
        }
    }

    fn give_up_queue(&self) {
        let now = Timestamp::now();
        for (scheduled, kind) in self.context.dispatcher.abandon_queue() {
            self.context.recorder().dropped(kind, now);
            self.context.log(&dropped(kind, scheduled, now));
        }
    }

    fn send(&self, sample: IntervalSample) {
        self.context.send(Message::Interval { worker: self.worker, sample: Box::new(sample) });
    }
}

/// The line of a transaction that nobody will begin.
fn dropped(kind: usize, scheduled: Timestamp, end: Timestamp) -> Line<'static> {
    let (client, start, note) = (None, None, "");
    Line { client, kind, scheduled, start, end, ending: "dropped", retries: 0, note }
}
