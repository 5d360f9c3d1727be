//! One client's life: connect, wait for the start, carry transactions out, say goodbye.

use std::rc::Rc;
use std::time::Duration;

use contract::{
    Client, Connection, Driver, ErrorClass, SessionFacts, SqlError, StatementCounters, Workload,
    box_cold_future,
};
use eventloop::Timestamp;
use random::{Purpose, Stream};

use crate::attempt::{
    Begun, ConnectionGone, attempt_failed, commit_if_left_open, give_up, log_completed,
    outcome_of_failure, recover,
};
use crate::completion::Completion;
use crate::context::Context;
use crate::dispatch::Ticket;
use crate::options::{Arrivals, SessionPolicy};
use crate::pace::Pace;

/// The first wait before a lost connection is made again; it doubles up to the last.
const RECONNECT_FIRST: Duration = Duration::from_millis(10);
const RECONNECT_LAST: Duration = Duration::from_secs(1);

/// The task of one client, between its connections and its transactions.
struct ClientTask<D: Driver, W: Workload> {
    context: Rc<Context<D, W>>,
    /// None while it is being made again.
    connection: Option<D::Connection>,
    client: W::Client,
    pace: Pace,
    index: usize,
    backoff: Stream,
    /// Transactions until the connection has served its time.
    until_planned_reconnect: u64,
    /// A transaction that the workload leaves open is committed.
    ends_transactions: bool,
    /// There is one host, connections are kept, workloads end their transactions, and no log is kept
    /// of them: what all this takes is left out.
    uses_fast_path: bool,
}

/// Lives a client's life.
pub(crate) async fn run_client<D: Driver, W: Workload>(context: Rc<Context<D, W>>, index: usize) {
    let number = index as u64;
    let (connection, facts) = match box_cold_future(connect_first(&context, number)).await {
        Ok(connected) => connected,
        Err(error) => return context.client_refused(number, &error),
    };
    let clients = context.options().clients as u64;
    let mut client = context.workload().client(context.options().seed, number, clients);
    client.attach(context.handle());
    let backoff = Stream::new(context.options().seed, Purpose::Backoff, number);
    context.client_ready(&connection, facts);
    let SessionPolicy { reconnect_after, ends_transactions, .. } = context.options().session;
    let ends_transactions = ends_transactions || context.workload().leaves_transactions_open();
    let uses_fast_path = reconnect_after.is_none()
        && !ends_transactions
        && context.hosts.names.is_empty()
        && context.options().transaction_log.is_none();
    let mut task = ClientTask {
        context,
        connection: Some(connection),
        client,
        pace: Pace::default(),
        index,
        backoff,
        until_planned_reconnect: reconnect_after.unwrap_or(u64::MAX),
        ends_transactions,
        uses_fast_path,
    };
    if task.wait_for_start().await {
        task.carry_out_transactions().await;
        box_cold_future(task.finish()).await;
    }
    box_cold_future(task.end()).await;
}

/// Makes a client's first connection, and asks what it runs with: each client where something else
/// than the default was asked for, otherwise one for all.
async fn connect_first<D: Driver, W: Workload>(
    context: &Context<D, W>,
    index: u64,
) -> Result<(D::Connection, Option<SessionFacts>), SqlError> {
    let mut connection = connect(context).await?;
    let is_first = index == context.options().own_clients().start as u64;
    let probes = if is_first { context.workload().probes() } else { Vec::new() };
    if !probes.is_empty() {
        let is_usable = connection.try_out(&probes).await;
        context.handle().clear_deadline();
        forget_counts(&mut connection);
        if !is_usable {
            connection = connect(context).await?;
        }
    }
    if !is_first && !context.options().session.reads_back_all {
        return Ok((connection, None));
    }
    let facts = connection.describe_session().await?;
    context.handle().clear_deadline();
    Ok((connection, Some(facts)))
}

async fn connect<D: Driver, W: Workload>(
    context: &Context<D, W>,
) -> Result<D::Connection, SqlError> {
    let _permit = context.connecting().acquire().await;
    // All clients may wait for a permit, and only those that have one need room for signing on.
    box_cold_future(connect_and_prepare(context)).await
}

