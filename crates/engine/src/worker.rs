//! One thread, its loop, and its clients.

use std::io;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use contract::{Client, Driver, Workload};
use eventloop::{EventLoop, SWEEP_PERIOD, Timestamp};

use crate::client::run_client;
use crate::context::{Context, Message, Shared};
use crate::live::RecorderDimensions;
use crate::options::EngineLimits;
use crate::pauses::Pause;
use crate::recorder::Recorder;
use crate::sample::IntervalSample;
use crate::timetable::Timetable;
use crate::transaction_log::TransactionLog;

/// Raises the stop flag when a worker ends in a panic or by an error, so that the others end too and
/// nobody waits for it.
struct StopOnFailure {
    stop: Arc<AtomicBool>,
    has_succeeded: bool,
}

impl Drop for StopOnFailure {
    fn drop(&mut self) {
        if !self.has_succeeded {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs one worker's clients from connecting to the last goodbye, on the calling thread.
pub(crate) fn run_worker<D: Driver, W: Workload>(
    shared: &Arc<Shared<D, W>>,
    number: usize,
    sender: Sender<Message>,
) -> io::Result<()> {
    let mut guard = StopOnFailure { stop: Arc::clone(&shared.stop), has_succeeded: false };
    // Timers may be late by 50 µs unless a thread asks for better.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
    let mut worker = Worker::new(shared, number, sender)?;
    let result = worker.turn_until_over();
    worker.end();
    guard.has_succeeded = result.is_ok();
    result
}

/// One worker, which whoever owns it turns until it has ended.
pub(crate) struct Worker<D: Driver, W: Workload> {
    event_loop: EventLoop<'static>,
    context: Rc<Context<D, W>>,
    number: usize,
    /// There is none until everybody is ready.
    load: Option<Load<D, W>>,
}

impl<D: Driver, W: Workload> Worker<D, W> {
    /// Makes a worker with its share of the clients.
    pub fn new(
        shared: &Arc<Shared<D, W>>,
        number: usize,
        sender: Sender<Message>,
    ) -> io::Result<Self> {
        let mut event_loop = EventLoop::with_waiting(shared.options.waiting)?;
        let context = Rc::new(Context::new(Arc::clone(shared), event_loop.handle(), sender));
        let (clients, workers) = (shared.options.own_clients(), shared.workers);
        let first_of = |worker: usize| clients.start + worker * clients.len() / workers;
        for index in first_of(number)..first_of(number + 1) {
            event_loop.spawn(run_client(Rc::clone(&context), index));
        }
        Ok(Self { event_loop, context, number, load: None })
    }

    fn turn_until_over(&mut self) -> io::Result<()> {
        while self.turn()? {}
        Ok(())
    }

    /// Waits until something happens, and does what it asks for; false when all is done.
    pub fn turn(&mut self) -> io::Result<bool> {
        match &mut self.load {
            Some(load) => load.turn(&mut self.event_loop),
            None => self.turn_before_start(),
        }
    }

    /// When there is something to do in a virtual time.
    #[cfg(feature = "simulation")]
    pub fn next_event(&self) -> Timestamp {
        let go = self.context.shared.go.load(Ordering::Acquire);
        let waits_for_go = self.load.is_none() && go != 0;
        self.event_loop.next_event(Timestamp(if waits_for_go { go } else { u64::MAX }))
    }

    fn turn_before_start(&mut self) -> io::Result<bool> {
        let shared = &self.context.shared;
        if shared.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let go = Timestamp(shared.go.load(Ordering::Acquire));
        if go == Timestamp::default() {
            self.event_loop.turn(Timestamp(u64::MAX))?;
        } else if self.event_loop.turn(go)? >= go {
            self.start(go);
        }
        Ok(true)
    }

    fn start(&mut self, go: Timestamp) {
        let (context, options) = (&self.context, self.context.options());
        let timetable = shared_timetable(context);
        let timeline = timetable.timeline();
        let dimensions = RecorderDimensions {
            kinds: context.workload().transactions().len(),
            clients: if options.count_by_client { options.clients } else { 0 },
            hosts: context.hosts.names.len(),
        };
        context.window_start.set(timeline.window_start);
        *context.recorder.borrow_mut() =
            Some(Recorder::new(Arc::clone(timetable), dimensions, context.hosts.names.clone()));
        let log = context.shared.log.clone();
        *context.log.borrow_mut() = log.map(|log| TransactionLog::new(log, timeline.window_start));
        let load = Load::new(Rc::clone(context), self.number, Arc::clone(timetable), go);
        context.start.set(Some(true));
        context.handle.wake_all();
        self.load = Some(load);
    }

    /// Says the last word. However a worker ends, what it knows is told here.
    pub fn end(self) {
        let Self { event_loop, context, number: worker, load } = self;
        // Clients that are still under way are given up. They hand over what they know, and their
        // connections close with them.
        drop(event_loop);
        let samples = load.map_or_else(Vec::new, |load| load.finish());
        context.flush_log();
        context.send(Message::End {
            worker,
            samples,
            statements: context.statement_counts.take().into_counts(),
            statements_by_host: context.hosts.take_statements(),
            facts: context.facts.take(),
            ended: Timestamp::now(),
        });
    }
}

/// It is there before the signal to begin.
fn shared_timetable<D, W>(context: &Context<D, W>) -> &Arc<Timetable> {
    let timetable = context.shared.timetable.get();
    timetable.unwrap_or_else(|| unreachable!("no signal without it"))
}

/// A worker's part in the load, from the start to the end of the drain.
struct Load<D, W> {
    context: Rc<Context<D, W>>,
    worker: usize,
    timetable: Arc<Timetable>,
    last_turn: Timestamp,
}

impl<D: Driver, W: Workload> Load<D, W> {
    fn new(
        context: Rc<Context<D, W>>,
        worker: usize,
        timetable: Arc<Timetable>,
        go: Timestamp,
    ) -> Self {
        if let Some(claims) = context.shared.claims.get() {
            context.dispatcher.follow(Arc::clone(claims));
        }
        let load = Self { context, worker, timetable, last_turn: go };
        // It may be over before any interval is flushed.
        load.note_levels();
        load
    }

    /// One turn of the loop and what follows from it; false when the load is over.
    fn turn(&mut self, event_loop: &mut EventLoop<'_>) -> io::Result<bool> {
        // Loops turn ten times a second anyway, and clients set their own alarms.
        let now = event_loop.turn(Timestamp(u64::MAX))?;
        self.look_for_pause(now);
        self.context.dispatcher.take_what_was_handed_back();
        self.end_when_due(now);
        self.flush(now);
        Ok(event_loop.live_tasks() > 0 && !self.context.is_draining_out())
    }

    /// The intervals that are still open, once nothing more can happen.
    fn finish(&self) -> Vec<IntervalSample> {
        self.check_counters();
        self.note_counts();
        let recorder = self.context.recorder.borrow_mut().take();
        recorder.map_or_else(Vec::new, |recorder| recorder.finish(Timestamp::now()))
    }

    /// A loop that was sure to turn, and did not, has been stopped, or had no CPU. One whose tasks make
    /// blocking calls is sure of nothing.
    #[inline]
    fn look_for_pause(&mut self, now: Timestamp) {
        let last_turn = std::mem::replace(&mut self.last_turn, now);
        if !D::BLOCKING
            && let Some(pause) = Pause::between(last_turn, now, SWEEP_PERIOD)
        {
            self.context.recorder().paused(pause);
        }
    }

    fn end_when_due(&self, now: Timestamp) {
        if self.may_start_no_more(now) {
            // Whoever waits for a transaction would not be told before the end of the wait.
            self.context.dispatcher.end();
        }
        let interrupted = self.context.shared.stop.load(Ordering::Relaxed);
        if self.context.drain_end.get().is_some()
            || !(interrupted || now >= self.timetable.window_end())
        {
            return;
        }
        let EngineLimits { drain, interrupted_drain, .. } = self.context.options().limits;
        let drain = if interrupted { drain.min(interrupted_drain) } else { drain };
        // The last interval is taken with the load, and not flushed.
        self.note_levels();
        self.context.drain_end.set(Some(now + drain));
        if let Some(claims) = self.context.shared.claims.get() {
            claims.stop(now);
        }
        self.context.dispatcher.end();
    }

    fn may_start_no_more(&self, now: Timestamp) -> bool {
        match self.context.shared.claims.get() {
            Some(claims) => now >= claims.end(),
            None => W::Client::PACED && self.context.may_start_no_more(now),
        }
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
        self.note_counts();
    }

    fn note_counts(&self) {
        self.context.recorder().add_loop_counts(self.context.handle.take_counts());
    }

    /// Compares what the counters say is in flight with what is really there.
    fn check_counters(&self) {
        let recorder = self.context.recorder();
        for (kind, running) in self.context.running.iter().enumerate() {
            assert_eq!(
                recorder.in_flight(kind),
                running.get(),
                "transactions in flight by the counters, and in fact"
            );
        }
    }

    fn send(&self, sample: IntervalSample) {
        self.context.send(Message::Interval { worker: self.worker, sample: Box::new(sample) });
    }
}
