//! What a client sees of its worker, and what a worker tells the coordinator.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};

use contract::{
    Connection, Driver, Fact, Limits, SessionFacts, SqlError, Statement, StatementCount,
    StatementCounters, StatementTotals, Workload,
};
use eventloop::{Handle, Semaphore, Timestamp};

use crate::claims::Claims;
use crate::completion::Completion;
use crate::dispatch::Dispatcher;
use crate::hosts::Hosts;
use crate::options::{Arrivals, Options};
use crate::recorder::Recorder;
use crate::sample::{IntervalSample, Levels};
use crate::timetable::Timetable;
use crate::transaction_log::{Line, LogFile, TransactionLog};

/// Connections that one worker makes at the same time: servers take a limited number that are not yet
/// accepted, and punish more with seconds of delay.
const CONNECTING_AT_ONCE: usize = 32;

/// No interval of the warm-up has this number.
pub(crate) const NOT_TOLD: i64 = i64::MAX;

/// What all workers share.
pub(crate) struct Shared<D, W> {
    pub driver: D,
    pub workload: W,
    pub options: Options,
    pub workers: usize,
    /// When the load begins, in nanoseconds; zero until everybody is ready.
    pub go: AtomicU64,
    /// Set from outside, or by a worker that failed: end early.
    pub stop: Arc<AtomicBool>,
    /// When the load is to begin, where somebody else says that.
    pub start_at: Option<Arc<AtomicU64>>,
    /// The interval of the warm-up with which the window is to begin; [`NOT_TOLD`] where nobody said.
    pub window_at: Arc<AtomicI64>,
    /// The phases, from the signal to begin on.
    pub timetable: OnceLock<Arc<Timetable>>,
    /// Transactions of a closed loop that may still be started.
    pub allowance: AtomicU64,
    /// The schedule of an open loop, from the signal to begin on.
    pub claims: OnceLock<Arc<Claims>>,
    /// Where each transaction is written down, if anywhere.
    pub log: Option<Arc<LogFile>>,
    /// The error that ended the trial.
    pub fatal: OnceLock<SqlError>,
}

