//! Connections that are lost by the hundred, and those who want them back.

use std::time::Duration;

use crate::scripted::outcome::{Outcome, options, try_run};
use crate::scripted::{Reaction, Request, Script, Welcome, serve};
use contract::ErrorClass;
use engine::{EngineLimits, Incident, Options, Phase, Status};

const CLIENTS: usize = 600;

/// Closes all connections at one moment, and soon again those that were made meanwhile, so that many
/// want to connect while others are about to; to connect takes once, twice or three times as long as it
/// says.
struct DropsAll {
    at: Duration,
    handshake: Duration,
}

impl Script for DropsAll {
    fn react(&mut self, _: Request) -> Reaction {
        Reaction::AnswerAfter(Duration::from_millis(100))
    }

    fn welcome(&mut self, number: u64, since_begin: Duration) -> Welcome {
        let times = u32::try_from(number % 3).unwrap() + 1;
        let is_first = since_begin < self.at;
        Welcome::After(if is_first { Duration::ZERO } else { self.handshake * times })
    }

    fn drops(&self) -> Vec<Duration> {
        [0, 35, 80, 130].map(|after| self.at + Duration::from_millis(after)).to_vec()
    }
}

fn run(script: DropsAll, duration: Duration) -> Outcome {
    let many = Options {
        clients: CLIENTS,
        interval: Duration::from_secs(1),
        duration,
        error_budget: 1.0,
        limits: EngineLimits { drain: Duration::from_mins(5), ..options().limits },
        ..options()
    };
    // The generator gets its CPU in pieces, so that many find their time come at the same turn.
    let pause = Incident::Pause(Duration::from_millis(15));
    let incidents: Vec<_> =
        (0..50).map(|number| (script.at + Duration::from_millis(20) * number, pause)).collect();
    try_run(many, &serve(script), &incidents).unwrap()
}

#[test]
fn all_clients_come_back_whose_connections_are_closed_at_once() {
    let script = DropsAll { at: Duration::from_millis(1500), handshake: Duration::from_millis(20) };
    let outcome = run(script, Duration::from_secs(4));
    assert!(outcome.intervals.iter().map(|i| i.reconnects).sum::<u64>() >= CLIENTS as u64);
    let last = outcome.intervals.iter().rfind(|i| i.span.phase == Phase::Window).unwrap();
    assert_eq!(last.levels.live_clients, CLIENTS as u64);
    assert_eq!(outcome.truth.most_connecting, 64, "32 for each worker");
    assert_eq!(outcome.end.status, Status::Completed);
}

#[test]
fn nobody_who_wants_to_connect_outlasts_the_load() {
    let script = DropsAll { at: Duration::from_millis(1500), handshake: Duration::from_secs(4) };
    let outcome = run(script, Duration::from_secs(2));
    assert!(outcome.simulated.elapsed < Duration::from_secs(3), "{:?}", outcome.simulated.elapsed);
    assert_eq!(outcome.truth.connecting, 0);
}

/// Its name may lead to another server since the one it led to takes no writes.
#[test]
fn a_client_to_whom_writes_are_refused_connects_again() {
    let refused = [40, 41, 90];
    let server =
        serve(
            move |number, _| {
                if refused.contains(&number) { Reaction::RefuseWrites } else { Reaction::Answer }
            },
        );
    let few = Options { error_budget: 0.5, ..options() };
    let outcome = try_run(few, &server, &[]).unwrap();
    assert_eq!(outcome.errors_of(ErrorClass::ReadOnly), 3);
    assert_eq!(outcome.total(|t| t.failed), 3);
    assert_eq!(outcome.intervals.iter().map(|i| i.reconnects).sum::<u64>(), 3);
    assert_eq!(outcome.truth.connections, options().clients as u64 + 3);
    assert_eq!(outcome.end.status, Status::Completed);
}
