//! Trials in virtual time: a server that does what a script says, a driver and workloads to match.
//!
//! Nothing here waits for a real clock, so that the figures of a trial are the same on a busy machine.
//! A server that is real, and threads, are in `threads.rs`.

#![allow(dead_code, reason = "each test file uses a part of this")]

mod connection;
pub mod faults;
pub mod ledger;
pub mod outcome;
mod server;

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use contract::{Client, Connection, Dialect, Discard, Ending, Fact, SqlError, Statement, Workload};
use random::{Purpose, Stream};

pub use connection::ScriptedDriver;
#[allow(unused_imports, reason = "each test file uses a part of this")]
pub use server::{ROUND_TRIP, Reaction, Reply, Request, Script, Server, Truth, Welcome};

/// A server for one trial.
pub fn serve(script: impl Script + 'static) -> Server {
    Server::new(script)
}

/// One statement a transaction; remembers what it drew and what it sent.
pub struct OneStatement {
    pub log: Arc<Mutex<Vec<(u64, u64)>>>,
}

pub struct OneStatementClient {
    index: u64,
    inputs: Stream,
    drawn: u64,
    log: Arc<Mutex<Vec<(u64, u64)>>>,
    executed: u64,
}

impl Workload for OneStatement {
    type Client = OneStatementClient;

    fn transactions(&self) -> Vec<String> {
        vec!["one".to_owned()]
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        Rc::from([Statement { sql: "?".to_owned() }])
    }

    fn client(&self, seed: u64, index: u64, _: u64) -> OneStatementClient {
        OneStatementClient {
            index,
            inputs: Stream::new(seed, Purpose::Inputs, index),
            drawn: 0,
            log: Arc::clone(&self.log),
            executed: 0,
        }
    }
}

impl Client for OneStatementClient {
    fn draw(&mut self, _: usize) {
        self.drawn = self.inputs.bits();
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        self.log.lock().unwrap().push((self.index, self.drawn));
        self.executed += 1;
        connection.execute(0, &[], &mut Discard).await?;
        Ok(Ending::Committed)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("executed", Fact::Count(self.executed))]
    }
}