impl<D, W> Shared<D, W> {
    /// Ends the trial as one that failed. The first error is the one that it failed of.
    pub fn end_with(&self, error: &SqlError) {
        let _ = self.fatal.set(error.clone());
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// What a worker tells the coordinator.
pub(crate) enum Message {
    /// A client is connected and prepared; the server's version, the kind of its clock, and what
    /// the connection runs with where that was read back.
    Ready { server_version: String, kernel_timestamps: bool, session: Option<SessionFacts> },
    /// A client could not be made ready: there will be no trial.
    Refused { client: u64, error: SqlError },
    /// A finished interval, in order.
    Interval { worker: usize, sample: Box<IntervalSample> },
    /// The last word, with the intervals that have not been told before.
    End {
        worker: usize,
        samples: Vec<IntervalSample>,
        statements: Vec<StatementCount>,
        statements_by_host: Vec<u64>,
        facts: Facts,
        ended: Timestamp,
    },
}

/// Facts by name.
pub(crate) type Facts = BTreeMap<&'static str, Fact>;

/// What a client sees of its worker, through methods; the worker itself sees the fields too.
pub(crate) struct Context<D, W> {
    pub shared: Arc<Shared<D, W>>,
    pub handle: Handle,
    sender: Sender<Message>,
    statements: Rc<[Statement]>,
    pub dispatcher: Dispatcher,
    /// One permit for each connection that is being made.
    connecting: Semaphore,
    pub start: Cell<Option<bool>>,
    pub recorder: RefCell<Option<Recorder>>,
    pub log: RefCell<Option<TransactionLog>>,
    pub running: Vec<Cell<u64>>,
    pub live_clients: Cell<u64>,
    pub hosts: Hosts,
    pub drain_end: Cell<Option<Timestamp>>,
    pub window_start: Cell<Timestamp>,
    pub statement_counts: RefCell<StatementTotals>,
    pub facts: RefCell<Facts>,
}

impl<D: Driver, W: Workload> Context<D, W> {
    pub fn new(shared: Arc<Shared<D, W>>, handle: Handle, sender: Sender<Message>) -> Self {
        let kinds = shared.workload.transactions().len();
        let statements = shared.workload.statements(shared.driver.dialect());
        Self {
            dispatcher: Dispatcher::new(handle.clone()),
            connecting: Semaphore::new(handle.clone(), CONNECTING_AT_ONCE),
            start: Cell::new(None),
            recorder: RefCell::new(None),
            log: RefCell::new(None),
            running: vec![Cell::new(0); kinds],
            live_clients: Cell::new(0),
            hosts: Hosts::new(&shared.driver),
            drain_end: Cell::new(None),
            window_start: Cell::default(),
            statement_counts: RefCell::default(),
            facts: RefCell::default(),
            shared,
            handle,
            sender,
            statements,
        }
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    pub fn driver(&self) -> &D {
        &self.shared.driver
    }

    pub fn workload(&self) -> &W {
        &self.shared.workload
    }

    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    pub fn driver_limits(&self) -> Limits {
        let limits = self.shared.options.limits;
        Limits { connect: limits.connect, statement: limits.statement }
    }

    pub fn statements(&self) -> Rc<[Statement]> {
        Rc::clone(&self.statements)
    }

    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    pub fn connecting(&self) -> &Semaphore {
        &self.connecting
    }

    /// Some(true) when the load begins, Some(false) when there will be none.
    pub fn start_signal(&self) -> Option<bool> {
        self.start.get()
    }

    /// The recorder; there is one from the start of the load on.
    pub fn recorder(&self) -> RefMut<'_, Recorder> {
        RefMut::map(self.recorder.borrow_mut(), |recorder| {
            recorder.as_mut().unwrap_or_else(|| unreachable!("no load before the start"))
        })
    }

    /// Whether so little time is left that a further attempt would not end in it.
    pub fn is_draining_out(&self) -> bool {
        self.drain_end.get().is_some_and(|end| self.handle.turn_time() >= end)
    }

    pub fn levels(&self) -> Levels {
        Levels {
            live_clients: self.live_clients.get(),
            waiting: 0,
            running: self.running.iter().map(Cell::get).sum(),
        }
    }

    /// Whether one more transaction may be started, which is then counted as started. The warm-up
    /// is not counted.
    pub fn may_start(&self, scheduled: Timestamp) -> bool {
        self.shared.options.transactions.is_none()
            || scheduled < self.window_start.get()
            || self
                .shared
                .allowance
                .try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                .is_ok()
    }

    /// Whether all transactions have been started that the trial may have.
    pub fn may_start_no_more(&self, now: Timestamp) -> bool {
        self.shared.options.transactions.is_some()
            && now >= self.window_start.get()
            && self.shared.allowance.load(Ordering::Relaxed) == 0
    }

    /// Ends the trial for good where a failed transaction is to do that.
    pub fn failed_for_good(&self, error: &SqlError) {
        if self.shared.options.stop_at_failure {
            self.end_with(error);
        }
    }

    /// Ends the trial as one that failed.
    pub fn end_with(&self, error: &SqlError) {
        self.shared.end_with(error);
    }

    pub fn client_ready(&self, connection: &D::Connection, session: Option<SessionFacts>) {
        self.joined(connection);
        self.send(Message::Ready {
            server_version: connection.server_version().to_owned(),
            kernel_timestamps: connection.has_kernel_timestamps(),
            session,
        });
    }

    pub fn client_refused(&self, client: u64, error: &SqlError) {
        self.send(Message::Refused { client, error: error.clone() });
    }

    fn joined(&self, connection: &D::Connection) {
        self.live_clients.set(self.live_clients.get() + 1);
        self.hosts.joined(connection.host());
    }

    /// What it sent is kept; it is of no use any more.
    pub fn client_lost(&self, connection: &mut D::Connection) {
        self.live_clients.set(self.live_clients.get() - 1);
        self.hosts.left(connection.host());
        self.keep_counts(connection);
    }

    pub fn client_reconnected(&self, connection: &D::Connection) {
        self.joined(connection);
        self.recorder().reconnected(Timestamp::now());
    }

    /// A connection has served its time, and the client is about to make another. It counts as
    /// live meanwhile: it is not lost.
    pub fn planned_reconnect_begun(&self, connection: &mut D::Connection) {
        self.hosts.left(connection.host());
        self.keep_counts(connection);
    }

    pub fn planned_reconnect_done(&self, connection: &D::Connection, began: Timestamp) {
        self.hosts.joined(connection.host());
        self.recorder().planned_reconnect(began, Timestamp::now());
    }

    /// There is no other: now it is lost.
    pub fn planned_reconnect_failed(&self) {
        self.live_clients.set(self.live_clients.get() - 1);
    }

    /// Counts a transaction that is begun. In a closed loop it is scheduled with that; an open loop's
    /// schedule is counted by the coordinator, which must know when each was begun.
    #[inline]
    pub fn transaction_started(&self, kind: usize, scheduled: Timestamp, start: Timestamp) {
        self.running[kind].update(|running| running + 1);
        let is_closed = self.shared.options.arrivals == Arrivals::Closed;
        self.recorder().scheduled(kind, if is_closed { scheduled } else { start });
    }

    #[inline]
    pub fn transaction_completed(&self, completion: &Completion, counters: StatementCounters) {
        self.running[completion.kind].update(|running| running - 1);
        self.recorder().completed(completion, counters);
    }

    /// Writes a transaction down where that was asked for.
    pub fn log(&self, line: &Line<'_>) {
        self.with_log(|log| log.write(line));
    }

    /// Writes what is left of the log.
    pub fn flush_log(&self) {
        self.with_log(TransactionLog::flush);
    }

    /// A log with holes would pass for a whole one: a write that fails ends the trial.
    fn with_log(&self, write: impl FnOnce(&mut TransactionLog) -> Result<(), SqlError>) {
        if let Some(log) = self.log.borrow_mut().as_mut()
            && let Err(error) = write(log)
        {
            self.end_with(&error);
        }
    }

    pub fn transaction_failed(
        &self,
        (kind, scheduled): (usize, Timestamp),
        end: Timestamp,
        counters: StatementCounters,
    ) {
        self.running[kind].update(|running| running - 1);
        self.recorder().failed(kind, scheduled, end, counters);
    }

    /// Keeps what a connection has counted that will not be used any more, also that of a transaction
    /// which has not ended.
    pub fn keep_counts(&self, connection: &mut D::Connection) {
        if let Some(recorder) = self.recorder.borrow_mut().as_mut() {
            recorder.statements(connection.take_counters(), Timestamp::now());
        }
        let counts = connection.take_statement_counts();
        self.hosts.keep_statements(connection.host(), &counts);
        self.statement_counts.borrow_mut().merge(counts);
        self.keep_facts(connection.take_facts());
    }

    pub fn keep_facts(&self, facts: Vec<(&'static str, Fact)>) {
        merge_facts(&mut self.facts.borrow_mut(), facts);
    }

    pub fn send(&self, message: Message) {
        // The coordinator is gone only when the trial has been given up.
        let _ = self.sender.send(message);
    }
}

/// Adds facts up by their name.
pub(crate) fn merge_facts(into: &mut Facts, from: impl IntoIterator<Item = (&'static str, Fact)>) {
    for (name, fact) in from {
        match (into.get_mut(name), fact) {
            (Some(Fact::Share { part, whole }), Fact::Share { part: more, whole: of }) => {
                *part += more;
                *whole += of;
            }
            (Some(Fact::Count(count)), Fact::Count(more)) => *count += more,
            (Some(Fact::Hash(sum)), Fact::Hash(more)) => *sum = sum.wrapping_add(more),
            (Some(Fact::Ledger(ledger)), Fact::Ledger(more)) => ledger.merge(*more),
            (Some(_), _) => {}
            (None, fact) => {
                into.insert(name, fact);
            }
        }
    }
}
