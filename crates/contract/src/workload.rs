//! What a workload offers to the engine.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use eventloop::{Handle, Timestamp};

use crate::connection::Connection;
use crate::error::SqlError;
use crate::ledger::{Ledger, Outcome, Questions};
use crate::statement::{Dialect, Probe, Statement};

/// How a transaction ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Committed.
    Committed,
    /// Rolled back on purpose.
    RolledBack,
}

impl Ending {
    /// The name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::RolledBack => "rolled_back",
        }
    }

    /// What it means for what is stored.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Committed => Outcome::Acknowledged,
            Self::RolledBack => Outcome::Undone,
        }
    }
}

/// When a transaction is due that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At once.
    Now,
    /// When so much time has passed, in which its user thinks and types: it is scheduled for the end
    /// of the wait, so that its response time does not have the wait in it.
    In(Duration),
    /// It has been due since then, and is scheduled for that time: it was put off, and the time that
    /// it has waited is part of its response time. A time that is yet to come is taken for now.
    Since(Timestamp),
}

/// Something that a workload measured of its own inputs: shares are means over `weight`.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The same for all clients: the name of the key distribution, say.
    Text(String),
    /// `part` of `whole`; clients' facts are added up before the division.
    Share {
        /// How often it was so.
        part: u64,
        /// How often it could have been.
        whole: u64,
    },
    /// A count; clients' counts are added up.
    Count(u64),
    /// A sum of hashes; clients' sums are added up, and whatever is beyond 64 bits is left out.
    Hash(u64),
    /// What was acknowledged; clients' ledgers are merged.
    Ledger(Box<Ledger>),
}

/// A workload: the transactions, and a maker of clients that draw and carry them out.
pub trait Workload: Send + Sync + 'static {
    /// One virtual user's state.
    type Client: Client + 'static;

    /// The kinds of transactions, in the order in which [`Client::choose`] numbers them.
    fn transactions(&self) -> Vec<String>;

    /// Why transactions can't be scheduled from outside, at a rate, where they can't.
    fn needs_closed_loop(&self) -> Option<&'static str> {
        None
    }

    /// Chooses the kinds of an open loop's transactions, which arrive whoever carries them out. The
    /// same seed gives the same sequence.
    fn chooser(&self, _seed: u64) -> Box<dyn FnMut() -> usize + Send> {
        Box::new(|| 0)
    }

    /// The statements that every connection prepares.
    fn statements(&self, dialect: Dialect) -> Rc<[Statement]>;

    /// Whether a transaction may be open when all its statements are done, because one of them switches
    /// autocommit off: it is committed then, as it is in a session without autocommit.
    fn leaves_transactions_open(&self) -> bool {
        false
    }

    /// Queries with which it is tried out whether the server takes several in one round trip, and
    /// answers them in their order. None where the statements never share round trips.
    fn probes(&self) -> Vec<Probe> {
        Vec::new()
    }

    /// How what clients say in their ledgers can be asked of a server.
    fn questions(&self) -> Questions {
        Questions::default()
    }

    /// Client number `index` of so many. The same arguments give the same sequence of inputs.
    fn client(&self, seed: u64, index: u64, clients: u64) -> Self::Client;
}

/// One virtual user: chooses what to do next, draws its input, then carries it out, perhaps more than
/// once.
pub trait Client {
    /// Whether [`due`](Self::due) is asked in a closed loop. Without it the code for waits is not even
    /// compiled in.
    const PACED: bool = false;

    /// Is told, before the first transaction, of the loop on which it may wait.
    fn attach(&mut self, _handle: &Handle) {}

    /// Chooses the kind of the next transaction. Not asked in an open loop.
    fn choose(&mut self) -> usize {
        0
    }

    /// When the next transaction is due, of the kind that was chosen: asked once after each
    /// [`choose`](Self::choose), with the time at which the one before was done with. When the trial
    /// ends in the wait, the transaction is not carried out, and never was scheduled.
    fn due(&mut self, _kind: usize, _now: Timestamp) -> Due {
        Due::Now
    }

    /// Draws all input of a transaction of this kind.
    fn draw(&mut self, kind: usize);

    /// Carries out the transaction that was drawn last. Called again, it does the same again.
    fn execute<C: Connection>(
        &mut self,
        connection: &mut C,
    ) -> impl Future<Output = Result<Ending, SqlError>>;

    /// When the pause ended that the last transaction made on purpose, if it made one. Where that is
    /// later than the last answer, the transaction ended with it.
    #[inline]
    fn paused_until(&self) -> Timestamp {
        Timestamp::default()
    }

    /// Is told what became of each attempt that [`execute`](Self::execute) made, and when it began and
    /// ended. An attempt of which it is never told, because the trial was over, is of unknown outcome.
    #[inline]
    fn settled(&mut self, _outcome: Outcome, _begin: Timestamp, _end: Timestamp) {}

    /// The error for which the last transaction was rolled back on purpose, if there was one: it is
    /// counted, and no failure.
    fn take_expected_error(&mut self) -> Option<SqlError> {
        None
    }

    /// Says of the transaction that was carried out last what a log of transactions should have
    /// beside its times, such as keys: words without commas and quotes.
    fn note(&self, _note: &mut String) {}

    /// Sends what transactions have left behind, once the last one is over. It is not measured.
    fn finish<C: Connection>(
        &mut self,
        _connection: &mut C,
    ) -> impl Future<Output = Result<(), SqlError>> {
        async { Ok(()) }
    }

    /// What was measured of the inputs so far, by name.
    fn facts(&self) -> Vec<(&'static str, Fact)>;
}
