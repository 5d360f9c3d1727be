//! Warm-ups that end when it is told, in virtual time.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::scripted::faults::Plan;
use crate::scripted::ledger::{KINDS, Kept};
use crate::scripted::outcome::{MS, Outcome, options, try_run, try_run_workload};
use crate::scripted::{Reaction, Server, serve};
use engine::{Arrivals, Incident, IntervalSample, Options, Phase, RunError, Share};

const INTERVAL: Duration = Duration::from_millis(200);

/// A warm-up of at most ten intervals, and a window of three.
fn at_most_ten() -> Options {
    let warmup_least = Some(Duration::from_millis(400));
    Options { warmup: INTERVAL * 10, warmup_least, ..options() }
}

/// The same trial, planned with a warm-up of five intervals.
fn just_five() -> Options {
    Options { warmup: INTERVAL * 5, ..options() }
}

/// All are connected after a moment, and the load begins a quarter of a second after that.
const SOON: Duration = Duration::from_millis(700);

fn run(options: Options, incidents: &[(Duration, Incident)]) -> Outcome {
    let server = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
    try_run(options, &server, incidents).unwrap()
}

fn phases(outcome: &Outcome) -> Vec<(Phase, i64)> {
    outcome.intervals.iter().map(|interval| (interval.span.phase, interval.span.index)).collect()
}

/// Milliseconds from the start of the load to that of the window.
fn warmup_ms(outcome: &Outcome) -> u64 {
    let go = outcome.intervals[0].span.start;
    let window = outcome.intervals.iter().find(|i| i.span.phase == Phase::Window).unwrap();
    window.span.start.since(go) / MS
}

fn without_gap(intervals: &[IntervalSample]) -> bool {
    intervals.windows(2).all(|pair| pair[0].span.end == pair[1].span.start)
}

#[test]
fn the_window_begins_when_it_is_told_and_is_as_long_as_it_was_to_be() {
    let outcome = run(at_most_ten(), &[(SOON, Incident::BeginWindowAt(-5))]);
    let window = outcome.intervals.iter().find(|i| i.span.phase == Phase::Window).unwrap();
    assert_eq!(outcome.window_told, [Ok(window.span.start)]);
    assert_eq!(warmup_ms(&outcome), 1000);
    let warmup = (-10..-5).map(|index| (Phase::Warmup, index));
    let window = (0..3).map(|index| (Phase::Window, index));
    let expected: Vec<_> = warmup.chain(window).chain([(Phase::Drain, 3)]).collect();
    assert_eq!(phases(&outcome), expected);
    assert!(without_gap(&outcome.intervals));
    let planned = run(just_five(), &[]);
    let counted = |outcome: &Outcome| outcome.total_in_window(|t| t.committed);
    assert_eq!(counted(&outcome), counted(&planned));
}

#[test]
fn a_trial_that_is_told_nothing_takes_the_whole_warm_up() {
    let outcome = run(at_most_ten(), &[]);
    assert_eq!((warmup_ms(&outcome), outcome.window_told.len()), (2000, 0));
}

#[test]
fn what_is_told_too_late_or_against_the_plan_is_refused_in_words_and_changes_nothing() {
    let expected = phases(&run(at_most_ten(), &[]));
    let late = SOON + INTERVAL * 6;
    for (options, when, index, reason) in [
        (at_most_ten(), late, -5, "that interval has begun"),
        (at_most_ten(), SOON, -9, "the warm-up takes longer than that in any case"),
        (at_most_ten(), SOON, 2, "the window may only be brought forward"),
        (
            Options { warmup_least: None, ..at_most_ten() },
            SOON,
            -5,
            "the warm-up has a fixed length",
        ),
    ] {
        let outcome = run(options, &[(when, Incident::BeginWindowAt(index))]);
        assert_eq!(outcome.window_told, [Err(reason)]);
        assert_eq!(phases(&outcome), expected, "{reason}");
    }
    let twice = [(SOON, Incident::BeginWindowAt(-3)), (SOON * 2, Incident::BeginWindowAt(-2))];
    let outcome = run(at_most_ten(), &twice);
    assert_eq!(outcome.window_told[1], Err("the window was brought forward before"));
    assert_eq!(warmup_ms(&outcome), 1400);
}

/// What was due of each kind, by intervals from the start of the load on.
fn due(outcomes: &[Outcome]) -> BTreeMap<(usize, usize), u64> {
    let mut due = BTreeMap::new();
    for outcome in outcomes {
        for (place, interval) in outcome.intervals.iter().enumerate() {
            for (kind, transaction) in interval.transactions.iter().enumerate() {
                *due.entry((place, kind)).or_insert(0) += transaction.scheduled;
            }
        }
    }
    due
}

fn kept(options: Options, incidents: &[(Duration, Incident)]) -> Outcome {
    let server = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
    try_run_workload(Kept::default(), options, &server, incidents).unwrap()
}

/// The schedule goes on through the change, and ends with the window, in one generator and in two.
#[test]
fn an_open_loop_offers_what_it_would_offer_with_a_warm_up_that_was_planned() {
    let share = |begin, end| Share { begin, end, of: 3 };
    for arrivals in
        [Arrivals::Constant { rate_per_s: 700.0 }, Arrivals::Poisson { rate_per_s: 700.0 }]
    {
        let planned = kept(Options { arrivals, clients: 12, ..just_five() }, &[]);
        let told = |share| {
            let options = Options { arrivals, share, clients: 12, ..at_most_ten() };
            kept(options, &[(SOON, Incident::BeginWindowAt(-5))])
        };
        assert_eq!(due(&[told(Share::WHOLE)]), due(std::slice::from_ref(&planned)));
        let two = [told(share(0, 1)), told(share(1, 3))];
        assert_eq!(phases(&two[0]), phases(&two[1]), "{arrivals:?}");
        assert_eq!(due(&two), due(&[planned]), "{arrivals:?}");
    }
}

/// Trials with faults in which the window is brought forward at any time.
#[test]
fn whatever_befalls_it_the_books_of_a_trial_are_kept_through_the_change() {
    let mut moved = 0;
    for seed in 0..60 {
        let Plan { mut options, mut incidents, faults } = Plan::of(seed);
        options.warmup = options.interval * 8 + Duration::from_millis(seed % 50);
        (options.warmup_least, options.transactions) = (Some(Duration::ZERO), None);
        let when = Duration::from_millis(300) + options.interval * u32::try_from(seed % 7).unwrap();
        let index = -1 - (seed % 5).cast_signed();
        incidents.push((when, Incident::BeginWindowAt(index)));
        incidents.sort_by_key(|(when, _)| *when);
        let outcome =
            try_run_workload(Kept::default(), options.clone(), &Server::new(faults), &incidents);
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(RunError::Refused { .. } | RunError::System(_)) => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        assert!(without_gap(&outcome.intervals), "seed {seed}");
        assert!(phases(&outcome).is_sorted(), "seed {seed}: {:?}", phases(&outcome));
        for (kind, name) in KINDS.iter().enumerate() {
            let counts = || outcome.intervals.iter().map(|i| &i.transactions[kind]);
            let ended =
                |t: &engine::TransactionSample| t.committed + t.rolled_back + t.failed + t.dropped;
            let scheduled: u64 = counts().map(|t| t.scheduled).sum();
            let accounted = counts().map(ended).sum::<u64>();
            let left = counts().next_back().map_or(0, |t| t.in_flight);
            assert_eq!(scheduled, accounted + left, "seed {seed}, {name}");
        }
        moved += usize::from(matches!(outcome.window_told[..], [Ok(_)]));
    }
    assert!(moved >= 15, "{moved}");
}
