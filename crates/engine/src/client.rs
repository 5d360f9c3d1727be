//! One client's life: connect, wait for the start, carry transactions out, say goodbye.

use std::rc::Rc;
use std::time::Duration;

use contract::{Client, Connection, Driver, SqlError, Workload};
use eventloop::Timestamp;
use random::{Purpose, Stream};

use crate::dispatch::Ticket;
use crate::recorder::Completion;
use crate::worker::Context;

/// The first wait before a lost connection is made again; it doubles up to the last.
const RECONNECT_FIRST: Duration = Duration::from_millis(10);
const RECONNECT_LAST: Duration = Duration::from_secs(1);

/// A client between its connections and its transactions.
struct Session<D: Driver, W: Workload> {
    context: Rc<Context<D, W>>,
    connection: D::Connection,
    client: W::Client,
    backoff: Stream,
}

/// Lives a client's life.
pub(crate) async fn run_client<D: Driver, W: Workload>(context: Rc<Context<D, W>>, index: u64) {
    let connection = match connect(&context).await {
        Ok(connection) => connection,
        Err(error) => return context.client_refused(index, &error),
    };
    let client = context.workload().client(context.options().seed, index);
    let backoff = Stream::new(context.options().seed, Purpose::Backoff, index);
    let mut session = Session { context, connection, client, backoff };
    if session.wait_for_start().await {
        session.carry_out_transactions().await;
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
        self.context.client_ready(&self.connection);
        let context = Rc::clone(&self.context);
        let started = context.handle().park_until(|| context.start_signal()).await;
        // What preparing cost is nobody's load.
        self.connection.take_statement_counts();
        self.connection.take_tally();
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
                Ticket::Transaction(scheduled) => {
                    if let Ok(handled) = self.transaction(scheduled, now).await {
                        now = handled;
                    } else if self.reconnect().await {
                        now = Timestamp::now();
                    } else {
                        return;
                    }
                }
            }
        }
    }

    /// Carries out one transaction with its retries; returns the time at which it was done with.
    async fn transaction(
        &mut self,
        scheduled: Timestamp,
        now: Timestamp,
    ) -> Result<Timestamp, ConnectionGone> {
        let kind = self.client.draw();
        // An open loop's client may have waited since `now` was read.
        let start = if scheduled == now { now } else { Timestamp::now() };
        self.context.transaction_started(kind, scheduled);
        let mut attempt = 0;
        loop {
            match self.client.execute(&mut self.connection).await {
                Ok(ending) => {
                    let handled = Timestamp::now();
                    // A stepped wall clock must not make an answer older than its question.
                    let end = self.connection.last_arrival().clamp(start, handled);
                    let completion = Completion { kind, ending, scheduled, start, end, handled };
                    self.context.transaction_completed(&completion, self.connection.take_tally());
                    return Ok(handled);
                }
                Err(error) => {
                    let retry = error.class().is_retryable()
                        && attempt < self.context.options().retry.max_retries
                        && !self.context.is_draining_out();
                    self.attempt_failed(kind, attempt, &error, retry);
                    let usable = !error.class().ends_connection() && self.roll_back().await;
                    if !usable || !retry {
                        let tally = self.connection.take_tally();
                        self.context.transaction_failed(kind, tally);
                        return if usable { Ok(Timestamp::now()) } else { Err(ConnectionGone) };
                    }
                    self.back_off(attempt).await;
                    attempt += 1;
                }
            }
        }
    }

    fn attempt_failed(&self, kind: usize, attempt: u32, error: &SqlError, retry: bool) {
        let now = Timestamp::now();
        let mut recorder = self.context.recorder();
        recorder.error(error, now);
        if attempt == 0 {
            recorder.first_attempt_abort(kind, now);
        }
        if retry {
            recorder.retry(kind, now);
        }
    }

    async fn roll_back(&mut self) -> bool {
        match self.connection.rollback().await {
            Ok(()) => true,
            Err(error) => {
                self.context.recorder().error(&error, Timestamp::now());
                false
            }
        }
    }

    async fn back_off(&mut self, attempt: u32) {
        let policy = self.context.options().retry;
        let longest =
            policy.backoff_min.saturating_mul(1 << attempt.min(20)).min(policy.backoff_max);
        let pause = longest.mul_f64(self.backoff.unit());
        self.context.handle().clear_deadline();
        self.context.handle().sleep_until(Timestamp::now() + pause).await;
    }

    /// Makes the connection again, however often it takes; false when the trial is over first.
    async fn reconnect(&mut self) -> bool {
        self.context.client_lost();
        self.context.keep_statement_counts(&mut self.connection);
        let mut pause = RECONNECT_FIRST;
        while !self.context.dispatcher().is_over() {
            self.context.handle().clear_deadline();
            self.context.handle().sleep_until(Timestamp::now() + pause).await;
            pause = (pause * 2).min(RECONNECT_LAST);
            match connect(&self.context).await {
                Ok(mut connection) => {
                    connection.take_statement_counts();
                    connection.take_tally();
                    self.connection = connection;
                    self.context.client_reconnected();
                    return true;
                }
                Err(error) => self.context.recorder().error(&error, Timestamp::now()),
            }
        }
        false
    }

    async fn end(mut self) {
        self.context.keep_statement_counts(&mut self.connection);
        self.context.keep_facts(self.client.facts());
        self.connection.close().await;
    }
}

/// The connection can't be used any more; what that did to the transaction has been recorded.
struct ConnectionGone;
