//! The engine against a scripted server in virtual time: what a stall, an error or a lost connection
//! does to the figures.

use std::time::Duration;

use crate::scripted::outcome::{MS, options, run_against, run_with_one_timeout, try_run};
use crate::scripted::{Reaction, Request, Script, Welcome, serve};
use contract::{ErrorClass, Fact};
use engine::{Arrivals, EngineLimits, Incident, Options, Phase, Status};
use histogram::Histogram;

/// Answers at once, but not from 0.5 to 1.5 s after the first request.
fn stalls_for_a_second(_: u64, elapsed: Duration) -> Reaction {
    let (from, to) = (Duration::from_millis(500), Duration::from_millis(1500));
    if elapsed >= from && elapsed < to {
        Reaction::AnswerAfter(to.saturating_sub(elapsed))
    } else {
        Reaction::Answer
    }
}

#[test]
fn an_open_loop_charges_a_stall_to_every_transaction_scheduled_meanwhile() {
    for arrivals in
        [Arrivals::Constant { rate_per_s: 400.0 }, Arrivals::Poisson { rate_per_s: 400.0 }]
    {
        let duration = Duration::from_millis(2500);
        let outcome = run_against(Options { arrivals, duration, ..options() }, stalls_for_a_second);
        let response = outcome.merged(|t| &t.response);
        // 400 were scheduled during the stall; on average they waited half a second for its end.
        let slower_than = |histogram: &Histogram, limit_ns: u64| {
            let share = (0..=1000).rev().find(|permille| {
                histogram.quantile_ns(f64::from(*permille) / 1000.0).unwrap() < limit_ns
            });
            (1.0 - f64::from(share.unwrap_or(0)) / 1000.0) * histogram.count() as f64
        };
        let slow = slower_than(&response, 100 * MS);
        assert!((280.0..=440.0).contains(&slow), "{slow} transactions over 100 ms, expected 360");
        let half = slower_than(&response, 500 * MS);
        assert!((140.0..=260.0).contains(&half), "{half} transactions over 500 ms, expected 200");
        assert!(response.max_ns() >= 950 * MS, "the longest took {} ns", response.max_ns());
        // The service time alone hides it: only those that were under way at the stall are slow.
        let service = slower_than(&outcome.merged(|t| &t.service), 100 * MS);
        assert!(service <= 8.0, "{service} transactions with a long service time");
        assert_eq!(outcome.total(|t| t.scheduled), outcome.total(|t| t.committed));
    }
}

#[test]
fn a_closed_loop_sees_a_stall_once_a_client() {
    let duration = Duration::from_secs(2);
    let outcome = run_against(Options { duration, ..options() }, stalls_for_a_second);
    let response = outcome.merged(|t| &t.response);
    assert!(response.max_ns() >= 900 * MS);
    let quantile_of_slow = 1.0 - 8.0 / response.count() as f64;
    assert!(response.quantile_ns(quantile_of_slow).unwrap() < 100 * MS);
}

#[test]
fn a_window_of_one_interval_knows_its_clients() {
    let duration = Duration::from_secs(1);
    let outcome =
        run_against(Options { duration, interval: duration, ..options() }, |_, _| Reaction::Answer);
    let window = outcome.intervals.iter().find(|sample| sample.span.phase == Phase::Window);
    assert_eq!(window.unwrap().levels.live_clients, 4);
}

#[test]
fn too_many_errors_fail_the_trial_with_a_sample() {
    let outcome =
        run_against(
            options(),
            |number, _| {
                if number % 20 == 19 { Reaction::Refuse } else { Reaction::Answer }
            },
        );
    assert_eq!(outcome.end.status, Status::Failed);
    let reason = outcome.end.reason.unwrap();
    assert!(reason.contains("Scripted refusal"), "{reason}");
    assert!(reason.contains("error budget is 1 %"), "{reason}");
}

#[test]
fn a_lost_connection_is_made_again_and_the_trial_goes_on() {
    let options = Options { error_budget: 0.5, ..options() };
    let outcome = run_against(options, |number, _| {
        if number == 50 || number == 90 { Reaction::CutConnection } else { Reaction::Answer }
    });
    assert_eq!(outcome.total(|t| t.failed), 2);
    assert_eq!(outcome.errors_of(ErrorClass::ConnectionLost), 2);
    assert_eq!(outcome.intervals.iter().map(|i| i.reconnects).sum::<u64>(), 2);
    let window_end = outcome.intervals.iter().rfind(|i| i.span.phase == Phase::Window).unwrap();
    assert_eq!(window_end.levels.live_clients, 4);
    assert_eq!(outcome.end.status, Status::Completed);
}

#[test]
fn a_connection_that_is_closed_while_idle_is_made_again_without_a_failure() {
    let arrivals = Arrivals::Constant { rate_per_s: 50.0 };
    let outcome = run_against(Options { arrivals, ..options() }, |number, _| {
        if number == 10 { Reaction::AnswerAndClose } else { Reaction::Answer }
    });
    assert_eq!(outcome.intervals.iter().map(|i| i.reconnects).sum::<u64>(), 1);
    assert_eq!(outcome.errors_of(ErrorClass::ConnectionLost), 1);
    assert_eq!(outcome.total(|t| t.failed), 0);
    assert_eq!(outcome.total(|t| t.committed), 30);
    // A loop that is woken by a dead socket over and over would use all of its CPU.
    let turns = outcome.simulated.turns;
    assert!(turns < 300, "{turns} turns for thirty transactions");
}

