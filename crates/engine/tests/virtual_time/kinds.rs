//! An open loop with several kinds of transactions, and the log in which each can be found again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::scripted::outcome::{Outcome, options, try_run_workload};
use crate::scripted::{Reaction, serve};
use contract::{Client, Connection, Dialect, Discard, Ending, Fact, SqlError, Statement, Workload};
use engine::{Arrivals, Options, RunError, TransactionSample};
use random::{Purpose, Stream};

const KINDS: [&str; 3] = ["none", "some", "many"];

/// One in four is of the second kind, the others of the third; the first is rolled back, and never
/// chosen in an open loop.
struct Mixed;

struct MixedClient {
    kind: usize,
    carried_out: [u64; 3],
}

impl Workload for Mixed {
    type Client = MixedClient;

    fn transactions(&self) -> Vec<String> {
        KINDS.map(str::to_owned).to_vec()
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([Statement { sql: "?".to_owned() }])
    }

    fn chooser(&self, seed: u64) -> Box<dyn FnMut() -> usize + Send> {
        let mut stream = Stream::new(seed, Purpose::Kinds, 0);
        Box::new(move || if stream.below(4) == 0 { 1 } else { 2 })
    }

    fn client(&self, _: u64, _: u64, _: u64) -> MixedClient {
        MixedClient { kind: 0, carried_out: [0; 3] }
    }
}

impl Client for MixedClient {
    fn draw(&mut self, kind: usize) {
        self.kind = kind;
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        connection.execute(0, &[], &mut Discard).await?;
        self.carried_out[self.kind] += 1;
        Ok(if self.kind == 0 { Ending::RolledBack } else { Ending::Committed })
    }

    fn note(&self, note: &mut String) {
        note.push_str(["a", "b", "c"][self.kind]);
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        KINDS.into_iter().zip(self.carried_out.map(Fact::Count)).collect()
    }
}

fn at_rate(rate_per_s: f64) -> Options {
    Options { arrivals: Arrivals::Poisson { rate_per_s }, ..options() }
}

fn run_mixed(options: Options, answer_after: Duration) -> Outcome {
    let server = serve(move |_, _| Reaction::AnswerAfter(answer_after));
    try_run_workload(Mixed, options, &server, &[]).unwrap()
}

fn of_kind(outcome: &Outcome, kind: usize, count: impl Fn(&TransactionSample) -> u64) -> u64 {
    outcome.intervals.iter().map(|interval| count(&interval.transactions[kind])).sum()
}

#[test]
fn kinds_arrive_by_their_shares_and_are_carried_out_as_chosen() {
    let outcome = run_mixed(at_rate(1500.0), Duration::ZERO);
    let committed = [0, 1, 2].map(|kind| of_kind(&outcome, kind, |t| t.committed));
    let facts: Vec<Fact> = KINDS.iter().map(|kind| outcome.end.facts[*kind].clone()).collect();
    assert_eq!(facts, committed.map(Fact::Count));
    let share = committed[1] as f64 / (committed[1] + committed[2]) as f64;
    // About 900 arrivals: four standard errors are 0.058.
    assert!(committed[0] == 0 && (share - 0.25).abs() < 0.07, "{committed:?}");
}

#[test]
fn what_an_overloaded_server_leaves_is_dropped_by_kind() {
    let limits = engine::EngineLimits { drain: Duration::ZERO, ..options().limits };
    let outcome = run_mixed(Options { limits, ..at_rate(2000.0) }, Duration::from_millis(50));
    for kind in [1, 2] {
        let count = |of: fn(&TransactionSample) -> u64| of_kind(&outcome, kind, of);
        let (scheduled, dropped) = (count(|t| t.scheduled), count(|t| t.dropped));
        let left = outcome.intervals.last().unwrap().transactions[kind].in_flight;
        assert_eq!(scheduled, count(|t| t.committed) + dropped + left, "kind {kind}");
        assert!(dropped > 100, "{dropped} of kind {kind}");
    }
}

/// A log that is not there yet, and goes with the test.
struct LogPath(PathBuf);

