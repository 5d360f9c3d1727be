//! Trials against the scripted server, and what became of them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{ErrorClass, ErrorSet, Workload};
use engine::{
    Arrivals, EngineLimits, Event, IntervalSample, Options, RetryPolicy, RunEnd, RunError,
    SessionPolicy, run,
};
use eventloop::Waiting;
use histogram::Histogram;

use super::{OneStatement, Reaction, ScriptedDriver, serve};

pub const MS: u64 = 1_000_000;

pub fn options() -> Options {
    Options {
        clients: 4,
        workers: 2,
        arrivals: Arrivals::Closed,
        warmup: Duration::ZERO,
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
        },
    }
}

pub struct Outcome {
    pub intervals: Vec<IntervalSample>,
    pub end: RunEnd,
    /// The client and the input of every attempt.
    pub log: Vec<(u64, u64)>,
}

impl Outcome {
    pub fn total(&self, count: impl Fn(&engine::TransactionSample) -> u64) -> u64 {
        self.intervals.iter().map(|interval| count(&interval.transactions[0])).sum()
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

pub fn try_run(
    options: Options,
    address: std::net::SocketAddr,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, RunError> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let workload = OneStatement { log: Arc::clone(&log) };
    let outcome = try_run_workload(workload, options, address, stop)?;
    let log = log.lock().unwrap().clone();
    Ok(Outcome { log, ..outcome })
}

pub fn try_run_workload(
    workload: impl Workload,
    options: Options,
    address: std::net::SocketAddr,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, RunError> {
    let (mut intervals, mut end) = (Vec::new(), None);
    run(ScriptedDriver(address), workload, options, stop, &mut |event| match event {
        Event::Connected { .. } => {}
        Event::Interval(sample) => intervals.push(*sample),
        Event::End(last) => end = Some(last),
    })?;
    Ok(Outcome { intervals, end: end.expect("every run has an end"), log: Vec::new() })
}

pub fn run_against(
    options: Options,
    script: impl Fn(u64, Duration) -> Reaction + Send + Sync + 'static,
) -> Outcome {
    try_run(options, serve(script), &Arc::default()).unwrap()
}
