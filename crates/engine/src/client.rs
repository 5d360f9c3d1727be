//! One client's life: connect, wait for the start, carry transactions out, say goodbye.

use std::rc::Rc;
use std::time::Duration;

use contract::{Client, Connection, Driver, ErrorClass, SqlError, Workload};
use eventloop::Timestamp;
use random::{Purpose, Stream};

use crate::context::Context;
use crate::dispatch::Ticket;
use crate::options::Arrivals;
use crate::recorder::Completion;

/// The first wait before a lost connection is made again; it doubles up to the last.
const RECONNECT_FIRST: Duration = Duration::from_millis(10);
const RECONNECT_LAST: Duration = Duration::from_secs(1);

/// A client between its connections and its transactions.
struct Session<D: Driver, W: Workload> {
    context: Rc<Context<D, W>>,
    /// None while it is being made again.
    connection: Option<D::Connection>,
    client: W::Client,
    index: usize,
    backoff: Stream,
}

/// Lives a client's life.
pub(crate) async fn run_client<D: Driver, W: Workload>(context: Rc<Context<D, W>>, index: usize) {
    let number = index as u64;
    let connection = match connect(&context).await {
        Ok(connection) => connection,
        Err(error) => return context.client_refused(number, &error),
    };
    let clients = context.options().clients as u64;
    let mut client = context.workload().client(context.options().seed, number, clients);
    client.attach(context.handle());
    let backoff = Stream::new(context.options().seed, Purpose::Backoff, number);
    context.client_ready(&connection);
    let connection = Some(connection);
    let mut session = Session { context, connection, client, index, backoff };
    if session.wait_for_start().await {
        session.carry_out_transactions().await;
        session.finish().await;
    }
    session.end().await;
}

async fn connect<D: Driver, W: Workload>(
    context: &Context<D, W>,
) -> Result<D::Connection, SqlError> {
    let handle = context.handle();
    context.gate().enter(handle).await;
    let connected = async {
        let mut connection = context.driver().connect(handle, context.driver_limits()).await?;
        connection.prepare(&context.statements()).await?;
        Ok(connection)
    };
    let result = connected.await;
    handle.clear_deadline();
    context.gate().leave(handle);
    result
}

impl<D: Driver, W: Workload> Session<D, W> {
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
            match self.context.dispatcher().next(now).await {
                Ticket::Over => return,
                Ticket::Transaction(scheduled) if !self.may_start(scheduled) => return,
                Ticket::Transaction(scheduled) => {
                    if let Ok(handled) = self.transaction(scheduled, now).await {
                        now = handled;
                        continue;
                    }
                }
                Ticket::Disturbed => self.closed_while_idle(),
            }
            if !self.reconnect().await {
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
        scheduled: Timestamp,
        now: Timestamp,
    ) -> Result<Timestamp, ConnectionGone> {
        let Some(connection) = &mut self.connection else { return Err(ConnectionGone) };
        let kind = self.client.draw();
        // An open loop's client may have waited since `now` was read.
        let start = if scheduled == now { now } else { Timestamp::now() };
        self.context.transaction_started(kind, scheduled);
        let mut attempt = 0;
        loop {
            match self.client.execute(connection).await {
                Ok(ending) => {
                    let handled = Timestamp::now();
                    // A stepped wall clock must not make an answer older than its question.
                    let end = connection.last_arrival().clamp(start, handled);
                    let client = self.index;
                    let completion =
                        Completion { client, kind, ending, scheduled, start, end, handled };
                    self.context.transaction_completed(&completion, connection.take_tally());
                    if let Some(error) = self.client.take_expected_error() {
                        self.context.recorder().error(&error, end);
                    }
                    return Ok(handled);
                }
                Err(error) => {
                    let usable = !error.class().ends_connection()
                        && roll_back(&self.context, connection).await;
                    let policy = &self.context.options().retry;
                    let is_survivable = policy.errors.contains(&error);
                    let retry = usable
                        && is_survivable
                        && attempt < policy.max_retries
                        && !self.context.is_draining_out();
                    attempt_failed(&self.context, kind, attempt, &error, retry);
                    if !retry {
                        self.context.transaction_failed(kind, connection.take_tally());
                        if !is_survivable {
                            self.context.failed_for_good(&error);
                        }
                        return if usable { Ok(Timestamp::now()) } else { Err(ConnectionGone) };
                    }
                    if policy.new_input {
                        self.client.draw();
                    }
                    let pause = policy.backoff(attempt, self.backoff.unit());
                    self.context.handle().clear_deadline();
                    self.context.handle().sleep_until(Timestamp::now() + pause).await;
                    attempt += 1;
                }
            }
        }
    }

    /// Makes the connection again, however often it takes; false when the trial is over first.
    async fn reconnect(&mut self) -> bool {
        self.context.client_lost();
        // It is dropped before the wait: a dead socket would wake the loop all the time.
        if let Some(mut connection) = self.connection.take() {
            self.context.keep_statement_counts(&mut connection);
        }
        let mut pause = RECONNECT_FIRST;
        while !self.context.dispatcher().is_over() {
            self.context.handle().clear_deadline();
            self.context.handle().sleep_until(Timestamp::now() + pause).await;
            pause = (pause * 2).min(RECONNECT_LAST);
            match connect(&self.context).await {
                Ok(mut connection) => {
                    forget_counts(&mut connection);
                    self.connection = Some(connection);
                    self.context.client_reconnected();
                    return true;
                }
                Err(error) => self.context.recorder().error(&error, Timestamp::now()),
            }
        }
        false
    }

    /// Sends what the transactions left behind.
    async fn finish(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        let result = self.client.finish(connection).await;
        let (now, mut recorder) = (Timestamp::now(), self.context.recorder());
        recorder.statements(connection.take_tally(), now);
        if let Err(error) = result {
            recorder.error(&error, now);
            // Transactions that were counted as committed are not there.
            self.context.end_with(&error);
        }
    }

    async fn end(self) {
        self.context.keep_facts(self.client.facts());
        if let Some(mut connection) = self.connection {
            self.context.keep_statement_counts(&mut connection);
            connection.close().await;
        }
    }
}

/// What preparing cost is nobody's load.
fn forget_counts<C: Connection>(connection: &mut C) {
    connection.take_statement_counts();
    connection.take_tally();
}

fn attempt_failed<D: Driver, W: Workload>(
    context: &Context<D, W>,
    kind: usize,
    attempt: u32,
    error: &SqlError,
    retry: bool,
) {
    let now = Timestamp::now();
    let mut recorder = context.recorder();
    recorder.error(error, now);
    if attempt == 0 {
        recorder.first_attempt_abort(kind, now);
    }
    if retry {
        recorder.retry(kind, now);
    }
}

/// Whether the connection can be used afterwards.
async fn roll_back<D: Driver, W: Workload>(
    context: &Context<D, W>,
    connection: &mut D::Connection,
) -> bool {
    let result = connection.rollback().await;
    if let Err(error) = &result {
        context.recorder().error(error, Timestamp::now());
    }
    result.is_ok()
}

/// The connection can't be used any more; what that did to the transaction has been recorded.
struct ConnectionGone;
