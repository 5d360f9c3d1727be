//! What is measured: the counters and histograms of one interval, and how they are merged.

use std::collections::BTreeMap;

use contract::{ErrorClass, Fact, SqlError, StatementCount, StatementCounters};
use eventloop::LoopCounts;
use histogram::{Histogram, SparseHistogram};

use crate::gaps::Completions;
use crate::hosts::{HostSample, HostTotal, merge_samples};
use crate::late::{LateSample, merge_late};
use crate::pauses::Pauses;
use crate::timeline::Span;

/// One kind of transaction in one interval. All but `in_flight` count what happened inside it.
///
/// Over the trial so far, `scheduled = committed + rolled_back + failed + dropped + in_flight`.
#[derive(Clone, Debug, Default)]
pub struct TransactionSample {
    /// Scheduled: in a closed loop, started. (What a worker of an open loop tells is how many it has
    /// begun; the coordinator puts what was due in its place.)
    pub scheduled: u64,
    /// Committed.
    pub committed: u64,
    /// Rolled back on purpose.
    pub rolled_back: u64,
    /// Ended by an error that was not retried, or not any more.
    pub failed: u64,
    /// Scheduled and never started.
    pub dropped: u64,
    /// Scheduled and not yet ended, at the end of the interval.
    pub in_flight: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Transactions whose first attempt ended in an error.
    pub first_attempt_aborts: u64,
    /// End − scheduled, of committed and rolled back transactions. This and the other times are of
    /// transactions that were *scheduled* in the interval.
    pub response: Histogram,
    /// End − start.
    pub service: Histogram,
    /// Start − scheduled.
    pub lag: Histogram,
    /// Handled − scheduled: until the client could go on.
    pub turnaround: Histogram,
    /// From scheduled to given up, of failed transactions, which are few.
    pub failed_response: SparseHistogram,
}

impl TransactionSample {
    /// Transactions that ended in the interval, well or badly.
    pub fn ended(&self) -> u64 {
        self.committed + self.rolled_back + self.failed + self.dropped
    }

    fn merge(&mut self, other: &Self) {
        // Taken apart in full, so that a new field can't be forgotten here.
        let Self {
            scheduled,
            committed,
            rolled_back,
            failed,
            dropped,
            in_flight,
            retries,
            first_attempt_aborts,
            response,
            service,
            lag,
            turnaround,
            failed_response,
        } = other;
        self.scheduled += scheduled;
        self.committed += committed;
        self.rolled_back += rolled_back;
        self.failed += failed;
        self.dropped += dropped;
        self.in_flight += in_flight;
        self.retries += retries;
        self.first_attempt_aborts += first_attempt_aborts;
        self.response.merge(response);
        self.service.merge(service);
        self.lag.merge(lag);
        self.turnaround.merge(turnaround);
        self.failed_response.merge(failed_response);
    }
}

/// One client in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientSample {
    /// Transactions that ended well.
    pub transactions: u64,
    /// The sum of their response times.
    pub response_ns: u64,
    /// The sum of their times until the client could go on.
    pub turnaround_ns: u64,
}

/// How things stand at one moment, a little after the end of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Clients with a connection.
    pub live_clients: u64,
    /// Transactions that are due and that no client has begun, at the end of the interval.
    pub waiting: u64,
    /// Transactions that a client has begun.
    pub running: u64,
}

/// How the generator itself fared in one interval.
#[derive(Clone, Debug, Default)]
pub struct GeneratorHealth {
    /// Seconds of user-mode CPU of all workers.
    pub user_s: f64,
    /// Seconds of system-mode CPU of all workers.
    pub system_s: f64,
    /// The busiest worker's CPU as a share of the interval.
    pub busiest_worker_share: f64,
    /// Seconds in which workers were ready to run and had no CPU.
    pub run_queue_delay_s: f64,
    /// Context switches because there was nothing to do.
    pub voluntary_switches: u64,
    /// Context switches because the kernel gave the CPU to somebody else.
    pub involuntary_switches: u64,
    /// What its loops counted.
    pub loop_counts: LoopCounts,
    /// When the generator did not run although it should have.
    pub pauses: Pauses,
    /// From the arrival of a transaction's last answer to its being handled.
    pub loop_lag: Histogram,
}

