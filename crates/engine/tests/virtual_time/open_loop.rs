//! An open loop's arrivals are those of all workers together: who serves them, and how they count.

use std::time::Duration;

use crate::scripted::outcome::{MS, options, run_against, try_run};
use crate::scripted::{Reaction, Request, Script, Welcome, serve};
use engine::{Arrivals, Incident, Options, RunError};

#[test]
fn response_times_do_not_depend_on_the_number_of_workers() {
    let quantiles_ms = |workers: usize| {
        let loaded = Options {
            workers,
            arrivals: Arrivals::Poisson { rate_per_s: 60.0 },
            duration: Duration::from_secs(40),
            interval: Duration::from_secs(40),
            ..options()
        };
        let busy = Reaction::AnswerAfter(Duration::from_millis(50));
        let response = run_against(loaded, move |_, _| busy).of_window(|t| &t.response);
        [0.5, 0.95, 0.99].map(|quantile| response.quantile_ns(quantile).unwrap() / MS)
    };
    let with_one = quantiles_ms(1);
    for workers in [2, 4] {
        let with_more = quantiles_ms(workers);
        for (one, more) in with_one.into_iter().zip(with_more) {
            // Histograms tell a thousandth apart, and turns of a loop take a microsecond.
            assert!(one.abs_diff(more) <= 1, "{workers} workers: {with_more:?} ms, {with_one:?}");
        }
    }
    assert!((60..150).contains(&with_one[1]), "{with_one:?} ms");
}

/// Closes the connection of the first request one and a half seconds later, and lets nobody in again.
struct LosesOne;

impl Script for LosesOne {
    fn react(&mut self, request: Request) -> Reaction {
        if request.number == 0 {
            Reaction::AnswerAndCloseAfter(Duration::from_millis(1500))
        } else {
            Reaction::Answer
        }
    }

    fn welcome(&mut self, number: u64, _: Duration) -> Welcome {
        if number < 2 { Welcome::After(Duration::ZERO) } else { Welcome::Refuse }
    }
}

#[test]
fn what_a_lost_client_would_have_begun_is_begun_by_another_in_time() {
    for workers in [1, 2] {
        let loaded = Options {
            clients: 2,
            workers,
            arrivals: Arrivals::Constant { rate_per_s: 1.0 },
            duration: Duration::from_secs(6),
            interval: Duration::from_secs(1),
            error_budget: 1.0,
            ..options()
        };
        let outcome = try_run(loaded, &serve(LosesOne), &[]).unwrap();
        assert_eq!(outcome.total(|t| t.committed), 6, "{workers} workers");
        let longest_ns = outcome.of_window(|t| &t.response).max_ns();
        assert!(longest_ns < MS, "{workers} workers: {longest_ns} ns");
        let last = outcome.intervals.iter().rfind(|i| i.levels.live_clients > 0).unwrap();
        assert_eq!(last.levels.live_clients, 1, "one was lost");
    }
}

#[test]
fn what_is_due_counts_then_though_nobody_has_claimed_it() {
    let overloaded =
        Options { clients: 1, arrivals: Arrivals::Constant { rate_per_s: 1000.0 }, ..options() };
    let pause = Duration::from_millis(10);
    let outcome = run_against(overloaded, move |_, _| Reaction::AnswerAfter(pause));
    for (interval, waiting) in outcome.intervals.iter().zip([180, 360, 540]) {
        assert_eq!(interval.transactions[0].scheduled, 200);
        assert!(interval.levels.waiting.abs_diff(waiting) <= 3, "{}", interval.levels.waiting);
    }
}

#[test]
fn a_worker_that_fails_ends_the_trial_with_its_counters_in_order() {
    let arrivals = Arrivals::Constant { rate_per_s: 1000.0 };
    let fails = [(Duration::from_millis(500), Incident::WorkerFails(0))];
    for workers in [1, 2] {
        let loaded = Options { workers, arrivals, ..options() };
        let answers = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
        // Counters that contradict each other would end in a panic.
        let failure = try_run(loaded, &answers, &fails).err().unwrap();
        assert!(matches!(failure, RunError::System(_)), "{failure}");
    }
}
