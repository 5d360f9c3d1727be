//! Intervals that are still open: one worker's counters and histograms, ready to be recorded into.

use contract::{Ending, StatementCounters};
use eventloop::Timestamp;
use histogram::{Histogram, LiveHistogram, SparseHistogram};

use crate::completion::Completion;
use crate::gaps::Completions;
use crate::late::{LateSample, LateTimes, late_of};
use crate::pauses::Pauses;
use crate::sample::{ClientSample, Errors, PlannedReconnects, TransactionSample};
use crate::timeline::Span;

/// One kind of transaction in an interval that is still open. Counters are of what happened in it,
/// times of transactions that were scheduled in it.
#[derive(Clone, Default)]
pub(crate) struct LiveTransaction {
    pub scheduled: u64,
    pub committed: u64,
    pub rolled_back: u64,
    pub failed: u64,
    pub dropped: u64,
    pub retries: u64,
    pub first_attempt_aborts: u64,
    /// Of those that started at the very instant for which they were scheduled, as all do in a
    /// closed loop: their response time is their service time, and they have no lag.
    pub punctual: LiveHistogram,
    /// Of the others.
    pub response: LiveHistogram,
    pub service: LiveHistogram,
    pub lag: LiveHistogram,
    /// Of all: until the client could go on.
    pub turnaround: LiveHistogram,
    /// Of those that failed.
    pub failed_response: SparseHistogram,
}

impl LiveTransaction {
    /// Those that ended, well or badly.
    pub fn ended(&self) -> u64 {
        self.committed + self.rolled_back + self.failed + self.dropped
    }

    /// Counts one that ended well.
    #[inline]
    pub fn count(&mut self, ending: Ending) {
        match ending {
            Ending::Committed => self.committed += 1,
            Ending::RolledBack => self.rolled_back += 1,
        }
    }

    /// Records the times of one that ended well.
    #[inline]
    pub fn record(&mut self, completion: &Completion) {
        self.turnaround.record(completion.turnaround_ns());
        let lag_ns = completion.lag_ns();
        if lag_ns == 0 {
            // One place in memory to go to instead of three.
            self.punctual.record(completion.service_ns());
            return;
        }
        self.response.record(completion.response_ns());
        self.service.record(completion.service_ns());
        self.lag.record(lag_ns);
    }

    /// What was measured, with what is in flight at the end.
    pub fn finish(self, in_flight: u64) -> TransactionSample {
        let with_punctual = |live: &LiveHistogram| {
            let mut wide = Histogram::new();
            wide.merge_live(live);
            wide.merge_live(&self.punctual);
            wide
        };
        let mut lag = Histogram::new();
        lag.merge_live(&self.lag);
        lag.record_many(0, self.punctual.count());
        let mut turnaround = Histogram::new();
        turnaround.merge_live(&self.turnaround);
        TransactionSample {
            scheduled: self.scheduled,
            committed: self.committed,
            rolled_back: self.rolled_back,
            failed: self.failed,
            dropped: self.dropped,
            in_flight,
            retries: self.retries,
            first_attempt_aborts: self.first_attempt_aborts,
            response: with_punctual(&self.response),
            service: with_punctual(&self.service),
            lag,
            turnaround,
            failed_response: self.failed_response,
        }
    }
}

/// An interval that is still open.
pub(crate) struct LiveInterval {
    pub span: Span,
    pub transactions: Vec<LiveTransaction>,
    /// By client; empty where they are not counted one by one.
    pub clients: Vec<ClientSample>,
    pub statements: StatementCounters,
    pub reconnects: u64,
    pub planned_reconnects: PlannedReconnects,
    pub errors: Errors,
    /// Times of transactions that ended in this interval, and were scheduled for one that is closed.
    pub late: Vec<LateSample>,
    pub completions: Completions,
    pub pauses: Pauses,
    pub loop_lag: LiveHistogram,
    /// Transactions by host; empty where there is one.
    pub hosts: Vec<u64>,
}

impl LiveInterval {
    /// An interval in which nothing has happened yet.
    pub fn new(span: Span, dimensions: RecorderDimensions) -> Self {
        Self {
            span,
            // Not copied: memory that is never written to takes none.
            transactions: (0..dimensions.kinds).map(|_| LiveTransaction::default()).collect(),
            clients: vec![ClientSample::default(); dimensions.clients],
            statements: StatementCounters::default(),
            reconnects: 0,
            planned_reconnects: PlannedReconnects::default(),
            errors: Errors::new(),
            late: Vec::new(),
            completions: Completions::default(),
            pauses: Pauses::default(),
            loop_lag: LiveHistogram::default(),
            hosts: vec![0; dimensions.hosts],
        }
    }
}

impl LiveInterval {
    /// Whether an instant lies in it.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.span.start <= time && time < self.span.end
    }

    /// The late times of an interval that is closed, for one kind.
    pub fn late(&mut self, span: &Span, kind: usize) -> &mut LateTimes {
        let kinds = self.transactions.len();
        &mut late_of(&mut self.late, span, kinds).transactions[kind]
    }
}

/// How many of each a recorder counts separately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecorderDimensions {
    /// Kinds of transactions.
    pub kinds: usize,
    /// Clients of all workers; zero where they are not counted one by one.
    pub clients: usize,
    /// Hosts; zero where there is one.
    pub hosts: usize,
}
