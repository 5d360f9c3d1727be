//! The hosts among which a driver spreads connections, as one worker sees them. With one host, or
//! none, there is nothing to tell apart, and nothing is counted.

use std::cell::{Ref, RefCell};

use contract::{Driver, HostCount, StatementCount};

/// One of several hosts in one interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSample {
    /// Its name.
    pub host: String,
    /// Transactions that it committed, or rolled back on purpose.
    pub transactions: u64,
    /// Clients with a connection to it, at the end of the interval.
    pub live_clients: u64,
}

/// One of several hosts over a whole trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTotal {
    /// Its connections, those that were made before the load began included.
    pub count: HostCount,
    /// Transactions that it committed, or rolled back on purpose.
    pub transactions: u64,
    /// Statements that were sent to it.
    pub statements: u64,
}

/// The names of a driver's hosts, where there are several.
pub(crate) fn names<D: Driver>(driver: &D) -> Vec<String> {
    let hosts = driver.hosts();
    if hosts.len() < 2 {
        return Vec::new();
    }
    hosts.into_iter().map(|count| count.host).collect()
}

/// One worker's connections and statements by host.
pub(crate) struct Hosts {
    pub names: Vec<String>,
    live_clients: RefCell<Vec<u64>>,
    statements: RefCell<Vec<u64>>,
}

impl Hosts {
    pub fn new<D: Driver>(driver: &D) -> Self {
        let names = names(driver);
        let zeroes = || RefCell::new(vec![0; names.len()]);
        Self { live_clients: zeroes(), statements: zeroes(), names }
    }

    /// A client has a connection to it.
    pub fn joined(&self, host: usize) {
        if let Some(clients) = self.live_clients.borrow_mut().get_mut(host) {
            *clients += 1;
        }
    }

    /// It has none any more.
    pub fn left(&self, host: usize) {
        if let Some(clients) = self.live_clients.borrow_mut().get_mut(host) {
            *clients -= 1;
        }
    }

    /// Clients by host, at present.
    pub fn live_clients(&self) -> Ref<'_, Vec<u64>> {
        self.live_clients.borrow()
    }

    /// Adds what a connection sent.
    pub fn keep_statements(&self, host: usize, counts: &[StatementCount]) {
        if let Some(statements) = self.statements.borrow_mut().get_mut(host) {
            *statements += counts.iter().map(|count| count.executions).sum::<u64>();
        }
    }

    /// Statements by host so far.
    pub fn take_statements(&self) -> Vec<u64> {
        self.statements.take()
    }
}

/// Adds another worker's part of the same interval.
pub(crate) fn merge_samples(into: &mut Vec<HostSample>, other: &[HostSample]) {
    if into.is_empty() {
        into.extend_from_slice(other);
        return;
    }
    for (mine, theirs) in into.iter_mut().zip(other) {
        mine.transactions += theirs.transactions;
        mine.live_clients += theirs.live_clients;
    }
}

/// What became of several hosts over a trial: the driver's counts, completed by what workers know.
#[derive(Default)]
pub(crate) struct HostTotals {
    transactions: Vec<u64>,
    statements: Vec<u64>,
}

impl HostTotals {
    pub fn add_interval(&mut self, hosts: &[HostSample]) {
        add(&mut self.transactions, hosts.iter().map(|host| host.transactions));
    }

    pub fn add_statements(&mut self, statements: Vec<u64>) {
        add(&mut self.statements, statements.into_iter());
    }

    pub fn finish<D: Driver>(&self, driver: &D) -> Vec<HostTotal> {
        let counts = driver.hosts();
        if counts.len() < 2 {
            return Vec::new();
        }
        let at = |list: &[u64], index: usize| list.get(index).copied().unwrap_or(0);
        let total = |(index, count)| HostTotal {
            count,
            transactions: at(&self.transactions, index),
            statements: at(&self.statements, index),
        };
        counts.into_iter().enumerate().map(total).collect()
    }
}

fn add(into: &mut Vec<u64>, from: impl ExactSizeIterator<Item = u64>) {
    into.resize(into.len().max(from.len()), 0);
    for (mine, theirs) in into.iter_mut().zip(from) {
        *mine += theirs;
    }
}
