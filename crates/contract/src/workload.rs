//! What a workload offers to the engine.

use std::future::Future;
use std::rc::Rc;

use eventloop::Handle;

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
    /// Is told, before the first transaction, of the loop on which it may wait.
    fn attach(&mut self, _handle: &Handle) {}

    /// Draws the next transaction's kind and all its input.
    fn draw(&mut self) -> usize;

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
