//! A transaction that fails before anything is sent: the load goes on, and ends in time.

use std::rc::Rc;
use std::time::Duration;

use crate::scripted::outcome::{options, try_run_workload};
use crate::scripted::{Reaction, serve};
use contract::{
    Client, Connection, Dialect, Ending, ErrorClass, Fact, SqlError, Statement, Workload,
};
use engine::Options;

/// Every transaction is refused by the driver, which sends nothing.
struct Refused;

impl Workload for Refused {
    type Client = Self;

    fn transactions(&self) -> Vec<String> {
        vec!["refused".to_owned()]
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([])
    }

    fn client(&self, _: u64, _: u64, _: u64) -> Self {
        Self
    }
}

impl Client for Refused {
    fn draw(&mut self, _: usize) {}

    async fn execute<C: Connection>(&mut self, _: &mut C) -> Result<Ending, SqlError> {
        Err(SqlError::driver(ErrorClass::InvalidStatement, "there is no such statement"))
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }
}

#[test]
fn what_fails_without_an_answer_does_not_stop_the_clock() {
    let options = Options { error_budget: 1.0, duration: Duration::from_millis(200), ..options() };
    let server = serve(|_, _| Reaction::Answer);
    let outcome = try_run_workload(Refused, options, &server, &[]).unwrap();
    let failed: u64 =
        outcome.intervals.iter().map(|interval| interval.transactions[0].failed).sum();
    assert!(failed > 1 && outcome.end.elapsed_s < 5.0, "{failed} in {} s", outcome.end.elapsed_s);
}
