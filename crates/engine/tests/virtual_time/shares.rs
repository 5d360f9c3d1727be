//! Several generators that share one load, in virtual time: together they make the load of one.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::scripted::faults::Plan;
use crate::scripted::ledger::{KINDS, Kept};
use crate::scripted::outcome::{Outcome, options, run_against, try_run_workload};
use crate::scripted::{OneStatement, Reaction, ScriptedDriver, Server, serve};
use engine::{Arrivals, Commands, Event, Options, Phase, RunError, Share, simulate};
use eventloop::Timestamp;
use eventloop::simulation::VirtualTime;

/// The last part of each share.
const DIVISIONS: [&[u64]; 4] = [&[1, 2], &[1, 3], &[1, 2, 3, 4, 5], &[37, 60, 100]];

fn shares(ends: &[u64]) -> impl Iterator<Item = Share> {
    let of = *ends.last().unwrap();
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends).map(move |(begin, end)| Share { begin, end: *end, of })
}

/// What was scheduled of each kind in an interval.
type Scheduled = Vec<(Phase, i64, usize, u64)>;

fn scheduled<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Scheduled {
    let mut counts = std::collections::BTreeMap::new();
    for interval in outcomes.into_iter().flat_map(|outcome| &outcome.intervals) {
        for (kind, transaction) in interval.transactions.iter().enumerate() {
            let key = (interval.span.phase, interval.span.index, kind);
            *counts.entry(key).or_insert(0) += transaction.scheduled;
        }
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    counts.map(|((phase, index, kind), count)| (phase, index, kind, count)).collect()
}

fn kept(options: Options) -> Outcome {
    let server = serve(|_, _| Reaction::AnswerAfter(Duration::from_millis(2)));
    try_run_workload(Kept::default(), options, &server, &[]).unwrap()
}

#[test]
fn generators_that_share_a_schedule_begin_what_one_would_begin() {
    for arrivals in
        [Arrivals::Constant { rate_per_s: 700.0 }, Arrivals::Poisson { rate_per_s: 700.0 }]
    {
        for transactions in [None, Some(150)] {
            let (clients, warmup) = (16, Duration::from_millis(300));
            let whole = Options { arrivals, transactions, clients, warmup, ..options() };
            let expected = scheduled([&kept(whole.clone())]);
            for ends in DIVISIONS {
                let own = |share| kept(Options { share, ..whole.clone() });
                let outcomes: Vec<Outcome> = shares(ends).map(own).collect();
                assert_eq!(scheduled(&outcomes), expected, "{arrivals:?}, {ends:?}");
            }
        }
    }
}

/// The inputs that each client has drawn, by its number.
fn drawn(outcomes: &[Outcome], client: u64) -> Vec<u64> {
    let log = outcomes.iter().flat_map(|outcome| &outcome.log);
    log.filter(|(index, _)| *index == client).map(|(_, input)| *input).collect()
}

#[test]
fn clients_that_are_shared_out_draw_what_they_would_draw_in_one_generator() {
    let whole = Options { clients: 11, transactions: Some(200), ..options() };
    let run = |share| {
        let one = Options { share, ..whole.clone() };
        run_against(one, |_, _| Reaction::AnswerAfter(Duration::from_millis(3)))
    };
    let expected = [run(Share::WHOLE)];
    for ends in DIVISIONS {
        let outcomes: Vec<Outcome> = shares(ends).map(run).collect();
        let started: u64 = outcomes.iter().map(|outcome| outcome.total(|t| t.scheduled)).sum();
        assert_eq!(started, 200, "{ends:?}");
        for client in 0..11 {
            let (mine, theirs) = (drawn(&outcomes, client), drawn(&expected, client));
            let common = mine.len().min(theirs.len());
            assert!(common > 5, "client {client} of {ends:?} drew {common} inputs");
            assert_eq!(mine[..common], theirs[..common], "client {client} of {ends:?}");
        }
    }
}

/// Trials with faults: each generator's counters add up, and so do those of all together.
#[test]
fn whatever_befalls_them_the_counters_of_all_add_up() {
    for seed in 0..24 {
        let Plan { options, incidents, faults } = Plan::of(seed);
        let ends = DIVISIONS[usize::try_from(seed).unwrap() % DIVISIONS.len()];
        if options.clients < ends.len() * 2 {
            continue;
        }
        let run = |share| {
            let one = Options { share, ..options.clone() };
            try_run_workload(Kept::default(), one, &Server::new(faults.clone()), &incidents)
        };
        let outcomes: Vec<Result<Outcome, RunError>> = shares(ends).map(run).collect();
        let outcomes: Vec<Outcome> = outcomes.into_iter().filter_map(Result::ok).collect();
        for (kind, name) in KINDS.iter().enumerate() {
            let (mut scheduled, mut accounted) = (0, 0);
            for outcome in &outcomes {
                let mut counts =
                    outcome.intervals.iter().map(|interval| &interval.transactions[kind]);
                for count in counts.clone() {
                    scheduled += count.scheduled;
                    accounted += count.committed + count.rolled_back + count.failed + count.dropped;
                }
                accounted += counts.next_back().map_or(0, |count| count.in_flight);
            }
            assert_eq!(scheduled, accounted, "seed {seed}, {name}");
        }
    }
}

/// When the window begins, from the beginning of a trial, where it is told this time to start at.
fn window_start_when_told(start_at: Timestamp) -> Option<Timestamp> {
    let time = VirtualTime::begin(1);
    let server = serve(|_, _| Reaction::Answer);
    server.begin(Timestamp::now());
    let commands =
        Commands { start_at: Some(Arc::new(AtomicU64::new(start_at.0))), ..Commands::default() };
    let whole = Options { warmup: Duration::from_millis(100), ..options() };
    let (workload, driver) = (OneStatement { log: Arc::default() }, ScriptedDriver(server));
    let mut told = Vec::new();
    simulate(&time, driver, workload, whole, &commands, &[], &mut |event| match event {
        Event::Started { window_start } => told.push(("started", window_start)),
        Event::Connected { .. } => told.push(("connected", Timestamp::now())),
        Event::Interval(sample) => told.push(("interval", sample.span.start)),
        Event::WindowMoved { .. } | Event::WindowKept { .. } | Event::End(_) => {}
    })
    .ok()?;
    let [("connected", connected), ("started", window_start), ("interval", go), ..] = told[..]
    else {
        panic!("{told:?}");
    };
    assert!(connected < go);
    assert_eq!(go + Duration::from_millis(100), window_start);
    Some(window_start)
}

#[test]
fn the_load_begins_when_it_is_told_and_never_before_all_can_begin_together() {
    let time = VirtualTime::begin(1);
    let begin = Timestamp::now();
    drop(time);
    let late = begin + Duration::from_secs(20);
    assert_eq!(window_start_when_told(late), Some(late + Duration::from_millis(100)));
    let at_once = window_start_when_told(begin + Duration::from_nanos(1)).unwrap();
    assert!(at_once > begin + Duration::from_millis(350), "{at_once:?} from {begin:?}");
    assert!(at_once < begin + Duration::from_secs(1), "{at_once:?} from {begin:?}");
    // Nobody says when: it is given up.
    assert_eq!(window_start_when_told(Timestamp::default()), None);
}
