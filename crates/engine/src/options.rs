//! What a trial is asked to do, ready to use: everything here has been validated.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use contract::ErrorSet;
use eventloop::{Timestamp, Waiting};

use crate::share::Share;
use crate::timeline::Timeline;

/// When transactions are scheduled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// A client's next transaction is scheduled when its last one was answered.
    Closed,
    /// Equally spaced, so many a second over the whole generator.
    Constant {
        /// Transactions a second.
        rate_per_s: f64,
    },
    /// Exponentially distributed gaps, so many a second over the whole generator.
    Poisson {
        /// Transactions a second.
        rate_per_s: f64,
    },
}

/// What happens after an error that the same transaction, sent again, may survive.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    /// Which errors these are.
    pub errors: ErrorSet,
    /// Whether a further attempt has an input of its own, as in sysbench. It then moves away from
    /// the rows that it met somebody on, so that a contended server looks better than it is.
    pub new_input: bool,
    /// Further attempts after the first.
    pub max_retries: u32,
    /// The back-off before the first retry is drawn between zero and this; it doubles each time.
    pub backoff_min: Duration,
    /// No back-off is longer.
    pub backoff_max: Duration,
}

impl RetryPolicy {
    /// The pause before a retry after `attempt` attempts; `unit` is drawn from [0, 1).
    pub fn backoff(&self, attempt: u32, unit: f64) -> Duration {
        let doubled = self.backoff_min.saturating_mul(1 << attempt.min(20));
        doubled.min(self.backoff_max).mul_f64(unit)
    }
}

/// How long the engine waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineLimits {
    /// For one client to connect, log in and prepare.
    pub connect: Duration,
    /// For one statement.
    pub statement: Duration,
    /// For what is under way at the end of the window.
    pub drain: Duration,
    /// For the same where the trial is stopped; never longer than `drain`.
    pub interrupted_drain: Duration,
}

/// What the engine itself does about sessions; the rest is the driver's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Every client reads back what its connection runs with, and not only the first.
    pub reads_back_all: bool,
    /// A transaction that a workload leaves open, because it sent no BEGIN, is committed.
    pub ends_transactions: bool,
    /// A connection is made anew after so many transactions.
    pub reconnect_after: Option<u64>,
}

/// One trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Virtual users, each with a connection, of all generators together.
    pub clients: usize,
    /// What this generator makes of the load.
    pub share: Share,
    /// Threads; a blocking driver gets one a client whatever is said here.
    pub workers: usize,
    /// Closed or open loop.
    pub arrivals: Arrivals,
    /// Before the window.
    pub warmup: Duration,
    /// The window begins earlier when that is told, after so much warm-up at least. None: the warm-up
    /// takes as long as it takes.
    pub warmup_least: Option<Duration>,
    /// The window.
    pub duration: Duration,
    /// The length of an interval.
    pub interval: Duration,
    /// What all random streams grow from.
    pub seed: u64,
    /// What is retried, and how.
    pub retry: RetryPolicy,
    /// The share of failed transactions beyond which the trial has failed.
    pub error_budget: f64,
    /// Whether the first transaction that fails for good ends the trial.
    pub stop_at_failure: bool,
    /// The trial ends when so many transactions have been started, by all generators together, if it
    /// has not before.
    pub transactions: Option<u64>,
    /// Whether clients are counted one by one, too.
    pub count_by_client: bool,
    /// A file, not there yet, to which a line is written for each transaction.
    pub transaction_log: Option<PathBuf>,
    /// Time limits.
    pub limits: EngineLimits,
    /// Sessions.
    pub session: SessionPolicy,
    /// How workers wait for answers.
    pub waiting: Waiting,
}

impl Options {
    /// The numbers of the clients that this generator has.
    pub fn own_clients(&self) -> Range<usize> {
        let Range { start, end } = self.share.range(self.clients as u64);
        let index = |number| usize::try_from(number).unwrap_or(self.clients);
        index(start)..index(end)
    }

    /// The transactions that this generator may start in a closed loop.
    pub(crate) fn own_transactions(&self) -> u64 {
        let Range { start, end } = self.share.range(self.transactions.unwrap_or(u64::MAX));
        end - start
    }

    /// The phases of a trial that begins at an instant.
    pub(crate) fn timeline(&self, go: Timestamp) -> Timeline {
        Timeline::new(go, self.warmup, self.duration, self.interval)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A trial of one client.
    pub fn options() -> Options {
        let second = Duration::from_secs(1);
        Options {
            clients: 1,
            share: Share::WHOLE,
            workers: 1,
            arrivals: Arrivals::Closed,
            warmup: Duration::ZERO,
            warmup_least: None,
            duration: second,
            interval: second,
            seed: 1,
            retry: RetryPolicy {
                errors: ErrorSet::retryable(),
                new_input: false,
                max_retries: 10,
                backoff_min: Duration::ZERO,
                backoff_max: second,
            },
            error_budget: 0.01,
            stop_at_failure: false,
            transactions: None,
            count_by_client: false,
            transaction_log: None,
            limits: EngineLimits {
                connect: second,
                statement: second,
                drain: second,
                interrupted_drain: second,
            },
            session: SessionPolicy::default(),
            waiting: Waiting::default(),
        }
    }
}