#[test]
fn what_the_server_never_answers_is_in_flight_at_the_end() {
    let limits = EngineLimits { drain: Duration::from_millis(200), ..options().limits };
    let outcome = run_against(Options { limits, ..options() }, |number, _| {
        if number == 40 { Reaction::Hang } else { Reaction::Answer }
    });
    let last = outcome.intervals.last().unwrap();
    assert_eq!(last.transactions[0].in_flight, 1);
    assert_eq!(outcome.total(|t| t.scheduled), outcome.total(|t| t.committed) + 1);
}

#[test]
fn clients_that_are_cut_off_hand_over_what_they_know() {
    let limits = EngineLimits { drain: Duration::from_millis(200), ..options().limits };
    let outcome = run_against(Options { limits, ..options() }, |number, _| {
        if number < 40 { Reaction::Answer } else { Reaction::Hang }
    });
    assert_eq!(outcome.total(|t| t.committed), 40);
    assert_eq!(outcome.intervals.last().unwrap().transactions[0].in_flight, 4);
    assert_eq!(outcome.truth.received[&0], 44);
    assert_eq!(outcome.end.statements[0].executions, 44);
    assert_eq!(outcome.end.facts["executed"], Fact::Count(44));
}

#[test]
fn a_statement_that_takes_too_long_fails_in_its_time_limit() {
    let outcome = run_with_one_timeout(Duration::from_millis(200));
    assert_eq!(outcome.errors_of(ErrorClass::Timeout), 1);
    assert_eq!(outcome.total(|t| t.failed), 1);
}

#[test]
fn an_overload_ends_with_what_was_dropped() {
    let options = Options {
        clients: 1,
        arrivals: Arrivals::Constant { rate_per_s: 1000.0 },
        limits: EngineLimits { drain: Duration::from_millis(200), ..options().limits },
        ..options()
    };
    let outcome = run_against(options, |_, _| Reaction::AnswerAfter(Duration::from_millis(10)));
    assert_eq!(outcome.total(|t| t.scheduled), 600);
    let dropped = outcome.total(|t| t.dropped);
    assert!((480..=590).contains(&dropped), "{dropped} dropped");
    // The one that the server was at work on when the drain ended.
    let in_flight = outcome.intervals.last().unwrap().transactions[0].in_flight;
    assert_eq!(outcome.total(|t| t.committed) + dropped + in_flight, 600);
}

#[test]
fn a_stop_from_outside_interrupts_and_keeps_what_was_measured() {
    let server = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(1)));
    let options = Options { duration: Duration::from_hours(1), ..options() };
    let stop = [(Duration::from_millis(900), Incident::Stop)];
    let outcome = try_run(options, &server, &stop).unwrap();
    assert_eq!(outcome.end.status, Status::Interrupted);
    assert!(outcome.total(|t| t.committed) > 10);
    assert!(outcome.simulated.elapsed < Duration::from_millis(1200));
}

/// Nobody listens.
struct Nobody;

impl Script for Nobody {
    fn react(&mut self, _: Request) -> Reaction {
        Reaction::Hang
    }

    fn welcome(&mut self, _: u64, _: Duration) -> Welcome {
        Welcome::Refuse
    }
}

#[test]
fn nobody_there_is_an_error_with_advice() {
    let error = try_run(options(), &serve(Nobody), &[]).err().unwrap().to_string();
    assert!(error.contains("of 4 could not connect"), "{error}");
    assert!(error.contains("is the server up"), "{error}");
}

#[test]
fn a_client_draws_the_same_inputs_whatever_the_number_of_workers() {
    let inputs = |workers: usize| {
        let outcome = run_against(Options { workers, ..options() }, |_, _| {
            Reaction::AnswerAfter(Duration::from_millis(1))
        });
        (0..4)
            .map(|client| {
                let of_client = outcome.log.iter().filter(|(index, _)| *index == client);
                of_client.take(50).copied().collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(inputs(1), inputs(3));
}

#[test]
fn the_clients_facts_and_statement_counts_add_up() {
    let outcome = run_against(options(), |_, _| Reaction::Answer);
    let committed = outcome.total(|t| t.committed);
    assert_eq!(outcome.end.facts["executed"], Fact::Count(committed));
    assert_eq!(outcome.end.statements[0].executions, committed);
    assert_eq!(outcome.intervals.iter().map(|i| i.statements.read).sum::<u64>(), committed);
}

#[test]
fn warm_up_and_drain_stand_apart_from_the_window() {
    let options = Options { warmup: Duration::from_millis(300), ..options() };
    let outcome = run_against(options, |_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
    let spans: Vec<(i64, Phase)> =
        outcome.intervals.iter().map(|i| (i.span.index, i.span.phase)).collect();
    let expected = [
        (-2, Phase::Warmup),
        (-1, Phase::Warmup),
        (0, Phase::Window),
        (1, Phase::Window),
        (2, Phase::Window),
    ];
    assert_eq!(spans[..5], expected);
    assert!(spans[5..].iter().all(|(_, phase)| *phase == Phase::Drain));
}
