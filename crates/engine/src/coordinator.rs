//! The coordinator's judgement: what has come of a trial so far, by what its workers tell.
//!
//! It starts no thread and waits for nothing; whoever does that hands it the messages, and the time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use contract::{Driver, SessionFacts, StatementTotals, Workload};
use eventloop::Timestamp;

use crate::arrivals::{Arrival, Schedule};
use crate::backlog::Backlog;
use crate::claims::Claims;
use crate::context::{Facts, Message, NOT_TOLD, Shared, merge_facts};
use crate::event::Event;
use crate::hosts::HostTotals;
use crate::in_flight_at_last_report::InFlightAtLastReport;
use crate::overview::{Overview, TICK};
use crate::patience::{MARGIN, Patience, connect_limit, load_limit};
use crate::run_error::RunError;
use crate::sample::{Errors, IntervalSample, RunEnd, RunningTotals, Status, merge_errors};
use crate::timeline::{Phase, Timeline};
use crate::timetable::Timetable;
use crate::transaction_log::{Line, TransactionLog};

/// From the signal to the start of the load: longer than a loop ever sleeps, so that everybody has
/// seen the signal when the load begins.
const SIGNAL_AHEAD: Duration = Duration::from_millis(250);

/// Transactions after which a share of failures means something while the trial still runs.
const BUDGET_MINIMUM: u64 = 200;

/// How often the coordinator looks whether it was stopped while clients connect.
const CONNECT_POLL: Duration = Duration::from_millis(50);

/// How long it waits, with all clients ready, to be told when to begin: others connect meanwhile.
const START_LIMIT: Duration = Duration::from_hours(1);

/// Where one worker's reports have got to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// All intervals up to this one are there.
    Interval(i64),
    /// There will be no more.
    Ended,
}

/// How far the trial is.
#[derive(Clone, Copy)]
enum Stage {
    /// So many clients are ready.
    Connecting { ready: usize },
    /// All clients are ready, and somebody else says when the load begins.
    Ready,
    /// The load began, or will begin.
    Loading { go: Timestamp },
    /// It was stopped before everybody was ready; the workers are about to end.
    Stopped,
}

/// Merges what workers tell, and knows how long they may take.
pub(crate) struct Coordinator<'a, D, W> {
    shared: &'a Shared<D, W>,
    begin: Timestamp,
    stage: Stage,
    patience: Patience,
    server_version: String,
    kernel_timestamps: bool,
    session: Option<SessionFacts>,
    progress: Vec<Progress>,
    in_flight_at_last_report: Vec<InFlightAtLastReport>,
    pending: BTreeMap<i64, IntervalSample>,
    totals: RunningTotals,
    errors: Errors,
    statements: StatementTotals,
    facts: Facts,
    hosts: HostTotals,
    /// There is none until everybody is ready.
    overview: Option<Overview>,
    /// Whether it was told that the clock has started.
    has_said_started: bool,
    /// The same, and none in a closed loop.
    backlog: Option<Backlog>,
    over_budget: bool,
    last_end: Timestamp,
    kinds: usize,
}

impl<'a, D: Driver, W: Workload> Coordinator<'a, D, W> {
    pub fn new(shared: &'a Shared<D, W>, begin: Timestamp) -> Self {
        let kinds = shared.workload.transactions().len();
        Self {
            shared,
            begin,
            stage: Stage::Connecting { ready: 0 },
            patience: Patience::new(connect_limit(shared), begin),
            server_version: String::new(),
            kernel_timestamps: true,
            session: None,
            progress: vec![Progress::Interval(i64::MIN); shared.workers],
            in_flight_at_last_report: vec![InFlightAtLastReport::default(); shared.workers],
            pending: BTreeMap::new(),
            totals: RunningTotals::default(),
            errors: Errors::new(),
            statements: StatementTotals::default(),
            facts: Facts::new(),
            hosts: HostTotals::default(),
            overview: None,
            has_said_started: false,
            backlog: None,
            over_budget: false,
            last_end: Timestamp::default(),
            kinds,
        }
    }

    /// Takes in what a worker tells.
    pub fn take(
        &mut self,
        message: Message,
        now: Timestamp,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), RunError> {
        match message {
            Message::Ready { server_version, kernel_timestamps, session } => {
                self.server_version = server_version;
                self.session = self.session.or(session);
                self.kernel_timestamps &= kernel_timestamps;
                self.one_more_is_ready(now, emit);
            }
            Message::Refused { client, error } => {
                let clients = self.clients();
                let number = client + 1 - self.shared.options.own_clients().start as u64;
                return Err(RunError::Refused { client: number, clients, error });
            }
            Message::Interval { worker, sample } => self.add(worker, &sample),
            Message::End { worker, samples, statements, statements_by_host, facts, ended } => {
                for sample in &samples {
                    self.add(worker, sample);
                }
                self.progress[worker] = Progress::Ended;
                self.statements.merge(statements);
                self.hosts.add_statements(statements_by_host);
                merge_facts(&mut self.facts, facts);
                self.last_end = self.last_end.max(ended);
            }
        }
        self.emit_finished(emit);
        Ok(())
    }

