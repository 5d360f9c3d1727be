//! What a seed makes of a trial: how it is asked for, what the server does, and what befalls the
//! generator.

use std::time::Duration;

use contract::ErrorSet;
use engine::{Arrivals, EngineLimits, Incident, Options, RetryPolicy, SessionPolicy};
use random::{Purpose, Stream};

use super::outcome::options;
use super::server::{Reaction, Request, Script, Welcome};

/// No server answers more transactions in a second: a trial is to take some milliseconds.
const MOST_PER_SECOND: f64 = 2000.0;

/// A stretch of time, from the beginning of the trial.
type Stretch = (Duration, Duration);

/// How often something happens, of a thousand requests.
#[derive(Clone, Debug)]
struct PerMille {
    deadlock: u64,
    refuse: u64,
    hang: u64,
    cut: u64,
    close: u64,
}

/// A server with faults.
#[derive(Clone, Debug)]
pub struct Faults {
    random: Stream,
    service_s: f64,
    per_mille: PerMille,
    /// In these it answers nobody until they are over.
    stalls: Vec<Stretch>,
    /// From then on it never answers again.
    silent_from: Option<Duration>,
    handshake: Duration,
    /// In these it lets nobody connect.
    closed: Vec<Stretch>,
    drops: Vec<Duration>,
}

/// All that a seed decides.
#[derive(Clone, Debug)]
pub struct Plan {
    pub options: Options,
    pub incidents: Vec<(Duration, Incident)>,
    pub faults: Faults,
}

struct Dice(Stream);

impl Dice {
    fn one_in(&mut self, sides: u64) -> bool {
        self.0.below(sides) == 0
    }

    fn between(&mut self, low: u64, high: u64) -> usize {
        usize::try_from(self.0.between(low, high)).unwrap()
    }

    fn ms(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_micros(self.0.between(low * 1000, high * 1000))
    }

    fn sometimes<T>(&mut self, sides: u64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.one_in(sides).then(|| make(self))
    }

    fn some<T>(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.0.between(0, most)).map(|_| make(self)).collect()
    }
}

impl Plan {
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice(Stream::new(seed, Purpose::Constants, 1));
        let options = options_of(seed, &mut dice);
        let end = options.warmup + options.duration + Duration::from_millis(300);
        let end_ms = u64::try_from(end.as_millis()).unwrap();
        let faults = faults_of(&mut dice, options.clients, end_ms);
        let mut incidents = incidents_of(&mut dice, &options, end_ms);
        incidents.sort_by_key(|(time, _)| *time);
        Self { options, incidents, faults }
    }

    /// For how long the generator gets no CPU, in all.
    pub fn paused(&self) -> Duration {
        let pauses = self.incidents.iter().map(|(_, incident)| match incident {
            Incident::Pause(pause) => *pause,
            _ => Duration::ZERO,
        });
        pauses.sum()
    }

    pub fn has(&self, wanted: impl Fn(&Incident) -> bool) -> bool {
        self.incidents.iter().any(|(_, incident)| wanted(incident))
    }
}

fn options_of(seed: u64, dice: &mut Dice) -> Options {
    // From what any server carries out to what most can't.
    let rate_per_s = dice.between(10, 500) as f64;
    let limits = EngineLimits {
        connect: dice.ms(200, 1000),
        statement: dice.ms(200, 2000),
        drain: dice.ms(0, 1000),
        interrupted_drain: Duration::from_secs(2),
    };
    Options {
        clients: if dice.one_in(10) { dice.between(49, 150) } else { dice.between(1, 48) },
        workers: dice.between(1, 4),
        arrivals: match dice.between(0, 3) {
            0 => Arrivals::Constant { rate_per_s },
            1 => Arrivals::Poisson { rate_per_s },
            _ => Arrivals::Closed,
        },
        warmup: dice.ms(0, 300),
        duration: dice.ms(300, 1500),
        interval: dice.ms(100, 800),
        seed,
        retry: RetryPolicy {
            errors: ErrorSet::retryable(),
            new_input: dice.one_in(2),
            max_retries: u32::try_from(dice.between(0, 5)).unwrap(),
            backoff_min: dice.ms(1, 5),
            backoff_max: dice.ms(5, 50),
        },
        error_budget: if dice.one_in(10) { 0.01 } else { 1.0 },
        transactions: dice.sometimes(10, |dice| dice.0.between(1, 500)),
        count_by_client: true,
        limits,
        session: SessionPolicy {
            reconnect_after: dice.sometimes(8, |dice| dice.0.between(1, 20)),
            ..SessionPolicy::default()
        },
        ..options()
    }
}

