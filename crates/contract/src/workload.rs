//! What a workload offers to the engine.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use eventloop::{Handle, Timestamp};

use crate::connection::{Connection, Dialect, Statement};
use crate::error::SqlError;

/// How a transaction ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Committed.
    Committed,
    /// Rolled back on purpose.
    RolledBack,
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
}

/// A workload: the transactions, and a maker of clients that draw and carry them out.
pub trait Workload: Send + Sync + 'static {
    /// One virtual user's state.
    type Client: Client + 'static;

    /// The kinds of transactions, in the order in which [`Client::draw`] numbers them.
    fn transactions(&self) -> Vec<String>;

    /// The statements that every connection prepares.
    fn statements(&self, dialect: Dialect) -> Rc<[Statement]>;

    /// Client number `index` of so many. The same arguments give the same sequence of inputs.
    fn client(&self, seed: u64, index: u64, clients: u64) -> Self::Client;
}

/// One virtual user: draws a transaction's input, then carries it out, perhaps more than once.
pub trait Client {
    /// Whether [`due`](Self::due) is asked. Without it the code for waits is not even compiled in. A
    /// client with a pace of its own needs a closed loop.
    const PACED: bool = false;

    /// Is told, before the first transaction, of the loop on which it may wait.
    fn attach(&mut self, _handle: &Handle) {}

    /// Draws the next transaction's kind and all its input.
    fn draw(&mut self) -> usize;

    /// When the transaction is due that was drawn last, and will be carried out next: asked once
    /// after each [`draw`](Self::draw), with the time at which the one before was done with. When the
    /// trial ends in the wait, the transaction is not carried out, and never was scheduled.
    fn due(&mut self, _now: Timestamp) -> Due {
        Due::Now
    }

    /// Carries out the transaction that was drawn last. Called again, it does the same again.
    fn execute<C: Connection>(
        &mut self,
        connection: &mut C,
    ) -> impl Future<Output = Result<Ending, SqlError>>;

    /// The error for which the last transaction was rolled back on purpose, if there was one: it is
    /// counted, and no failure.
    fn take_expected_error(&mut self) -> Option<SqlError> {
        None
    }

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
