//! Attempts and their number: what is retried and how, and what ends a trial before its time.

use std::time::Duration;

use crate::scripted::Reaction;
use crate::scripted::outcome::{options, run_against};
use contract::{ErrorClass, ErrorSet};
use engine::{Arrivals, ClientSample, Options, Phase, RetryPolicy, Status};

#[test]
fn a_deadlock_is_retried_with_the_same_input_and_counted_beside() {
    let outcome = run_against(options(), |number, _| {
        if number % 10 == 9 { Reaction::Deadlock } else { Reaction::Answer }
    });
    let retries = outcome.total(|t| t.retries);
    assert!(retries > 0);
    assert_eq!(retries, outcome.errors_of(ErrorClass::Deadlock));
    assert_eq!(outcome.total(|t| t.failed), 0);
    let committed = outcome.total(|t| t.committed);
    assert_eq!(outcome.log.len() as u64, committed + retries);
    // Every attempt after the first has the input of the one before it.
    let mut repeats = 0;
    for client in 0..4 {
        let inputs: Vec<u64> =
            outcome.log.iter().filter(|(index, _)| *index == client).map(|(_, i)| *i).collect();
        repeats += inputs.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    }
    assert_eq!(repeats, retries);
    assert_eq!(outcome.end.status, Status::Completed);
}

#[test]
fn a_rollback_that_is_answered_with_a_deadlock_costs_neither_connection_nor_transaction() {
    let outcome = run_against(options(), |number, _| {
        if number % 10 == 9 { Reaction::DeadlockTwice } else { Reaction::Answer }
    });
    let retries = outcome.total(|t| t.retries);
    assert!(retries > 0);
    assert_eq!(outcome.errors_of(ErrorClass::Deadlock), 2 * retries);
    assert_eq!(outcome.total(|t| t.failed), 0);
    assert_eq!(outcome.end.status, Status::Completed);
}

#[test]
fn retries_end_and_the_transaction_has_failed_then() {
    let retry = RetryPolicy { max_retries: 2, ..options().retry };
    let outcome =
        run_against(Options { retry, error_budget: 1.0, ..options() }, |_, _| Reaction::Deadlock);
    let failed = outcome.total(|t| t.failed);
    assert!(failed > 0);
    assert_eq!(outcome.total(|t| t.committed), 0);
    assert_eq!(outcome.total(|t| t.first_attempt_aborts), failed);
    assert_eq!(outcome.errors_of(ErrorClass::Deadlock), failed + outcome.total(|t| t.retries));
}

#[test]
fn a_retry_may_have_a_new_input() {
    let retry = RetryPolicy { new_input: true, ..options().retry };
    let outcome = run_against(Options { retry, ..options() }, |number, _| {
        if number % 10 == 9 { Reaction::Deadlock } else { Reaction::Answer }
    });
    assert!(outcome.total(|t| t.retries) > 0);
    let mut inputs = outcome.log.clone();
    inputs.sort_unstable();
    inputs.dedup();
    assert_eq!(inputs.len(), outcome.log.len(), "no input occurs twice");
}

#[test]
fn which_errors_are_retried_is_said_by_their_names() {
    let retry = |errors: &[&str]| RetryPolicy {
        errors: ErrorSet::parse(errors).unwrap(),
        ..options().retry
    };
    let run = |errors: &[&str]| {
        let options = Options { retry: retry(errors), error_budget: 1.0, ..options() };
        run_against(options, |number, _| match number % 10 {
            4 => Reaction::Deadlock,
            9 => Reaction::Refuse,
            _ => Reaction::Answer,
        })
    };
    let none = run(&[]);
    assert_eq!(none.total(|t| t.retries), 0);
    let (failed, errors) = (none.total(|t| t.failed), none.errors_of(ErrorClass::Deadlock));
    assert!(failed > errors && errors > 0);
    let all = run(&["all"]);
    assert_eq!(all.total(|t| t.failed), 0);
    let deadlocks = run(&["deadlock"]);
    assert_eq!(deadlocks.total(|t| t.retries), deadlocks.errors_of(ErrorClass::Deadlock));
    assert!(deadlocks.total(|t| t.failed) > 0);
}

#[test]
fn the_first_failure_may_end_the_trial() {
    let long = Options { stop_at_failure: true, duration: Duration::from_mins(1), ..options() };
    let outcome = run_against(long, |number, _| match number {
        10 => Reaction::Deadlock,
        50 => Reaction::Refuse,
        _ => Reaction::AnswerAfter(Duration::from_millis(1)),
    });
    assert!(outcome.simulated.elapsed < Duration::from_secs(2));
    assert_eq!(outcome.end.status, Status::Failed);
    assert_eq!(
        outcome.end.reason.as_deref(),
        Some("Scripted refusal (error 1105, SQLSTATE HY000)")
    );
    assert_eq!((outcome.total(|t| t.failed), outcome.total(|t| t.retries)), (1, 1));
}

#[test]
fn a_trial_may_end_after_so_many_transactions() {
    for arrivals in [Arrivals::Closed, Arrivals::Poisson { rate_per_s: 2000.0 }] {
        let limited = Options {
            transactions: Some(137),
            arrivals,
            // What is started in the warm-up does not count.
            warmup: Duration::from_millis(200),
            duration: Duration::from_mins(1),
            ..options()
        };
        let outcome = run_against(limited, |_, _| Reaction::Answer);
        let in_window = outcome.intervals.iter().filter(|i| i.span.phase != Phase::Warmup);
        let started: u64 = in_window.map(|interval| interval.transactions[0].scheduled).sum();
        assert_eq!(started, 137, "{arrivals:?}");
        assert!(outcome.total(|t| t.scheduled) > 137, "{arrivals:?}");
        assert_eq!(outcome.total(|t| t.scheduled), outcome.total(|t| t.committed));
        assert_eq!(outcome.end.status, Status::Completed);
        assert!(outcome.end.elapsed_s < 10.0);
    }
}

#[test]
fn clients_are_counted_one_by_one_on_request() {
    let plain = run_against(options(), |_, _| Reaction::Answer);
    assert!(plain.intervals.iter().all(|interval| interval.clients.is_empty()));
    let counted = Options { count_by_client: true, ..options() };
    let outcome = run_against(counted, |_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
    let mut clients = [ClientSample::default(); 4];
    for interval in &outcome.intervals {
        for (sum, sample) in clients.iter_mut().zip(&interval.clients) {
            sum.transactions += sample.transactions;
            sum.response_ns += sample.response_ns;
        }
    }
    let transactions = clients.iter().map(|client| client.transactions);
    assert_eq!(transactions.sum::<u64>(), outcome.total(|t| t.committed));
    for client in clients {
        let inputs = client.transactions as f64;
        let mean_ms = client.response_ns as f64 / inputs / 1e6;
        assert!(inputs > 10.0 && (2.0..20.0).contains(&mean_ms), "{inputs} {mean_ms}");
    }
}
