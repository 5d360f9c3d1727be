//! Which interval a transaction's times belong to, those of failed ones, and what is told of gaps and
//! of the generator's own pauses.

use std::time::Duration;

use crate::scripted::outcome::{MS, options, run_against, run_with_one_timeout, try_run};
use crate::scripted::{Reaction, serve};
use engine::{Arrivals, Incident, Options};
use histogram::Histogram;

/// Answers at once until `from`, and holds all answers back until `to`.
fn stalls(from_ms: u64, to_ms: u64) -> impl Fn(u64, Duration) -> Reaction + Send + Sync + 'static {
    let (from, to) = (Duration::from_millis(from_ms), Duration::from_millis(to_ms));
    move |_, elapsed| {
        if elapsed >= from && elapsed < to {
            Reaction::AnswerAfter(to.saturating_sub(elapsed))
        } else {
            Reaction::AnswerAfter(Duration::from_millis(1))
        }
    }
}

#[test]
fn a_stall_over_the_end_of_the_window_is_in_the_windows_times() {
    // The window ends at 1 s, the stall lasts from 0.7 to 1.4 s.
    let duration = Duration::from_secs(1);
    for (arrivals, slow_at_least) in
        [(Arrivals::Constant { rate_per_s: 200.0 }, 40), (Arrivals::Closed, 4)]
    {
        let outcome = run_against(Options { arrivals, duration, ..options() }, stalls(700, 1400));
        let window = outcome.of_window(|t| &t.response);
        let slow: u64 =
            window.recorded().filter(|(time_ns, _)| *time_ns > 300 * MS).map(|(_, n)| n).sum();
        assert!(slow >= slow_at_least, "{arrivals:?}: {slow} slow ones");
        assert!(window.max_ns() > 550 * MS, "{arrivals:?}: {} ns", window.max_ns());
        assert_eq!(window.count(), outcome.total(|t| t.committed), "{arrivals:?}");
        assert!(outcome.total_in_window(|t| t.committed) < window.count(), "by completion");
    }
}

#[test]
fn times_of_failed_transactions_are_kept_by_themselves() {
    let outcome = run_with_one_timeout(Duration::from_millis(300));
    let mut failed = Histogram::new();
    for interval in &outcome.intervals {
        failed.merge(&interval.transactions[0].failed_response.to_histogram());
    }
    assert_eq!((failed.count(), outcome.total(|t| t.failed)), (1, 1));
    assert!(failed.max_ns() >= 300 * MS, "{} ns", failed.max_ns());
}

#[test]
fn the_longest_gap_is_that_of_all_workers_and_goes_on_from_interval_to_interval() {
    // Intervals of 200 ms; nothing ends from 300 to 800 ms.
    let duration = Duration::from_millis(1200);
    let options = Options { duration, ..options() };
    let outcome = run_against(options, stalls(300, 800));
    let gaps_s: Vec<f64> = outcome.intervals.iter().map(|i| i.longest_gap_s).collect();
    assert!(gaps_s[3] > gaps_s[2] && gaps_s[2] > gaps_s[1], "{gaps_s:?}");
    let longest_s = gaps_s[..6].iter().copied().fold(0.0, f64::max);
    assert!(longest_s > 0.4, "{gaps_s:?}");
}

#[test]
fn a_pause_of_the_generator_is_told_apart_from_a_stall_of_the_server() {
    let duration = Duration::from_secs(3);
    let paused = |incidents: &[(Duration, Incident)], server| {
        let outcome = try_run(Options { duration, ..options() }, &server, incidents).unwrap();
        let pauses = outcome.intervals.iter().map(|interval| interval.generator.pauses);
        let (longest, total): (Vec<_>, Vec<_>) =
            pauses.map(|pauses| (pauses.longest_ns, pauses.total_ns)).unzip();
        (longest.into_iter().max().unwrap() / MS, total.into_iter().sum::<u64>() / MS)
    };
    assert_eq!(paused(&[], serve(stalls(700, 1700))), (0, 0));
    let pause = Incident::Pause(Duration::from_secs(1));
    let answers = || serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(1)));
    let (longest_ms, total_ms) = paused(&[(Duration::from_secs(1), pause)], answers());
    // The coordinator comes ten milliseconds after it began to wait if all is well.
    assert!((985..=1000).contains(&longest_ms), "{longest_ms} ms");
    assert!((985..=1000).contains(&total_ms), "{total_ms} ms");
}
