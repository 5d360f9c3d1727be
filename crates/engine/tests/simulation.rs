//! Trials with faults, by the hundred: each grows from a seed, and each must keep its books.
//!
//! `DBDYNO_SEED=17 cargo test -p engine --test simulation` runs one seed alone, and
//! `DBDYNO_SEEDS=10000` so many.

mod scripted;

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use contract::{ErrorClass, Fact};
use engine::{Arrivals, Incident, RunError, TransactionSample};
use eventloop::Timestamp;
use scripted::faults::Plan;
use scripted::ledger::{Book, KINDS, Kept, LAST, STATEMENTS};
use scripted::outcome::{Outcome, try_run_workload};
use scripted::{Reply, Server, Truth};

/// Seeds in an ordinary run of the tests.
const SEEDS: u64 = 200;

/// What ends a trial is looked at ten times a second.
const MARGIN: Duration = Duration::from_millis(250);

/// Connections that one worker makes at the same time.
const CONNECTING_AT_ONCE: u64 = 32;

fn run(plan: &Plan) -> (Result<Outcome, RunError>, Book, Truth) {
    let (kept, server) = (Kept::default(), Server::new(plan.faults.clone()));
    let options = plan.options.clone();
    let outcome = try_run_workload(kept.clone(), options, &server, &plan.incidents);
    let book = kept.0.lock().unwrap().clone();
    (outcome, book, server.truth())
}

fn check(seed: u64) {
    let plan = Plan::of(seed);
    let (outcome, book, truth) = run(&plan);
    let workers = plan.options.workers.min(plan.options.clients) as u64;
    if plan.options.session.reconnect_after.is_none() {
        assert!(truth.most_connecting <= CONNECTING_AT_ONCE * workers);
    }
    match outcome {
        Ok(outcome) => {
            check_books(&outcome, &book);
            check_intervals(&outcome, &plan);
            check_against_server(&outcome, &truth);
            check_end(&outcome, &plan);
            check_response(&outcome, &plan, &truth);
        }
        // It could not connect for the first time.
        Err(RunError::Refused { .. }) => {}
        Err(RunError::System(error)) => {
            assert!(plan.has(|incident| matches!(incident, Incident::WorkerFails(_))), "{error}");
        }
        Err(error) => panic!("{error}"),
    }
}

fn sum(outcome: &Outcome, kind: usize, count: impl Fn(&TransactionSample) -> u64) -> u64 {
    outcome.intervals.iter().map(|interval| count(&interval.transactions[kind])).sum()
}

/// What is scheduled is accounted for, and what clients saw end well is what is counted.
fn check_books(outcome: &Outcome, book: &Book) {
    for (kind, name) in KINDS.iter().enumerate() {
        let of = |count: fn(&TransactionSample) -> u64| sum(outcome, kind, count);
        let in_flight = outcome.intervals.last().map_or(0, |i| i.transactions[kind].in_flight);
        let ended_well = of(|t| t.committed) + of(|t| t.rolled_back);
        let ended = ended_well + of(|t| t.failed) + of(|t| t.dropped);
        assert_eq!(of(|t| t.scheduled), ended + in_flight, "{name}");
        assert_eq!(ended_well, book.ended_well[kind], "{name}");
        assert_eq!(of(|t| t.response.count()), ended_well, "{name}: response times");
        assert_eq!(
            of(|t| t.failed_response.to_histogram().count()),
            of(|t| t.failed),
            "{name}: of failures"
        );
    }
    let ended_well: u64 = book.ended_well.iter().sum();
    if !outcome.intervals.is_empty() {
        assert_eq!(outcome.end.facts["ended_well"], Fact::Count(ended_well));
    }
    let by_client = outcome.intervals.iter().flat_map(|interval| &interval.clients);
    assert_eq!(by_client.map(|client| client.transactions).sum::<u64>(), ended_well);
}

/// Intervals follow each other without a gap, and each is there once.
fn check_intervals(outcome: &Outcome, plan: &Plan) {
    for pair in outcome.intervals.windows(2) {
        assert_eq!(pair[0].span.index + 1, pair[1].span.index);
        assert_eq!(pair[0].span.end, pair[1].span.start);
        assert!(pair[0].span.phase <= pair[1].span.phase);
    }
    let clients = plan.options.clients as u64;
    for interval in &outcome.intervals {
        let levels = interval.levels;
        assert!(levels.live_clients <= clients && levels.running <= clients, "{levels:?}");
    }
}

