//! A server that does what a script says, in virtual time, and counts what it did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use eventloop::Timestamp;

/// What an answer takes that is given at once, there and back.
pub const ROUND_TRIP: Duration = Duration::from_micros(100);

/// What the server does with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    Answer,
    AnswerAfter(Duration),
    Deadlock,
    /// A deadlock, and another one as the answer to the rollback.
    DeadlockTwice,
    Refuse,
    /// It takes no writes.
    RefuseWrites,
    Hang,
    CutConnection,
    AnswerAndClose,
    AnswerAndCloseAfter(Duration),
}

/// What the server does with one who connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Welcome {
    After(Duration),
    Refuse,
    Hang,
}

/// A statement that the server received.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub number: u64,
    pub since_begin: Duration,
    pub since_first: Duration,
}

/// Decides what the server does.
pub trait Script: Send {
    /// What it does with a request.
    fn react(&mut self, request: Request) -> Reaction;

    /// What it does with one who connects, so long after the beginning.
    fn welcome(&mut self, _number: u64, _since_begin: Duration) -> Welcome {
        Welcome::After(Duration::ZERO)
    }

    /// When it closes all connections, in order, from the beginning.
    fn drops(&self) -> Vec<Duration> {
        Vec::new()
    }
}

impl<F: FnMut(u64, Duration) -> Reaction + Send> Script for F {
    fn react(&mut self, request: Request) -> Reaction {
        self(request.number, request.since_first)
    }
}

/// How an answer ends what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    Done,
    Deadlock,
    DeadlockTwice,
    Refusal,
    ReadOnly,
    /// The end of the connection.
    Lost,
}

/// What really happened: engine and server must agree on it.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Statements that were sent, by their index, whether or not the server was still there.
    pub sent: BTreeMap<usize, u64>,
    /// Those that the server received.
    pub received: BTreeMap<usize, u64>,
    /// Replies that clients took, by the statement.
    pub taken: BTreeMap<(usize, Reply), u64>,
    /// The sums of the times at which these had arrived.
    pub arrived_ns: BTreeMap<(usize, Reply), u128>,
    pub refused: u64,
    pub connecting: u64,
    pub most_connecting: u64,
    pub connections: u64,
}

impl Truth {
    /// Statements that were sent, and attempts to connect.
    pub fn actions(&self) -> u64 {
        self.sent.values().sum::<u64>() + self.connections + self.refused
    }

    pub fn replies(&self, reply: Reply) -> u64 {
        self.taken.iter().filter(|((_, taken), _)| *taken == reply).map(|(_, count)| count).sum()
    }
}

pub struct State {
    script: Box<dyn Script>,
    begin: Timestamp,
    first: Option<Timestamp>,
    drops: Vec<Timestamp>,
    requests: u64,
    welcomes: u64,
    pub truth: Truth,
}

/// The server, as its connections and the test know it.
#[derive(Clone)]
pub struct Server(Arc<Mutex<State>>);

impl Server {
    pub fn new(script: impl Script + 'static) -> Self {
        Self(Arc::new(Mutex::new(State {
            script: Box::new(script),
            begin: Timestamp::default(),
            first: None,
            drops: Vec::new(),
            requests: 0,
            welcomes: 0,
            truth: Truth::default(),
        })))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn truth(&self) -> Truth {
        self.state().truth.clone()
    }

    /// Its clock begins.
    pub fn begin(&self, now: Timestamp) {
        let mut state = self.state();
        state.begin = now;
        state.drops = state.script.drops().into_iter().map(|drop| now + drop).collect();
    }
}

impl State {
    /// What happens to one who connects now, and when the connection will be closed.
    pub fn welcome(&mut self, now: Timestamp) -> (Welcome, Timestamp) {
        self.welcomes += 1;
        let since_begin = Duration::from_nanos(now.since(self.begin));
        let welcome = self.script.welcome(self.welcomes - 1, since_begin);
        let closed = self.drops.iter().find(|drop| **drop > now).copied();
        (welcome, closed.unwrap_or(Timestamp(u64::MAX)))
    }

    /// The answer to a statement that is sent now, and when it arrives; the connection may be closed
    /// earlier than it would have been.
    pub fn ask(
        &mut self,
        statement: usize,
        now: Timestamp,
        closed: &mut Timestamp,
    ) -> (Timestamp, Reply) {
        *self.truth.sent.entry(statement).or_default() += 1;
        if *closed <= now {
            return (now, Reply::Lost);
        }
        *self.truth.received.entry(statement).or_default() += 1;
        let first = *self.first.get_or_insert(now);
        let since = |time| Duration::from_nanos(now.since(time));
        let (since_begin, since_first) = (since(self.begin), since(first));
        let reaction =
            self.script.react(Request { number: self.requests, since_begin, since_first });
        self.requests += 1;
        let at = now + ROUND_TRIP;
        let (arrives, reply) = match reaction {
            Reaction::Answer => (at, Reply::Done),
            Reaction::AnswerAfter(pause) => (at + pause, Reply::Done),
            Reaction::Deadlock => (at, Reply::Deadlock),
            Reaction::DeadlockTwice => (at, Reply::DeadlockTwice),
            Reaction::Refuse => (at, Reply::Refusal),
            Reaction::RefuseWrites => (at, Reply::ReadOnly),
            Reaction::Hang => (Timestamp(u64::MAX), Reply::Lost),
            Reaction::CutConnection => {
                *closed = at;
                (at, Reply::Lost)
            }
            Reaction::AnswerAndClose => Self::close(at, Duration::from_nanos(1), closed),
            Reaction::AnswerAndCloseAfter(pause) => Self::close(at, pause, closed),
        };
        if arrives < *closed { (arrives, reply) } else { (*closed, Reply::Lost) }
    }

    fn close(at: Timestamp, pause: Duration, closed: &mut Timestamp) -> (Timestamp, Reply) {
        *closed = (*closed).min(at + pause);
        (at, Reply::Done)
    }

    pub fn taken(&mut self, statement: usize, reply: Reply, arrived: Timestamp) {
        *self.truth.taken.entry((statement, reply)).or_default() += 1;
        *self.truth.arrived_ns.entry((statement, reply)).or_default() += u128::from(arrived.0);
    }
}