impl GeneratorHealth {
    fn merge(&mut self, other: &Self) {
        let Self {
            user_s,
            system_s,
            busiest_worker_share,
            run_queue_delay_s,
            voluntary_switches,
            involuntary_switches,
            loop_counts,
            pauses,
            loop_lag,
        } = other;
        self.user_s += user_s;
        self.system_s += system_s;
        self.busiest_worker_share = self.busiest_worker_share.max(*busiest_worker_share);
        self.run_queue_delay_s += run_queue_delay_s;
        self.voluntary_switches += voluntary_switches;
        self.involuntary_switches += involuntary_switches;
        self.loop_counts.merge(*loop_counts);
        self.pauses.merge(*pauses);
        self.loop_lag.merge(loop_lag);
    }
}

/// Connections that were made anew on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlannedReconnects {
    /// How many.
    pub count: u64,
    /// How long it took to connect, sign on and prepare, in all. It is part of response times.
    pub seconds: f64,
}

impl PlannedReconnects {
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.seconds += other.seconds;
    }
}

/// What tells errors apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorKey {
    /// What it means.
    pub class: ErrorClass,
    /// The server's number.
    pub code: i32,
    /// The SQLSTATE.
    pub sqlstate: String,
}

/// Errors of one key: how many, and the words of one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorSample {
    /// How many.
    pub count: u64,
    /// One message.
    pub sample: String,
}

/// Errors by key.
pub type Errors = BTreeMap<ErrorKey, ErrorSample>;

pub(crate) fn count_error(errors: &mut Errors, error: &SqlError) {
    let key = ErrorKey {
        class: error.class(),
        code: error.code(),
        sqlstate: error.sqlstate().to_owned(),
    };
    let entry = errors.entry(key).or_default();
    entry.count += 1;
    if entry.sample.is_empty() {
        error.message().clone_into(&mut entry.sample);
    }
}

pub(crate) fn merge_errors(into: &mut Errors, other: &Errors) {
    for (key, ErrorSample { count, sample }) in other {
        let entry = into.entry(key.clone()).or_default();
        entry.count += count;
        if entry.sample.is_empty() {
            entry.sample.clone_from(sample);
        }
    }
}

/// One interval, of one worker or of all.
#[derive(Clone, Debug)]
pub struct IntervalSample {
    /// Which interval.
    pub span: Span,
    /// By kind of transaction, in the workload's order.
    pub transactions: Vec<TransactionSample>,
    /// By client, where they are counted one by one.
    pub clients: Vec<ClientSample>,
    /// Statements of transactions that ended in the interval.
    pub statements: StatementCounters,
    /// How things stood when it was closed.
    pub levels: Levels,
    /// Connections made again, whether they were lost or had served their time.
    pub reconnects: u64,
    /// Those that had served their time, and the seconds that clients waited for new ones.
    pub planned_reconnects: PlannedReconnects,
    /// Errors, those that were retried included.
    pub errors: Errors,
    /// Times of transactions that ended after the interval for which they were scheduled had been
    /// handed out, in order of these intervals. They are to be added to its times.
    pub late: Vec<LateSample>,
    /// When transactions ended well.
    pub(crate) completions: Completions,
    /// The longest time without a transaction that ended well, of all that touch the interval: from
    /// where it began, perhaps in an earlier one, to where it ended or to the interval's end.
    pub longest_gap_s: f64,
    /// The generator itself.
    pub generator: GeneratorHealth,
    /// By host, where there are several.
    pub hosts: Vec<HostSample>,
}

