//! Trials against the scripted server, and what became of them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{ErrorClass, ErrorSet, Workload};
use engine::{
    Arrivals, Commands, EngineLimits, Event, Incident, IntervalSample, Options, Phase, RetryPolicy,
    RunEnd, RunError, SessionPolicy, Share, Simulated, simulate,
};
use eventloop::simulation::VirtualTime;
use eventloop::{Timestamp, Waiting};
use histogram::Histogram;

use super::{OneStatement, Reaction, ScriptedDriver, Server, Truth, serve};

pub const MS: u64 = 1_000_000;

pub fn options() -> Options {
    Options {
        clients: 4,
        share: Share::WHOLE,
        workers: 2,
        arrivals: Arrivals::Closed,
        warmup: Duration::ZERO,
        warmup_least: None,
        duration: Duration::from_millis(600),
        interval: Duration::from_millis(200),
        seed: 1,
        retry: RetryPolicy {
            errors: ErrorSet::retryable(),
            new_input: false,
            max_retries: 10,
            backoff_min: Duration::from_millis(1),
            backoff_max: Duration::from_millis(4),
        },
        error_budget: 0.01,
        stop_at_failure: false,
        transactions: None,
        count_by_client: false,
        transaction_log: None,
        session: SessionPolicy::default(),
        waiting: Waiting::default(),
        limits: EngineLimits {
            connect: Duration::from_secs(5),
            statement: Duration::from_secs(5),
            drain: Duration::from_secs(3),
            interrupted_drain: Duration::from_secs(2),
        },
    }
}

pub struct Outcome {
    pub intervals: Vec<IntervalSample>,
    pub end: RunEnd,
    /// The client and the input of every attempt.
    pub log: Vec<(u64, u64)>,
    /// When the trial began.
    pub begin: Timestamp,
    pub simulated: Simulated,
    pub truth: Truth,
    /// What came of it where the window was to begin earlier: when it begins, or why it does not.
    pub window_told: Vec<Result<Timestamp, &'static str>>,
}

impl Outcome {
    pub fn total(&self, count: impl Fn(&engine::TransactionSample) -> u64) -> u64 {
        self.intervals.iter().map(|interval| count(&interval.transactions[0])).sum()
    }

    pub fn total_in_window(&self, count: impl Fn(&engine::TransactionSample) -> u64) -> u64 {
        let window = self.intervals.iter().filter(|i| i.span.phase == Phase::Window);
        window.map(|interval| count(&interval.transactions[0])).sum()
    }

    /// Times of what was scheduled in the window.
    pub fn of_window(&self, of: impl Fn(&engine::TransactionSample) -> &Histogram) -> Histogram {
        let mut all = Histogram::new();
        for interval in self.intervals.iter().filter(|i| i.span.phase == Phase::Window) {
            all.merge(of(&interval.transactions[0]));
        }
        all
    }

    pub fn merged(&self, of: impl Fn(&engine::TransactionSample) -> &Histogram) -> Histogram {
        let mut all = Histogram::new();
        for interval in &self.intervals {
            all.merge(of(&interval.transactions[0]));
        }
        all
    }

    pub fn errors_of(&self, class: ErrorClass) -> u64 {
        let errors = self.intervals.iter().flat_map(|interval| &interval.errors);
        errors.filter(|(key, _)| key.class == class).map(|(_, sample)| sample.count).sum()
    }
}

/// What befalls the generator, and when.
pub type Incidents<'a> = &'a [(Duration, Incident)];

pub fn try_run(
    options: Options,
    server: &Server,
    incidents: Incidents<'_>,
) -> Result<Outcome, RunError> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let workload = OneStatement { log: Arc::clone(&log) };
    let outcome = try_run_workload(workload, options, server, incidents)?;
    let log = log.lock().unwrap().clone();
    Ok(Outcome { log, ..outcome })
}

pub fn try_run_workload(
    workload: impl Workload,
    options: Options,
    server: &Server,
    incidents: Incidents<'_>,
) -> Result<Outcome, RunError> {
    let time = VirtualTime::begin(options.seed);
    let begin = Timestamp::now();
    server.begin(begin);
    let (mut intervals, mut end, mut window_told) = (Vec::new(), None, Vec::new());
    let driver = ScriptedDriver(server.clone());
    let mut emit = |event| match event {
        Event::Connected { .. } | Event::Started { .. } => {}
        Event::WindowMoved { window_start, .. } => window_told.push(Ok(window_start)),
        Event::WindowKept { reason, .. } => window_told.push(Err(reason)),
        Event::Interval(sample) => intervals.push(*sample),
        Event::End(last) => end = Some(last),
    };
    let commands = Commands::default();
    let simulated = simulate(&time, driver, workload, options, &commands, incidents, &mut emit)?;
    add_late_times(&mut intervals);
    let end = end.expect("every run has an end");
    let truth = server.truth();
    Ok(Outcome { intervals, end, log: Vec::new(), begin, simulated, truth, window_told })
}

/// Adds times that came late to the intervals that they belong to, as whoever stores intervals does.
fn add_late_times(intervals: &mut [IntervalSample]) {
    for late in intervals.iter_mut().flat_map(|i| std::mem::take(&mut i.late)).collect::<Vec<_>>() {
        let interval = intervals.iter_mut().find(|i| i.span.index == late.index).unwrap();
        assert_eq!(interval.span.phase, late.phase);
        for (mine, times) in interval.transactions.iter_mut().zip(&late.transactions) {
            mine.response.merge(&times.response.to_histogram());
            mine.service.merge(&times.service.to_histogram());
            mine.lag.merge(&times.lag.to_histogram());
            mine.failed_response.merge(&times.failed_response);
        }
    }
}

pub fn run_against(
    options: Options,
    script: impl FnMut(u64, Duration) -> Reaction + Send + 'static,
) -> Outcome {
    try_run(options, &serve(script), &[]).unwrap()
}

/// A trial in which one statement is never answered, and fails in its time limit.
pub fn run_with_one_timeout(statement: Duration) -> Outcome {
    let limits = EngineLimits { statement, ..options().limits };
    let options = Options { limits, error_budget: 0.5, ..options() };
    run_against(options, |number, _| if number == 40 { Reaction::Hang } else { Reaction::Answer })
}