fn faults_of(dice: &mut Dice, clients: usize, end_ms: u64) -> Faults {
    let least_s = clients as f64 / MOST_PER_SECOND;
    let mut rarely = |most: u64| dice.sometimes(4, |dice| dice.0.between(1, most)).unwrap_or(0);
    let per_mille = PerMille {
        deadlock: rarely(100),
        refuse: rarely(50),
        hang: rarely(3),
        cut: rarely(20),
        close: rarely(20),
    };
    let mut stretch = |dice: &mut Dice| {
        let from = dice.ms(0, end_ms);
        (from, from + dice.ms(1, 800))
    };
    // Whoever connects for the first time and can't has no trial: most of them are let in.
    let later_stretch = |dice: &mut Dice| {
        let from = dice.ms(400, 400 + end_ms);
        (from, from + dice.ms(1, 1500))
    };
    Faults {
        random: Stream::new(dice.0.bits(), Purpose::Constants, 2),
        service_s: least_s * dice.between(1, 5) as f64,
        per_mille,
        stalls: dice.some(2, &mut stretch),
        silent_from: dice.sometimes(6, |dice| dice.ms(end_ms / 2, end_ms)),
        handshake: if dice.one_in(3) { dice.ms(0, 150) } else { Duration::ZERO },
        closed: dice.sometimes(4, later_stretch).into_iter().collect(),
        drops: if dice.one_in(3) {
            let mut drops = dice.some(3, |dice| dice.ms(0, end_ms));
            drops.sort_unstable();
            drops
        } else {
            Vec::new()
        },
    }
}

fn incidents_of(dice: &mut Dice, options: &Options, end_ms: u64) -> Vec<(Duration, Incident)> {
    let workers = options.workers.min(options.clients) as u64;
    let pause = dice.sometimes(5, |dice| Incident::Pause(dice.ms(1, 1000)));
    let wall_clock_step = dice.sometimes(5, |dice| {
        let nanoseconds = dice.0.between(1, 3_600_000_000_000).cast_signed();
        Incident::WallClockStep(if dice.one_in(2) { nanoseconds } else { -nanoseconds })
    });
    let stop = dice.sometimes(20, |_| Incident::Stop);
    let failure = dice.sometimes(20, |dice| Incident::WorkerFails(dice.between(0, workers - 1)));
    let all = [pause, wall_clock_step, stop, failure];
    all.into_iter().flatten().map(|incident| (dice.ms(0, end_ms), incident)).collect()
}

/// The end of the stretch that holds a time.
fn end_of(stretches: &[Stretch], time: Duration) -> Option<Duration> {
    stretches.iter().find(|(from, to)| *from <= time && time < *to).map(|(_, to)| *to)
}

impl Script for Faults {
    fn react(&mut self, request: Request) -> Reaction {
        let since_begin = request.since_begin;
        if self.silent_from.is_some_and(|from| since_begin >= from) {
            return Reaction::Hang;
        }
        let mut dice = self.random.below(1000);
        let PerMille { deadlock, refuse, hang, cut, close } = self.per_mille;
        let reactions = [
            (deadlock, Reaction::Deadlock),
            (refuse, Reaction::Refuse),
            (hang, Reaction::Hang),
            (cut, Reaction::CutConnection),
            (close, Reaction::AnswerAndClose),
        ];
        for (share, reaction) in reactions {
            if dice < share {
                return reaction;
            }
            dice -= share;
        }
        let service = Duration::from_secs_f64(self.random.exponential(self.service_s));
        let stalled = end_of(&self.stalls, since_begin).map(|end| end.saturating_sub(since_begin));
        Reaction::AnswerAfter(stalled.unwrap_or_default() + service)
    }

    fn welcome(&mut self, _: u64, since_begin: Duration) -> Welcome {
        if end_of(&self.closed, since_begin).is_some() {
            return Welcome::Refuse;
        }
        Welcome::After(self.handshake)
    }

    fn drops(&self) -> Vec<Duration> {
        self.drops.clone()
    }
}