/// Statements and errors are those that the server knows.
fn check_against_server(outcome: &Outcome, truth: &Truth) {
    for (statement, sql) in STATEMENTS.iter().enumerate() {
        let counts = outcome.end.statements.iter().filter(|count| count.sql == *sql);
        let sent = truth.sent.get(&statement).copied().unwrap_or(0);
        assert_eq!(counts.map(|count| count.executions).sum::<u64>(), sent, "{sql}");
    }
    let deadlocks = outcome.errors_of(ErrorClass::Deadlock);
    assert_eq!(deadlocks, truth.replies(Reply::Deadlock));
    assert_eq!(outcome.errors_of(ErrorClass::Other), truth.replies(Reply::Refusal));
    let retries: u64 = (0..KINDS.len()).map(|kind| sum(outcome, kind, |t| t.retries)).sum();
    assert!(retries <= deadlocks);
}

/// It ends in time, and nobody turns round and round.
fn check_end(outcome: &Outcome, plan: &Plan) {
    let (options, simulated) = (&plan.options, outcome.simulated);
    let go = outcome.intervals.first().map_or(outcome.begin, |interval| interval.span.start);
    let connecting = Duration::from_nanos(go.since(outcome.begin));
    let load = options.warmup + options.duration + options.limits.drain;
    let limit = connecting + load + plan.paused() + MARGIN;
    if !outcome.intervals.is_empty() {
        assert!(simulated.elapsed <= limit, "{:?} of {limit:?}", simulated.elapsed);
    }
    let beats = simulated.elapsed.as_millis() / 100 + 2;
    let scheduled: u64 = (0..KINDS.len()).map(|kind| sum(outcome, kind, |t| t.scheduled)).sum();
    let causes = u64::try_from(beats).unwrap() * options.workers as u64
        + outcome.truth.actions() * 4
        + scheduled * 2
        + options.clients as u64 * 20;
    assert!(simulated.turns <= 2 * causes + 200, "{} turns, {causes} causes", simulated.turns);
}

/// Response times begin when transactions were scheduled.
fn check_response(outcome: &Outcome, plan: &Plan, truth: &Truth) {
    for interval in &outcome.intervals {
        for transaction in &interval.transactions {
            let longest = Duration::from_nanos(transaction.response.max_ns());
            let elapsed = outcome.simulated.elapsed.mul_f64(1.001);
            assert!(longest <= elapsed, "{longest:?} in a trial of {elapsed:?}");
        }
    }
    let scheduled: u64 = (0..KINDS.len()).map(|kind| sum(outcome, kind, |t| t.scheduled)).sum();
    let by_client = || outcome.intervals.iter().flat_map(|interval| &interval.clients);
    let ended_well = by_client().map(|client| client.transactions).sum::<u64>();
    let has_stepped = plan.has(|incident| matches!(incident, Incident::WallClockStep(_)));
    if let Arrivals::Constant { rate_per_s } = plan.options.arrivals
        && ended_well == scheduled
        && scheduled > 0
        && !has_stepped
    {
        let response_ns: u128 = by_client().map(|client| u128::from(client.response_ns)).sum();
        let go = outcome.intervals[0].span.start;
        let expected = response_of_all(go, rate_per_s, scheduled, truth);
        // It takes some nanoseconds to read one clock after the other.
        assert!(
            response_ns.abs_diff(expected) <= u128::from(50 * scheduled),
            "{response_ns} ns, and {expected} ns in fact, of {scheduled}"
        );
    }
}

/// The sum of the times at which the last answers arrived, without those at which transactions were
/// scheduled: whichever was carried out by whom, this is the sum of their response times.
fn response_of_all(go: Timestamp, rate_per_s: f64, scheduled: u64, truth: &Truth) -> u128 {
    let arrived = LAST.iter().filter_map(|last| truth.arrived_ns.get(&(*last, Reply::Done)));
    let due =
        (0..scheduled).map(|number| (go + Duration::from_secs_f64(number as f64 / rate_per_s)).0);
    arrived.sum::<u128>() - due.map(u128::from).sum::<u128>()
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is a number, and not {text:?}")))
}

/// Whether a seed keeps its books; where it does not, what it says stands in the test's output.
fn holds(seed: u64) -> bool {
    catch_unwind(AssertUnwindSafe(|| check(seed))).is_ok()
}

#[test]
fn every_seed_keeps_its_books() {
    if let Some(seed) = number("DBDYNO_SEED") {
        println!("{:#?}", Plan::of(seed));
        return check(seed);
    }
    let seeds = number("DBDYNO_SEEDS").unwrap_or(SEEDS);
    let (next, failed) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return;
            }
            if !holds(seed) {
                failed.lock().unwrap().push(seed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "of {seeds} seeds these fail: {failed:?}; to see one alone: DBDYNO_SEED={} cargo test -p \
         engine --test simulation",
        failed[0]
    );
}

#[test]
fn a_seed_gives_the_same_trial_again() {
    for seed in 0..8 {
        let plan = Plan::of(seed);
        let told = || {
            let (outcome, book, truth) = run(&plan);
            let outcome = outcome.map(|outcome| (outcome.simulated, outcome.end.statements));
            format!("{outcome:?} {book:?} {truth:?}")
        };
        assert_eq!(told(), told(), "seed {seed}");
    }
}