    fn one_more_is_ready(&mut self, now: Timestamp, emit: &mut dyn FnMut(Event)) {
        let Stage::Connecting { ready } = self.stage else { return };
        let (ready, clients) = (ready + 1, self.clients());
        self.stage = Stage::Connecting { ready };
        self.patience = Patience::new(connect_limit(self.shared), now);
        if ready < clients || self.shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let elapsed_s = now.seconds_from(self.begin);
        let (server_version, session) = (self.server_version.clone(), self.session);
        let could_share = !self.shared.workload.probes().is_empty();
        let pipelining = could_share.then(|| self.shared.driver.pipelining());
        emit(Event::Connected { clients, elapsed_s, server_version, session, pipelining });
        if self.shared.start_at.is_some() {
            self.stage = Stage::Ready;
            self.patience = Patience::new(START_LIMIT, now);
        } else {
            self.begin_at(Timestamp::now() + SIGNAL_AHEAD, now);
        }
    }

    /// Gives the signal to begin.
    fn begin_at(&mut self, go: Timestamp, now: Timestamp) {
        let timeline = self.shared.options.timeline(go);
        self.overview = Some(Overview::new(timeline));
        let _ = self.shared.timetable.set(Arc::new(Timetable::new(timeline)));
        if let (Some(schedule), Some(same)) = (self.schedule(timeline), self.schedule(timeline)) {
            let claims = Arc::new(Claims::new(same, &timeline));
            self.backlog = Some(Backlog::new(schedule, Arc::clone(&claims), self.kinds));
            let _ = self.shared.claims.set(claims);
        }
        self.shared.go.store(go.0, Ordering::Release);
        self.stage = Stage::Loading { go };
        let until_go = Duration::from_nanos(go.since(now));
        self.patience = Patience::new(load_limit(&self.shared.options) + until_go, now);
    }

    /// Begins at the time that was told, if it was, or as soon after it as all can begin together.
    fn begin_when_told(&mut self, now: Timestamp) {
        let Some(start_at) = &self.shared.start_at else { return };
        let told = Timestamp(start_at.load(Ordering::Acquire));
        if told != Timestamp::default() {
            self.begin_at(told.max(Timestamp::now() + SIGNAL_AHEAD), now);
        }
    }

    /// Brings the window forward where somebody has said so, and says what came of that.
    fn begin_window_when_told(&mut self, now: Timestamp, emit: &mut dyn FnMut(Event)) {
        if self.shared.window_at.load(Ordering::Relaxed) == NOT_TOLD {
            return;
        }
        let index = self.shared.window_at.swap(NOT_TOLD, Ordering::Acquire);
        match self.bring_window_forward(index, now) {
            Ok(window_start) => emit(Event::WindowMoved { index, window_start }),
            Err(reason) => emit(Event::WindowKept { index, reason }),
        }
    }