async fn connect_and_prepare<D: Driver, W: Workload>(
    context: &Context<D, W>,
) -> Result<D::Connection, SqlError> {
    let handle = context.handle();
    let connected = async {
        let mut connection = context.driver().connect(handle, context.driver_limits()).await?;
        connection.prepare(&context.statements()).await?;
        Ok(connection)
    };
    let result = connected.await;
    handle.clear_deadline();
    result
}

/// Connects after a pause, until it works. Each pause is twice as long as the one before.
async fn connect_again<D: Driver, W: Workload>(context: &Context<D, W>) -> D::Connection {
    let mut pause = RECONNECT_FIRST;
    loop {
        context.handle().clear_deadline();
        context.handle().sleep_until(Timestamp::now() + pause).await;
        pause = (pause * 2).min(RECONNECT_LAST);
        match connect(context).await {
            Ok(connection) => return connection,
            Err(error) => context.recorder().error(&error, Timestamp::now()),
        }
    }
}

impl<D: Driver, W: Workload> ClientTask<D, W> {
    async fn wait_for_start(&mut self) -> bool {
        let context = Rc::clone(&self.context);
        let started = context.handle().park_until(|| context.start_signal()).await;
        self.connection.as_mut().map(forget_counts);
        started
    }

    async fn carry_out_transactions(&mut self) {
        let mut now = Timestamp::now();
        loop {
            if D::BLOCKING {
                self.context.handle().yield_now().await;
                now = Timestamp::now();
            }
            let dispatcher = self.context.dispatcher();
            let ticket = match dispatcher.next_at_once(now) {
                None => dispatcher.next(now).await,
                Some(_) if W::Client::PACED => {
                    Box::pin(self.pace.next(&mut self.client, dispatcher, now)).await
                }
                Some(ticket) => ticket,
            };
            match ticket {
                Ticket::Over => return,
                Ticket::Transaction(scheduled) if !self.may_start(scheduled.time) => return,
                Ticket::Transaction(scheduled) => {
                    // An open loop's client may have waited since `now` was read.
                    let start = if scheduled.time == now { now } else { Timestamp::now() };
                    let due =
                        (scheduled.kind.unwrap_or_else(|| self.client.choose()), scheduled.time);
                    self.context.transaction_started(due.0, due.1, start);
                    let is_connected = self.uses_fast_path
                        || box_cold_future(self.planned_reconnect_when_due(due)).await.is_ok();
                    if is_connected && let Ok(handled) = self.transaction(due, start).await {
                        now = handled;
                        continue;
                    }
                }
                Ticket::ConnectionClosed => self.closed_while_idle(),
            }
            if !box_cold_future(self.reconnect()).await {
                return;
            }
            now = Timestamp::now();
        }
    }

    /// An open loop asks before a transaction is scheduled.
    fn may_start(&self, scheduled: Timestamp) -> bool {
        self.context.options().arrivals != Arrivals::Closed || self.context.may_start(scheduled)
    }

    fn closed_while_idle(&self) {
        let message = "the server closed the connection while it was idle";
        let error = SqlError::driver(ErrorClass::ConnectionLost, message);
        self.context.recorder().error(&error, Timestamp::now());
    }

    /// Carries out one transaction with its retries; returns the time at which it was done with.
    async fn transaction(
        &mut self,
        (kind, scheduled): (usize, Timestamp),
        start: Timestamp,
    ) -> Result<Timestamp, ConnectionGone> {
        let Some(connection) = &mut self.connection else { return Err(ConnectionGone) };
        self.client.draw(kind);
        let mut attempt = 0;
        loop {
            let error = match self.client.execute(connection).await {
                Ok(_)
                    if self.ends_transactions
                        && let Err(error) =
                            box_cold_future(commit_if_left_open(connection)).await =>
                {
                    error
                }
                Ok(ending) => {
                    let handled = Timestamp::now();
                    let last = connection.last_arrival().max(self.client.paused_until());
                    // A stepped wall clock must not make an answer older than its question.
                    let end = last.clamp(start, handled);
                    let client = self.index;
                    let completion =
                        Completion { client, kind, ending, scheduled, start, end, handled };
                    self.context.transaction_completed(&completion, connection.take_counters());
                    self.client.settled(ending.outcome(), start, handled);
                    if let Some(error) = self.client.take_expected_error() {
                        self.context.recorder().error(&error, end);
                    }
                    if !self.uses_fast_path {
                        self.context.recorder().completed_by(connection.host(), end);
                        log_completed(&self.context, &completion, attempt, &self.client);
                    }
                    return Ok(handled);
                }
                Err(error) => error,
            };
            let begun = Begun { client: self.index, kind, scheduled, start };
            let recovery =
                recover(&self.context, connection, &mut self.backoff, &begun, attempt, &error);
            let given_up = box_cold_future(recovery).await;
            let outcome = outcome_of_failure(&error, given_up.as_ref());
            self.client.settled(outcome, start, Timestamp::now());
            if let Some(given_up) = given_up {
                return given_up;
            }
            attempt += 1;
            if self.context.options().retry.new_input {
                self.client.draw(kind);
            }
        }
    }

