//! The coordinator: starts the workers, gives the signal, merges what they measured.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use contract::{Driver, SessionFacts, StatementCount, Workload};
use eventloop::Timestamp;

use crate::context::{Facts, Message, Shared, merge_facts, merge_statements};
use crate::hosts::HostTotals;
use crate::options::Options;
use crate::run_error::{RunError, unsupported};
use crate::sample::{Errors, IntervalSample, RunEnd, RunningTotals, Status, merge_errors};
use crate::transaction_log::LogFile;
use crate::under_way::LeftUnderWay;
use crate::worker::run_worker;

/// From the signal to the start of the load: longer than a loop ever sleeps, so that everybody has
/// seen the signal when the load begins.
const SIGNAL_AHEAD: Duration = Duration::from_millis(250);

/// Transactions after which a share of failures means something while the trial still runs.
const BUDGET_MINIMUM: u64 = 200;

/// How often the coordinator looks whether it was stopped while clients connect.
const CONNECT_POLL: Duration = Duration::from_millis(50);

/// What a run tells its caller, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// All clients are ready.
    Connected {
        /// How many.
        clients: usize,
        /// How long it took.
        elapsed_s: f64,
        /// The server's own words.
        server_version: String,
        /// What connections run with.
        session: Option<SessionFacts>,
    },
    /// An interval of all workers together.
    Interval(Box<IntervalSample>),
    /// The last one.
    End(RunEnd),
}

/// Runs one trial, and hands out what happens as it happens. Setting `stop` ends it early.
pub fn run<D: Driver, W: Workload>(
    driver: D,
    workload: W,
    options: Options,
    stop: &Arc<AtomicBool>,
    emit: &mut dyn FnMut(Event),
) -> Result<(), RunError> {
    if let Some(reason) = unsupported(&workload, &options) {
        return Err(RunError::Unsupported(reason.to_owned()));
    }
    let workers = if D::BLOCKING { options.clients } else { options.workers.min(options.clients) };
    let kinds = workload.transactions();
    let log = open_log(&options, &kinds)?;
    let stop = Arc::clone(stop);
    let go = AtomicU64::new(0);
    let allowance = AtomicU64::new(options.transactions.unwrap_or(u64::MAX));
    let fatal = OnceLock::new();
    let shared =
        Arc::new(Shared { driver, workload, options, workers, go, stop, allowance, log, fatal });
    let (receiver, threads) = start_workers(&shared)?;
    let mut coordinator = Coordinator::new(&shared, receiver, kinds.len());
    let outcome = coordinator.run(emit);
    if outcome.is_err() {
        shared.stop.store(true, Ordering::Relaxed);
    }
    join(threads)?;
    emit(Event::End(outcome?));
    Ok(())
}

fn open_log(options: &Options, kinds: &[String]) -> Result<Option<Arc<LogFile>>, RunError> {
    let Some(path) = &options.transaction_log else { return Ok(None) };
    let log = LogFile::create(path, kinds.to_vec());
    let log =
        log.map_err(|error| RunError::TransactionLog { path: path.display().to_string(), error });
    log.map(|log| Some(Arc::new(log)))
}

type Worker = JoinHandle<std::io::Result<()>>;

fn start_workers<D: Driver, W: Workload>(
    shared: &Arc<Shared<D, W>>,
) -> std::io::Result<(Receiver<Message>, Vec<Worker>)> {
    let (sender, receiver) = channel();
    let clients = shared.options.clients;
    let mut threads = Vec::new();
    for worker in 0..shared.workers {
        let range = worker * clients / shared.workers..(worker + 1) * clients / shared.workers;
        let (shared, sender) = (Arc::clone(shared), sender.clone());
        let thread = std::thread::Builder::new()
            .name(format!("worker-{worker}"))
            .spawn(move || run_worker(&shared, worker, range, sender))?;
        threads.push(thread);
    }
    Ok((receiver, threads))
}

fn join(threads: Vec<Worker>) -> Result<(), RunError> {
    for thread in threads {
        match thread.join() {
            Ok(result) => result?,
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                return Err(RunError::Panic(
                    text.unwrap_or_else(|| "without a message".to_owned()),
                ));
            }
        }
    }
    Ok(())
}

/// Where one worker's reports have got to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// All intervals up to this one are there.
    Interval(i64),
    /// There will be no more.
    Ended,
}