    fn bring_window_forward(
        &mut self,
        index: i64,
        now: Timestamp,
    ) -> Result<Timestamp, &'static str> {
        let least = self.shared.options.warmup_least.ok_or("the warm-up has a fixed length")?;
        let timetable = self.shared.timetable.get().ok_or("the load has not begun")?;
        let timeline = timetable.bring_forward(index, least, now)?;
        if let Some(claims) = self.shared.claims.get() {
            claims.stop(timeline.window_end);
        }
        self.overview.iter_mut().for_each(|overview| overview.follow(timeline));
        Ok(timeline.window_start)
    }

    fn say_started(&mut self, emit: &mut dyn FnMut(Event)) {
        if let Some(overview) = &self.overview
            && !std::mem::replace(&mut self.has_said_started, true)
        {
            emit(Event::Started { window_start: overview.window_start() });
        }
    }

    /// How many clients this generator has.
    fn clients(&self) -> usize {
        self.shared.options.own_clients().len()
    }

    fn schedule(&self, timeline: Timeline) -> Option<Schedule> {
        let options = &self.shared.options;
        Schedule::new(options, self.shared.workload.chooser(options.seed), timeline)
    }

    /// Looks at what no worker tells: that the trial was stopped, or takes too long.
    pub fn look(&mut self, now: Timestamp, emit: &mut dyn FnMut(Event)) -> Result<(), RunError> {
        match self.stage {
            Stage::Connecting { .. } | Stage::Ready if self.shared.stop.load(Ordering::Relaxed) => {
                self.stage = Stage::Stopped;
                self.patience = Patience::new(self.shared.options.limits.connect + MARGIN, now);
            }
            Stage::Ready => self.begin_when_told(now),
            Stage::Loading { go } if now >= go => {
                self.say_started(emit);
                self.begin_window_when_told(now, emit);
            }
            Stage::Connecting { .. } | Stage::Loading { .. } | Stage::Stopped => {}
        }
        if !self.patience.is_over(now) {
            return Ok(());
        }
        Err(RunError::Stuck(match self.stage {
            Stage::Connecting { ready } => {
                let clients = self.clients();
                format!("{ready} of {clients} clients became ready, and no other one in time")
            }
            Stage::Ready => "all clients were ready, and nobody said when to begin".to_owned(),
            Stage::Loading { .. } | Stage::Stopped => {
                let ended = self.progress.iter().filter(|worker| **worker == Progress::Ended);
                format!("{} of {} workers ended in time", ended.count(), self.shared.workers)
            }
        }))
    }

    /// How long to wait for the next message before the next look.
    pub fn pause(&self) -> Duration {
        match self.stage {
            Stage::Connecting { .. } | Stage::Ready => CONNECT_POLL,
            Stage::Loading { .. } | Stage::Stopped => TICK,
        }
    }

    /// Learns when it began to wait for a message, at most for the [`pause`](Self::pause), and when it
    /// came back.
    pub fn waited(&mut self, began: Timestamp, now: Timestamp) {
        if let (Some(overview), Stage::Loading { .. }) = (&mut self.overview, self.stage) {
            overview.waited(began, now);
        }
    }

    fn add(&mut self, worker: usize, sample: &IntervalSample) {
        self.progress[worker] = Progress::Interval(sample.span.index);
        self.in_flight_at_last_report[worker] = InFlightAtLastReport::of(sample);
        let kinds = self.kinds;
        self.pending
            .entry(sample.span.index)
            .or_insert_with(|| IntervalSample::new(sample.span, kinds))
            .merge(sample);
    }

    /// Hands out, in order, the intervals to which nobody will add anything more.
    fn emit_finished(&mut self, emit: &mut dyn FnMut(Event)) {
        let slowest = self.progress.iter().min().copied().unwrap_or(Progress::Ended);
        while let Some(entry) = self.pending.first_entry() {
            if Progress::Interval(*entry.key()) > slowest {
                return;
            }
            let mut sample = entry.remove();
            let is_last = slowest == Progress::Ended && self.pending.is_empty();
            self.in_flight_at_last_report.iter().for_each(|worker| worker.add_to(&mut sample));
            if let Some(backlog) = &mut self.backlog {
                let dropped = backlog.complete(&mut sample, is_last);
                self.log_dropped(&dropped, sample.span.phase);
            }
            self.overview.iter_mut().for_each(|overview| overview.complete(&mut sample));
            self.totals.add(&sample);
            self.hosts.add_interval(&sample.hosts);
            merge_errors(&mut self.errors, &sample.errors);
            self.watch_budget();
            self.say_started(emit);
            emit(Event::Interval(Box::new(sample)));
        }
    }

    /// Writes down what nobody has begun, where a log is kept.
    fn log_dropped(&self, rest: &[Arrival], phase: Phase) {
        let (Some(file), Some(overview)) = (&self.shared.log, &self.overview) else { return };
        let mut log = TransactionLog::new(Arc::clone(file), overview.window_start());
        let line =
            |arrival: &Arrival| Line::dropped(arrival.kind, arrival.time, self.last_end, phase);
        let written = rest.iter().try_for_each(|arrival| log.write(&line(arrival)));
        if let Err(error) = written.and_then(|()| log.flush()) {
            self.shared.end_with(&error);
        }
    }

    fn watch_budget(&mut self) {
        let enough = self.totals.failed + self.totals.completed >= BUDGET_MINIMUM;
        if enough && self.totals.failed_share() > self.shared.options.error_budget {
            self.over_budget = true;
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The last word, when all workers have had theirs.
    pub fn end(&mut self) -> RunEnd {
        let began = if let Stage::Loading { go } = self.stage { go } else { self.begin };
        let over_budget =
            self.over_budget || self.totals.failed_share() > self.shared.options.error_budget;
        let (status, reason) = if let Some(error) = self.shared.fatal.get() {
            (Status::Failed, Some(error.to_string()))
        } else if over_budget {
            (Status::Failed, Some(self.budget_message()))
        } else if self.shared.stop.load(Ordering::Relaxed) {
            (Status::Interrupted, Some("stopped before its end".to_owned()))
        } else if self.totals.completed == 0 {
            let limit =
                "no transaction ended: the window is too short for this server, or it hangs";
            (Status::Failed, Some(limit.to_owned()))
        } else {
            (Status::Completed, None)
        };
        RunEnd {
            status,
            reason,
            elapsed_s: self.last_end.since(began) as f64 / 1e9,
            statements: std::mem::take(&mut self.statements).into_counts(),
            facts: std::mem::take(&mut self.facts),
            kernel_timestamps: self.kernel_timestamps,
            hosts: self.hosts.finish(&self.shared.driver),
        }
    }

    fn budget_message(&self) -> String {
        let failed = self.totals.failed;
        let carried_out = failed + self.totals.completed;
        let budget_percent = self.shared.options.error_budget * 100.0;
        let share_percent = self.totals.failed_share() * 100.0;
        let most = self.errors.iter().max_by_key(|(_, sample)| sample.count);
        let sample = most.map_or_else(String::new, |(key, sample)| {
            format!("; most often ({} times) {}: {}", sample.count, key.class.name(), sample.sample)
        });
        format!(
            "{failed} of {carried_out} transactions failed ({share_percent:.1} %, and the error \
             budget is {budget_percent} %){sample}"
        )
    }
}
