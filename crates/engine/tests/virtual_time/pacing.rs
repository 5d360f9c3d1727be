//! Clients with a pace of their own: what a wait is part of, and what ends it.

use std::rc::Rc;
use std::time::Duration;

use crate::scripted::outcome::{MS, Outcome, options, try_run_workload};
use crate::scripted::{Reaction, serve};
use contract::{
    Client, Connection, Dialect, Discard, Due, Ending, ErrorClass, Fact, SqlError, Statement,
    Workload,
};
use engine::{
    Arrivals, EngineLimits, Incident, Options, Phase, RunError, Status, TransactionSample,
};
use eventloop::Timestamp;

const HOUR: Due = Due::In(Duration::from_hours(1));

/// When a client's transaction is due: by the client, the number of the transaction, and the time.
type Pace = fn(u64, u64, Timestamp) -> Due;

/// One statement a transaction; what was put off is of the second kind.
#[derive(Clone, Copy)]
struct Paced(Pace);

struct PacedClient {
    pace: Pace,
    index: u64,
    drawn: u64,
}

impl Workload for Paced {
    type Client = PacedClient;

    fn transactions(&self) -> Vec<String> {
        vec!["typed".to_owned(), "put_off".to_owned()]
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([Statement { sql: "?".to_owned() }])
    }

    fn needs_closed_loop(&self) -> Option<&'static str> {
        Some("they think: use a closed loop")
    }

    fn client(&self, _: u64, index: u64, _: u64) -> PacedClient {
        PacedClient { pace: self.0, index, drawn: 0 }
    }
}

impl Client for PacedClient {
    const PACED: bool = true;

    fn choose(&mut self) -> usize {
        self.drawn += 1;
        // Which kind it is does not depend on the time.
        let due = (self.pace)(self.index, self.drawn - 1, Timestamp(u64::MAX));
        usize::from(matches!(due, Due::Since(_)))
    }

    fn due(&mut self, _: usize, now: Timestamp) -> Due {
        (self.pace)(self.index, self.drawn - 1, now)
    }

    fn draw(&mut self, _: usize) {}

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        connection.execute(0, &[], &mut Discard).await?;
        Ok(Ending::Committed)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("drawn", Fact::Count(self.drawn))]
    }
}

/// Runs with so long a drain that a client that goes on waiting would be noticed.
fn run_paced(pace: Pace, options: Options) -> Outcome {
    run_paced_against(pace, options, |_, _| Reaction::AnswerAfter(Duration::from_millis(1)))
}

fn run_paced_against(
    pace: Pace,
    options: Options,
    script: impl Fn(u64, Duration) -> Reaction + Send + Sync + 'static,
) -> Outcome {
    let limits = EngineLimits { drain: Duration::from_mins(1), ..options.limits };
    let options = Options { limits, ..options };
    try_run_workload(Paced(pace), options, &serve(script), &[]).unwrap()
}

fn total(outcome: &Outcome, kind: usize, count: impl Fn(&TransactionSample) -> u64) -> u64 {
    outcome.intervals.iter().map(|interval| count(&interval.transactions[kind])).sum()
}

#[test]
fn the_response_time_begins_at_the_end_of_the_wait() {
    let outcome = run_paced(|_, _, _| Due::In(Duration::from_millis(40)), options());
    let response = outcome.merged(|t| &t.response);
    assert!(response.quantile_ns(0.5).unwrap() < 20 * MS, "without the wait");
    let committed = outcome.total(|t| t.committed);
    assert!((4..=4 * 16).contains(&committed), "{committed} transactions, one in 41 ms a client");
    assert_eq!(outcome.total(|t| t.scheduled), committed);
}

#[test]
fn a_transaction_that_was_put_off_has_waited_since_then() {
    let every_other_is_put_off: Pace = |_, number, now| match number % 2 {
        0 => Due::In(Duration::from_millis(5)),
        _ => Due::Since(now - Duration::from_millis(300)),
    };
    let outcome = run_paced(every_other_is_put_off, options());
    for kind in [0, 1] {
        let committed = total(&outcome, kind, |t| t.committed);
        assert!(committed > 4);
        assert_eq!(total(&outcome, kind, |t| t.scheduled), committed);
    }
    for interval in &outcome.intervals {
        let put_off = &interval.transactions[1];
        for histogram in [&put_off.response, &put_off.lag] {
            assert!(histogram.count() == 0 || histogram.quantile_ns(0.0).unwrap() >= 299 * MS);
        }
        assert!(put_off.service.quantile_ns(0.5).is_none_or(|service| service < 200 * MS));
    }
}