impl LogPath {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("dbdyno-{name}-{}.csv", std::process::id())))
    }

    /// How many lines there are of each kind, ending and note; each is held against the clock.
    fn counts(&self) -> BTreeMap<(String, String, String), u64> {
        self.count(|[_, kind, _, _, _, _, ending, _, _, note]| [kind, ending, note])
    }

    /// How many lines there are of each kind, ending and phase.
    fn phases(&self) -> BTreeMap<(String, String, String), u64> {
        self.count(|[_, kind, _, _, _, _, ending, phase, _, _]| [kind, ending, phase])
    }

    fn count(
        &self,
        key: impl Fn([&str; 10]) -> [&str; 3],
    ) -> BTreeMap<(String, String, String), u64> {
        let mut counts = BTreeMap::new();
        for line in std::fs::read_to_string(&self.0).unwrap().lines().skip(1) {
            let line: [&str; 10] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
            let [_, _, scheduled, start, end, handled, ending, ..] = line;
            let seconds = |text: &str| text.parse::<f64>().unwrap();
            if ending != "dropped" {
                let times = [scheduled, start, end, handled].map(seconds);
                assert!(times.is_sorted(), "{times:?}");
            }
            let [first, second, third] = key(line).map(str::to_owned);
            *counts.entry((first, second, third)).or_default() += 1;
        }
        counts
    }
}

impl Drop for LogPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn the_log_has_a_line_for_each_transaction_that_is_counted() {
    let path = LogPath::new("each");
    let limits = engine::EngineLimits { drain: Duration::ZERO, ..options().limits };
    let logged = Options { transaction_log: Some(path.0.clone()), limits, ..at_rate(2000.0) };
    let outcome = run_mixed(logged, Duration::from_millis(20));
    let mut expected = BTreeMap::new();
    for (kind, note) in [(1, "b"), (2, "c")] {
        let key = |ending: &str, note: &str| (KINDS[kind].into(), ending.into(), note.into());
        expected.insert(key("committed", note), of_kind(&outcome, kind, |t| t.committed));
        expected.insert(key("dropped", ""), of_kind(&outcome, kind, |t| t.dropped));
    }
    assert!(expected.values().all(|count| *count > 0), "{expected:?}");
    assert_eq!(path.counts(), expected);
}

#[test]
fn the_log_tells_of_what_was_rolled_back_and_what_failed() {
    let path = LogPath::new("endings");
    let options = Options { transaction_log: Some(path.0.clone()), error_budget: 1.0, ..options() };
    let server = serve(|number, _| match number % 7 {
        6 => Reaction::Refuse,
        _ => Reaction::Answer,
    });
    let outcome = try_run_workload(Mixed, options, &server, &[]).unwrap();
    let key = |ending: &str, note: &str| ("none".to_owned(), ending.to_owned(), note.to_owned());
    let counts = path.counts();
    assert_eq!(counts[&key("rolled_back", "a")], outcome.total(|t| t.rolled_back));
    let failed: u64 = counts.iter().filter(|((_, e, _), _)| e == "failed").map(|(_, n)| n).sum();
    assert!(failed > 0);
    assert_eq!(failed, outcome.total(|t| t.failed));
}

#[test]
fn the_log_says_in_which_phase_a_transaction_is_counted() {
    let path = LogPath::new("phases");
    let options = Options {
        transaction_log: Some(path.0.clone()),
        error_budget: 1.0,
        warmup: Duration::from_millis(100),
        duration: Duration::from_millis(250),
        ..options()
    };
    let server = serve(|number, _| match number % 3 {
        2 => Reaction::Refuse,
        _ => Reaction::AnswerAfter(Duration::from_millis(40)),
    });
    let outcome = try_run_workload(Mixed, options, &server, &[]).unwrap();
    let mut expected = BTreeMap::new();
    for interval in &outcome.intervals {
        let counted = &interval.transactions[0];
        for (ending, count) in [("rolled_back", counted.rolled_back), ("failed", counted.failed)] {
            let key = ("none".to_owned(), ending.to_owned(), interval.span.phase.name().to_owned());
            *expected.entry(key).or_insert(0) += count;
        }
    }
    expected.retain(|_, count| *count > 0);
    assert!(expected.len() >= 5, "{expected:?}");
    assert_eq!(path.phases(), expected);
}

#[test]
fn a_log_that_is_there_is_not_overwritten() {
    let path = LogPath::new("twice");
    std::fs::write(&path.0, "precious").unwrap();
    let options = Options { transaction_log: Some(path.0.clone()), ..options() };
    let server = serve(|_, _| Reaction::Answer);
    let refused = try_run_workload(Mixed, options, &server, &[]).err().unwrap();
    assert!(matches!(refused, RunError::TransactionLog { .. }), "{refused}");
    assert_eq!(std::fs::read_to_string(&path.0).unwrap(), "precious");
}