    async fn planned_reconnect_when_due(
        &mut self,
        due: (usize, Timestamp),
    ) -> Result<(), ConnectionGone> {
        if self.until_planned_reconnect == 0 {
            self.planned_reconnect(due).await?;
        }
        self.until_planned_reconnect -= 1;
        Ok(())
    }

    /// Closes the connection and makes another, as an application does that keeps no connections. The
    /// transaction that is due waits for it: its user would. It bypasses the limit of connections
    /// that are made at a time: simultaneous reconnects are what was asked for.
    async fn planned_reconnect(
        &mut self,
        (kind, scheduled): (usize, Timestamp),
    ) -> Result<(), ConnectionGone> {
        let began = Timestamp::now();
        if let Some(mut old) = self.connection.take() {
            self.context.planned_reconnect_begun(&mut old);
            old.close().await;
        }
        match connect_and_prepare(&self.context).await {
            Ok(mut connection) => {
                forget_counts(&mut connection);
                self.context.planned_reconnect_done(&connection, began);
                self.connection = Some(connection);
                self.start_counting();
                Ok(())
            }
            Err(error) => {
                self.context.planned_reconnect_failed();
                attempt_failed(&self.context, kind, 0, &error, false);
                let given_up = Begun { client: self.index, kind, scheduled, start: began };
                give_up(&self.context, &given_up, 0, &error, StatementCounters::default());
                Err(ConnectionGone)
            }
        }
    }

    fn start_counting(&mut self) {
        self.until_planned_reconnect =
            self.context.options().session.reconnect_after.unwrap_or(u64::MAX);
    }

    /// Makes the connection again, however often it takes; false when the load is over first.
    async fn reconnect(&mut self) -> bool {
        // It is dropped before the wait: a dead socket would wake the loop all the time.
        if let Some(mut connection) = self.connection.take() {
            self.context.client_lost(&mut connection);
        }
        let context = Rc::clone(&self.context);
        let made_again = context.dispatcher().until_over(connect_again(&context)).await;
        context.handle().clear_deadline();
        let Some(mut connection) = made_again else { return false };
        forget_counts(&mut connection);
        context.client_reconnected(&connection);
        self.connection = Some(connection);
        self.start_counting();
        true
    }

    /// Sends what the transactions left behind.
    async fn finish(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        let result = self.client.finish(connection).await;
        let (now, mut recorder) = (Timestamp::now(), self.context.recorder());
        recorder.statements(connection.take_counters(), now);
        if let Err(error) = result {
            recorder.error(&error, now);
            // Transactions that were counted as committed are not there.
            self.context.end_with(&error);
        }
    }

    async fn end(mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        self.context.keep_counts(&mut connection);
        drop(self);
        connection.close().await;
    }
}

/// However a client ends, and be it in the middle of a transaction because the drain is over: what it
/// knows is handed over here.
impl<D: Driver, W: Workload> Drop for ClientTask<D, W> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Nobody asks any more, and what the panic has left half done must not be touched.
            return;
        }
        if let Some(connection) = &mut self.connection {
            self.context.keep_counts(connection);
        }
        self.context.keep_facts(self.client.facts());
    }
}

/// What preparing cost is nobody's load.
fn forget_counts<C: Connection>(connection: &mut C) {
    connection.take_statement_counts();
    connection.take_counters();
    connection.take_facts();
}