#[test]
fn a_time_that_is_yet_to_come_is_now() {
    let outcome = run_paced(|_, _, now| Due::Since(now + Duration::from_hours(1)), options());
    assert!(total(&outcome, 1, |t| t.committed) > 4);
    assert_eq!(outcome.end.status, Status::Completed);
}

#[test]
fn who_waits_is_neither_waiting_nor_running_and_ends_with_the_window() {
    let one_and_no_more: Pace = |_, number, _| if number == 0 { Due::Now } else { HOUR };
    let outcome = run_paced(one_and_no_more, options());
    assert!(outcome.simulated.elapsed < Duration::from_secs(2));
    assert_eq!(outcome.end.status, Status::Completed);
    assert_eq!(outcome.total(|t| t.scheduled), 4, "what was never due was never scheduled");
    assert_eq!(outcome.total(|t| t.committed), 4);
    assert_eq!(outcome.end.facts["drawn"], Fact::Count(8));
    let in_window = outcome.intervals.iter().filter(|i| i.span.phase == Phase::Window);
    for interval in in_window.skip(1) {
        let levels = interval.levels;
        assert_eq!((levels.live_clients, levels.waiting, levels.running), (4, 0, 0));
        assert_eq!(interval.transactions[0].in_flight, 0);
    }
}

#[test]
fn a_stop_from_outside_ends_a_wait() {
    let long = Options { duration: Duration::from_hours(1), ..options() };
    let server = serve(|_, _| Reaction::Answer);
    let stop = [(Duration::from_millis(600), Incident::Stop)];
    let outcome = try_run_workload(Paced(|_, _, _| HOUR), long, &server, &stop).unwrap();
    assert_eq!(outcome.end.status, Status::Interrupted);
    assert!(outcome.simulated.elapsed < Duration::from_secs(1));
    // Only a client that came to its end has facts.
    assert_eq!(outcome.end.facts["drawn"], Fact::Count(4));
    assert_eq!(outcome.total(|t| t.scheduled), 0);
}

#[test]
fn the_last_of_so_many_transactions_ends_a_wait() {
    let one_of_four_goes_on: Pace = |client, number, _| match (client, number) {
        (0, _) => Due::In(Duration::from_millis(1)),
        (_, 0) => Due::Now,
        _ => HOUR,
    };
    let duration = Duration::from_mins(1);
    let outcome =
        run_paced(one_of_four_goes_on, Options { transactions: Some(20), duration, ..options() });
    assert!(outcome.simulated.elapsed < Duration::from_secs(2));
    assert_eq!(outcome.end.status, Status::Completed);
    assert_eq!(outcome.total(|t| t.scheduled), 20);
    assert_eq!(outcome.total(|t| t.committed), 20);
}

#[test]
fn a_connection_that_is_closed_in_a_wait_is_made_again_for_the_same_transaction() {
    let two_and_no_more: Pace = |_, number, _| match number {
        0 => Due::Now,
        1 => Due::In(Duration::from_millis(300)),
        _ => HOUR,
    };
    let options = Options { clients: 1, ..options() };
    let outcome = run_paced_against(two_and_no_more, options, |number, _| {
        if number == 0 { Reaction::AnswerAndClose } else { Reaction::Answer }
    });
    assert_eq!(outcome.intervals.iter().map(|i| i.reconnects).sum::<u64>(), 1);
    assert_eq!(outcome.errors_of(ErrorClass::ConnectionLost), 1);
    assert_eq!((outcome.total(|t| t.committed), outcome.total(|t| t.failed)), (2, 0));
    assert_eq!(outcome.end.facts["drawn"], Fact::Count(3));
    // A loop that is woken by a dead socket over and over would use all of its CPU.
    let turns = outcome.simulated.turns;
    assert!(turns < 100, "{turns} turns for two transactions");
}

#[test]
fn an_open_loop_refuses_a_client_with_a_pace_of_its_own() {
    let arrivals = Arrivals::Constant { rate_per_s: 10.0 };
    let address = serve(|_, _| Reaction::Answer);
    let workload = Paced(|_, _, _| Due::Now);
    let options = Options { arrivals, ..options() };
    match try_run_workload(workload, options, &address, &[]) {
        Err(RunError::Unsupported(reason)) => assert!(reason.contains("use a closed loop")),
        other => panic!("{:?}", other.err()),
    }
}