struct Coordinator<'a, D, W> {
    shared: &'a Shared<D, W>,
    receiver: Receiver<Message>,
    kernel_timestamps: bool,
    session: Option<SessionFacts>,
    progress: Vec<Progress>,
    under_way: Vec<LeftUnderWay>,
    pending: BTreeMap<i64, IntervalSample>,
    totals: RunningTotals,
    errors: Errors,
    statements: Vec<StatementCount>,
    facts: Facts,
    hosts: HostTotals,
    over_budget: bool,
    last_end: Timestamp,
    kinds: usize,
}

impl<'a, D: Driver, W: Workload> Coordinator<'a, D, W> {
    fn new(shared: &'a Shared<D, W>, receiver: Receiver<Message>, kinds: usize) -> Self {
        Self {
            shared,
            receiver,
            kernel_timestamps: true,
            session: None,
            progress: vec![Progress::Interval(i64::MIN); shared.workers],
            under_way: vec![LeftUnderWay::default(); shared.workers],
            pending: BTreeMap::new(),
            totals: RunningTotals::default(),
            errors: Errors::new(),
            statements: Vec::new(),
            facts: Facts::new(),
            hosts: HostTotals::default(),
            over_budget: false,
            last_end: Timestamp::default(),
            kinds,
        }
    }

    fn run(&mut self, emit: &mut dyn FnMut(Event)) -> Result<RunEnd, RunError> {
        let begin = Timestamp::now();
        let Some(server_version) = self.wait_until_ready()? else {
            return Ok(self.end(begin));
        };
        let elapsed_s = Timestamp::now().seconds_from(begin);
        let clients = self.shared.options.clients;
        let session = self.session;
        emit(Event::Connected { clients, elapsed_s, server_version, session });
        let go = Timestamp::now() + SIGNAL_AHEAD;
        self.shared.go.store(go.0, Ordering::Release);
        self.collect(emit);
        Ok(self.end(go))
    }

    /// None when the trial was stopped before everybody was ready.
    fn wait_until_ready(&mut self) -> Result<Option<String>, RunError> {
        let clients = self.shared.options.clients;
        let mut ready = 0;
        loop {
            match self.receiver.recv_timeout(CONNECT_POLL) {
                Ok(Message::Ready { server_version, kernel_timestamps, session }) => {
                    self.session = self.session.or(session);
                    self.kernel_timestamps &= kernel_timestamps;
                    ready += 1;
                    if ready == clients {
                        return Ok(Some(server_version));
                    }
                }
                Ok(Message::Refused { client, error }) => {
                    return Err(RunError::Refused { client: client + 1, clients, error });
                }
                Ok(Message::Interval { .. } | Message::End { .. })
                | Err(RecvTimeoutError::Timeout) => {}
                // All workers ended: whatever made them is found when they are joined.
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
    }

    fn collect(&mut self, emit: &mut dyn FnMut(Event)) {
        while let Ok(message) = self.receiver.recv() {
            match message {
                Message::Interval { worker, sample } => {
                    self.progress[worker] = Progress::Interval(sample.span.index);
                    self.under_way[worker] = LeftUnderWay::of(&sample);
                    self.add(&sample);
                }
                Message::End { worker, statements, statements_by_host, facts, ended } => {
                    self.progress[worker] = Progress::Ended;
                    merge_statements(&mut self.statements, statements);
                    self.hosts.add_statements(statements_by_host);
                    merge_facts(&mut self.facts, facts);
                    self.last_end = self.last_end.max(ended);
                }
                Message::Ready { .. } | Message::Refused { .. } => {}
            }
            self.emit_finished(emit);
        }
    }

    fn add(&mut self, sample: &IntervalSample) {
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
            self.under_way.iter().for_each(|worker| worker.add_to(&mut sample));
            self.totals.add(&sample);
            self.hosts.add_interval(&sample.hosts);
            merge_errors(&mut self.errors, &sample.errors);
            self.watch_budget();
            emit(Event::Interval(Box::new(sample)));
        }
    }

    fn watch_budget(&mut self) {
        let enough = self.totals.failed + self.totals.completed >= BUDGET_MINIMUM;
        if enough && self.totals.failed_share() > self.shared.options.error_budget {
            self.over_budget = true;
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    fn end(&mut self, go: Timestamp) -> RunEnd {
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
            elapsed_s: self.last_end.since(go) as f64 / 1e9,
            statements: std::mem::take(&mut self.statements),
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