impl IntervalSample {
    /// An empty interval.
    pub fn new(span: Span, kinds: usize) -> Self {
        Self {
            span,
            transactions: vec![TransactionSample::default(); kinds],
            clients: Vec::new(),
            statements: StatementCounters::default(),
            levels: Levels::default(),
            reconnects: 0,
            planned_reconnects: PlannedReconnects::default(),
            errors: Errors::new(),
            late: Vec::new(),
            completions: Completions::default(),
            longest_gap_s: 0.0,
            generator: GeneratorHealth::default(),
            hosts: Vec::new(),
        }
    }

    /// Adds another worker's part of the same interval.
    ///
    /// # Panics
    ///
    /// When it is a part of another interval.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            span,
            transactions,
            clients,
            statements,
            levels,
            reconnects,
            planned_reconnects,
            errors,
            late,
            completions,
            longest_gap_s,
            generator,
            hosts,
        } = other;
        assert_eq!(self.span.index, span.index, "only parts of one interval can be merged");
        self.span.end = self.span.end.max(span.end);
        for (mine, theirs) in self.transactions.iter_mut().zip(transactions) {
            mine.merge(theirs);
        }
        self.clients.resize(self.clients.len().max(clients.len()), ClientSample::default());
        for (mine, theirs) in self.clients.iter_mut().zip(clients) {
            mine.transactions += theirs.transactions;
            mine.response_ns += theirs.response_ns;
            mine.turnaround_ns += theirs.turnaround_ns;
        }
        self.statements.add(*statements);
        self.levels.live_clients += levels.live_clients;
        self.levels.waiting += levels.waiting;
        self.levels.running += levels.running;
        self.reconnects += reconnects;
        self.planned_reconnects.merge(*planned_reconnects);
        merge_errors(&mut self.errors, errors);
        merge_late(&mut self.late, late);
        self.completions.merge(*completions);
        self.longest_gap_s = self.longest_gap_s.max(*longest_gap_s);
        self.generator.merge(generator);
        merge_samples(&mut self.hosts, hosts);
    }
}

/// Counts over a trial so far, and the check of their identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningTotals {
    scheduled: Vec<u64>,
    ended: Vec<u64>,
    pub failed: u64,
    pub completed: u64,
}

impl RunningTotals {
    /// Adds an interval.
    ///
    /// # Panics
    ///
    /// When the counters contradict each other: a figure that can't be trusted must not be shown.
    pub fn add(&mut self, sample: &IntervalSample) {
        self.scheduled.resize(sample.transactions.len(), 0);
        self.ended.resize(sample.transactions.len(), 0);
        for (kind, transaction) in sample.transactions.iter().enumerate() {
            self.scheduled[kind] += transaction.scheduled;
            self.ended[kind] += transaction.ended();
            self.failed += transaction.failed;
            self.completed += transaction.committed + transaction.rolled_back;
            assert_eq!(
                self.scheduled[kind],
                self.ended[kind] + transaction.in_flight,
                "scheduled = committed + rolled back + failed + dropped + in flight, at the end of \
                 interval {} ({})",
                sample.span.index,
                sample.span.phase.name(),
            );
        }
    }

    /// The share of failed transactions among those that were carried out.
    pub fn failed_share(&self) -> f64 {
        let carried_out = self.failed + self.completed;
        if carried_out == 0 { 0.0 } else { self.failed as f64 / carried_out as f64 }
    }
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// To the end.
    Completed,
    /// Stopped from outside.
    Interrupted,
    /// Too many errors, or no load at all.
    Failed,
}

impl Status {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// The last word of a trial.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// How it ended.
    pub status: Status,
    /// Why, where it did not end well.
    pub reason: Option<String>,
    /// From the beginning of the warm-up to the end of the drain.
    pub elapsed_s: f64,
    /// Every statement sent in that time, whether or not it succeeded.
    pub statements: Vec<StatementCount>,
    /// What the workload measured of its inputs.
    pub facts: BTreeMap<&'static str, Fact>,
    /// Whether ends are the kernel's receive times.
    pub kernel_timestamps: bool,
    /// What became of each host, where there are several.
    pub hosts: Vec<HostTotal>,
}
