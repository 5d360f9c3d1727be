//! A trial's plan as it is written, and its conversion into what the engine takes.

use std::path::PathBuf;
use std::time::Duration;

use contract::{ErrorSet, Isolation, SessionOptions};
use engine::{Arrivals, EngineLimits, Options, RetryPolicy, SessionPolicy, Share};
use eventloop::Waiting;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::plan_error::{MOST_CLIENTS, PlanError, count, positive_seconds, seconds, share, wrong};
use crate::target::ProtocolPlan;
use crate::workload::WorkloadPlan;

/// Parts of a load that generators share.
const MOST_PARTS: u64 = 1_000_000;
/// Timers wait for it too.
const MOST_COALESCE_US: u64 = 10_000;

/// Whether prepared statements may share a round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PipeliningPlan {
    /// Where the server takes it.
    #[default]
    Auto,
    /// Never.
    Off,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ArrivalsPlan {
    Closed {},
    Constant { rate_per_s: f64 },
    Poisson { rate_per_s: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum IsolationPlan {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

/// What connections are set to, and how long they last.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SessionPlan {
    isolation: Option<IsolationPlan>,
    autocommit: bool,
    /// Transactions that a connection serves; 0 is all of them.
    reconnect: u64,
}

impl Default for SessionPlan {
    fn default() -> Self {
        Self { isolation: None, autocommit: true, reconnect: 0 }
    }
}

impl SessionPlan {
    fn options(&self) -> SessionOptions {
        let isolation = self.isolation.map(|isolation| match isolation {
            IsolationPlan::ReadUncommitted => Isolation::ReadUncommitted,
            IsolationPlan::ReadCommitted => Isolation::ReadCommitted,
            IsolationPlan::RepeatableRead => Isolation::RepeatableRead,
            IsolationPlan::Serializable => Isolation::Serializable,
        });
        SessionOptions { isolation, autocommit: self.autocommit, ..SessionOptions::default() }
    }

    fn policy(&self) -> SessionPolicy {
        SessionPolicy {
            reads_back_all: self.isolation.is_some() || !self.autocommit,
            ends_transactions: !self.autocommit,
            reconnect_after: Some(self.reconnect).filter(|after| *after > 0),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryPlan {
    /// Classes, numbers, SQLSTATEs or `all`; without it, those that are worth another attempt.
    errors: Option<Vec<String>>,
    #[serde(default)]
    new_input: bool,
    max_retries: u32,
    backoff_min_ms: f64,
    backoff_max_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "a unit is part of a name")]
struct LimitsPlan {
    connect_s: f64,
    statement_s: f64,
    drain_s: f64,
    #[serde(default = "usual_interrupted_drain_s")]
    interrupted_drain_s: f64,
}

/// Whoever stops a trial waits for its end.
fn usual_interrupted_drain_s() -> f64 {
    2.0
}

impl RetryPlan {
    fn policy(&self) -> Result<RetryPolicy, PlanError> {
        let errors = match &self.errors {
            None => ErrorSet::retryable(),
            Some(names) => ErrorSet::parse(names).map_err(|name| {
                let expected = "give classes (deadlock), numbers (1213), SQLSTATEs (40P01) or all";
                wrong("retry.errors", &name, expected)
            })?,
        };
        Ok(RetryPolicy {
            errors,
            new_input: self.new_input,
            max_retries: self.max_retries,
            backoff_min: seconds("retry.backoff_min_ms", self.backoff_min_ms / 1e3)?,
            backoff_max: seconds("retry.backoff_max_ms", self.backoff_max_ms / 1e3)?,
        })
    }
}

/// Which of several generators this is, and what it makes of the load.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharePlan {
    index: u64,
    begin: u64,
    end: u64,
    of: u64,
}

/// When the load begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StartPlan {
    /// When all clients are ready.
    #[default]
    AtOnce,
    /// At a time that is told after that.
    WhenTold,
}

/// A trial plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialPlan {
    pub version: u32,
    pub url: String,
    pub workload: WorkloadPlan,
    clients: usize,
    /// Null: this generator makes all of the load.
    #[serde(default)]
    share: Option<SharePlan>,
    #[serde(default)]
    start: StartPlan,
    workers: Option<usize>,
    #[serde(default)]
    pub protocol: ProtocolPlan,
    #[serde(default)]
    pipelining: PipeliningPlan,
    #[serde(default = "yes")]
    pub kernel_timestamps: bool,
    #[serde(default)]
    session: SessionPlan,
    /// How workers wait for answers: `nap`, `sleep`, `priority`, `spin`, or as in `50us` for more of them.
    #[serde(default)]
    wait: Option<String>,
    /// Where the server runs; who has made the plan has chosen `workers` and `wait` by it.
    #[serde(default, rename = "placement")]
    _placement: IgnoredAny,
    arrivals: ArrivalsPlan,
    warmup_s: f64,
    /// Not null: the window begins earlier when that is told, after so much warm-up at least.
    #[serde(default)]
    warmup_least_s: Option<f64>,
    duration_s: f64,
    interval_s: f64,
    seed: u64,
    retry: RetryPlan,
    error_budget: f64,
    #[serde(default)]
    stop_at_failure: bool,
    /// Null: as many as there is time for.
    #[serde(default)]
    transactions: Option<u64>,
    #[serde(default)]
    count_by_client: bool,
    /// Null: none is kept.
    #[serde(default)]
    transaction_log: Option<PathBuf>,
    limits: LimitsPlan,
}

fn yes() -> bool {
    true
}

impl TrialPlan {
    /// What the engine is to do.
    pub fn options(&self) -> Result<Options, PlanError> {
        let options = Options {
            clients: count("clients", self.clients, MOST_CLIENTS)?,
            share: self.share()?,
            workers: self.workers()?,
            arrivals: self.arrivals()?,
            warmup: seconds("warmup_s", self.warmup_s)?,
            warmup_least: self.warmup_least()?,
            duration: positive_seconds("duration_s", self.duration_s)?,
            interval: positive_seconds("interval_s", self.interval_s)?,
            seed: self.seed,
            retry: self.retry.policy()?,
            error_budget: share("error_budget", self.error_budget)?,
            stop_at_failure: self.stop_at_failure,
            transactions: self.transactions,
            count_by_client: self.count_by_client,
            transaction_log: self.transaction_log.clone(),
            limits: EngineLimits {
                connect: positive_seconds("limits.connect_s", self.limits.connect_s)?,
                statement: positive_seconds("limits.statement_s", self.limits.statement_s)?,
                drain: seconds("limits.drain_s", self.limits.drain_s)?,
                interrupted_drain: seconds(
                    "limits.interrupted_drain_s",
                    self.limits.interrupted_drain_s,
                )?,
            },
            session: self.session.policy(),
            waiting: self.waiting()?,
        };
        if options.own_clients().is_empty() {
            let expected = "give so many that each generator has one";
            return Err(wrong("clients", &self.clients, expected));
        }
        Ok(options)
    }

    fn warmup_least(&self) -> Result<Option<Duration>, PlanError> {
        match self.warmup_least_s {
            Some(least_s) if least_s > self.warmup_s => {
                let expected = format!("give at most warmup_s, which is {}", self.warmup_s);
                Err(wrong("warmup_least_s", &least_s, expected))
            }
            least_s => least_s.map(|least_s| seconds("warmup_least_s", least_s)).transpose(),
        }
    }

    fn share(&self) -> Result<Share, PlanError> {
        let Some(SharePlan { begin, end, of, .. }) = self.share else { return Ok(Share::WHOLE) };
        if begin < end && end <= of && of <= MOST_PARTS {
            return Ok(Share { begin, end, of });
        }
        let expected = format!("give begin, end and of, in order, of at most {MOST_PARTS} parts");
        Err(wrong("share", &format!("{begin} to {end} of {of}"), expected))
    }

    /// The number of the generator, where it is one of several.
    pub fn generator_index(&self) -> Option<u64> {
        self.share.map(|share| share.index)
    }

    /// Whether the load begins at a time that is told.
    pub fn starts_when_told(&self) -> bool {
        self.start == StartPlan::WhenTold
    }

    fn waiting(&self) -> Result<Waiting, PlanError> {
        let Some(wait) = self.wait.as_deref() else { return Ok(Waiting::default()) };
        let time_us = wait.strip_suffix("us").and_then(|time_us| time_us.parse().ok());
        match (wait, time_us) {
            ("nap", _) => Ok(Waiting::Nap),
            // Who starts the process has given it its priority.
            ("sleep" | "priority", _) => Ok(Waiting::Sleep),
            ("spin", _) => Ok(Waiting::Spin),
            (_, Some(time_us @ 1..=MOST_COALESCE_US)) => {
                Ok(Waiting::Coalesce(Duration::from_micros(time_us)))
            }
            _ => {
                let expected = format!(
                    "give sleep, priority, nap, spin, or 1us to {MOST_COALESCE_US}us for more answers"
                );
                Err(wrong("wait", &wait, expected))
            }
        }
    }

    /// What connections are set to.
    pub fn session(&self) -> SessionOptions {
        let pipelining = self.pipelining == PipeliningPlan::Auto;
        SessionOptions { pipelining, ..self.session.options() }
    }

    /// One worker a CPU that this process may use, unless the plan says otherwise.
    fn workers(&self) -> Result<usize, PlanError> {
        match self.workers {
            Some(workers) => count("workers", workers, MOST_CLIENTS),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }

    fn arrivals(&self) -> Result<Arrivals, PlanError> {
        let rate = |rate_per_s: f64| {
            if rate_per_s > 0.0 && rate_per_s <= 1e9 {
                Ok(rate_per_s)
            } else {
                Err(wrong(
                    "arrivals.rate_per_s",
                    &rate_per_s,
                    "give transactions a second, above 0",
                ))
            }
        };
        Ok(match self.arrivals {
            ArrivalsPlan::Closed {} => Arrivals::Closed,
            ArrivalsPlan::Constant { rate_per_s } => {
                Arrivals::Constant { rate_per_s: rate(rate_per_s)? }
            }
            ArrivalsPlan::Poisson { rate_per_s } => {
                Arrivals::Poisson { rate_per_s: rate(rate_per_s)? }
            }
        })
    }
}
