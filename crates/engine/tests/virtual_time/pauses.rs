//! Pauses that transactions make on purpose: they are a part of the transaction, and no lag of the
//! generator.

use std::rc::Rc;
use std::time::Duration;

use crate::scripted::outcome::{MS, options, try_run_workload};
use crate::scripted::{Reaction, serve};
use contract::{Client, Connection, Dialect, Discard, Ending, Fact, SqlError, Statement, Workload};
use eventloop::{Handle, Timestamp};

const PAUSE: Duration = Duration::from_millis(20);

/// Transactions of so many statements, with a pause at the end.
struct Pausing(usize);

struct PausingClient {
    statements: usize,
    handle: Option<Handle>,
    paused_until: Timestamp,
}

impl Workload for Pausing {
    type Client = PausingClient;

    fn transactions(&self) -> Vec<String> {
        vec!["pausing".to_owned()]
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([Statement { sql: "?".to_owned() }])
    }

    fn client(&self, _: u64, _: u64, _: u64) -> PausingClient {
        PausingClient { statements: self.0, handle: None, paused_until: Timestamp::default() }
    }
}

impl Client for PausingClient {
    fn attach(&mut self, handle: &Handle) {
        self.handle = Some(handle.clone());
    }

    fn draw(&mut self, _: usize) {}

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        for _ in 0..self.statements {
            connection.execute(0, &[], &mut Discard).await?;
        }
        let handle = self.handle.as_ref().unwrap();
        self.paused_until = handle.now() + PAUSE;
        handle.sleep_until(self.paused_until).await;
        Ok(Ending::Committed)
    }

    fn paused_until(&self) -> Timestamp {
        self.paused_until
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }
}

#[test]
fn a_pause_at_the_end_is_a_part_of_the_response_and_no_lag_of_the_generator() {
    for statements in [0, 1, 3] {
        let server = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
        let outcome = try_run_workload(Pausing(statements), options(), &server, &[]).unwrap();
        let answers_ms = 2 * statements as u64;
        let expected = (19 + answers_ms) * MS..(22 + answers_ms) * MS;
        let response = outcome.merged(|transaction| &transaction.response);
        assert!(response.count() > 50, "{}", response.count());
        for (time_ns, _) in response.recorded() {
            assert!(expected.contains(&time_ns), "{statements} statements: {time_ns} ns");
        }
        let lags = outcome.intervals.iter().map(|interval| interval.generator.loop_lag.max_ns());
        assert!(lags.max().unwrap() < MS, "{statements} statements");
    }
}
