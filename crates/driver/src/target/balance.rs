//! Which of several hosts a connection goes to, and what became of those before.
//!
//! One balancer is shared by all workers, so that connections are spread evenly over all of them
//! together, and not only within each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{HostCount, SqlError};
use eventloop::Timestamp;

/// How a connection's host is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    /// One after the other.
    RoundRobin,
    /// Drawn from the trial's seed.
    Random,
    /// The one with the fewest connections at present.
    LeastConnections,
    /// The first of those that can be reached: what fail-over without balancing is.
    Disabled,
}

/// Their names in a URL, and what drivers elsewhere call the same.
const NAMES: &[(&str, Balance)] = &[
    ("round_robin", Balance::RoundRobin),
    ("roundrobin", Balance::RoundRobin),
    ("random", Balance::Random),
    // PgJDBC's loadBalanceHosts is true or false.
    ("true", Balance::Random),
    ("least_connections", Balance::LeastConnections),
    ("leastconn", Balance::LeastConnections),
    ("disabled", Balance::Disabled),
    // libpq's.
    ("disable", Balance::Disabled),
    ("false", Balance::Disabled),
    // MariaDB Connector/J's mode of fail-over.
    ("sequential", Balance::Disabled),
];

impl Balance {
    /// All of them, for messages.
    pub const KNOWN: &str = "round_robin, random, least_connections, disabled";

    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('-', "_");
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, balance)| *balance)
    }
}

/// A host that could not be reached is tried after all others for so long; then it is again one
/// like them.
const AVOIDED: Duration = Duration::from_secs(1);

/// What is known of one host.
#[derive(Debug, Default)]
struct Record {
    connections: AtomicU64,
    failed_attempts: AtomicU64,
    open: AtomicU64,
    /// In nanoseconds; zero where it was reached the last time.
    failed_at: AtomicU64,
    last_failure: Mutex<Option<String>>,
}

/// Chooses hosts, and keeps count of them.
#[derive(Debug)]
pub(crate) struct Balancer {
    balance: Balance,
    seed: AtomicU64,
    /// Connections that were asked for so far.
    asked: AtomicU64,
    records: Vec<Record>,
}

/// A connection's slot at a host; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct HostSlot {
    balancer: Arc<Balancer>,
    pub host: usize,
}

impl HostSlot {
    /// Has the host tried after all others for a while.
    pub fn leave(&self, now: Timestamp) {
        self.balancer.records[self.host].failed_at.store(now.0, Ordering::Relaxed);
    }
}

impl Drop for HostSlot {
    fn drop(&mut self) {
        self.balancer.records[self.host].open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Balancer {
    pub fn new(balance: Balance, hosts: usize) -> Self {
        let records = (0..hosts).map(|_| Record::default()).collect();
        Self { balance, seed: AtomicU64::new(0), asked: AtomicU64::new(0), records }
    }

    /// What random choices grow from.
    pub fn set_seed(&self, seed: u64) {
        self.seed.store(seed, Ordering::Relaxed);
    }

    /// The hosts in the order in which one connection is to try them.
    pub fn order(&self, now: Timestamp) -> Vec<usize> {
        let count = self.records.len();
        let mut order: Vec<usize> = (0..count).collect();
        if count == 1 {
            return order;
        }
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        match self.balance {
            Balance::Disabled => {}
            Balance::RoundRobin => {
                order.rotate_left(usize::try_from(number % count as u64).unwrap_or(0));
            }
            Balance::Random => shuffle(&mut order, self.seed.load(Ordering::Relaxed), number),
            Balance::LeastConnections => {
                order.sort_by_key(|host| self.records[*host].open.load(Ordering::Relaxed));
            }
        }
        order.sort_by_key(|host| self.is_avoided(*host, now));
        order
    }

    fn is_avoided(&self, host: usize, now: Timestamp) -> bool {
        let failed_at = self.records[host].failed_at.load(Ordering::Relaxed);
        failed_at != 0 && now < Timestamp(failed_at) + AVOIDED
    }

    /// Takes a slot before the host is tried: who chooses meanwhile is to see it.
    pub fn take_slot(self: &Arc<Self>, host: usize) -> HostSlot {
        self.records[host].open.fetch_add(1, Ordering::Relaxed);
        HostSlot { balancer: Arc::clone(self), host }
    }

    /// A connection was made.
    pub fn reached(&self, host: usize) {
        self.records[host].connections.fetch_add(1, Ordering::Relaxed);
        self.records[host].failed_at.store(0, Ordering::Relaxed);
    }

    /// A connection could not be made.
    pub fn failed(&self, host: usize, error: &SqlError, now: Timestamp) {
        let record = &self.records[host];
        record.failed_attempts.fetch_add(1, Ordering::Relaxed);
        record.failed_at.store(now.0, Ordering::Relaxed);
        let mut last_failure = record.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        *last_failure = Some(error.to_string());
    }

    /// What became of each host so far.
    pub fn counts<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<HostCount> {
        names.zip(&self.records).map(|(name, record)| record.count(name)).collect()
    }
}

impl Record {
    fn count(&self, name: &str) -> HostCount {
        HostCount {
            host: name.to_owned(),
            connections: self.connections.load(Ordering::Relaxed),
            failed_attempts: self.failed_attempts.load(Ordering::Relaxed),
            last_failure: self.last_failure.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

/// Puts hosts into an order that follows from the seed and from which connection it is, so that it
/// does not hang on which worker asks first. (The streams of the crate `random` belong to clients,
/// of which drivers know nothing.)
fn shuffle(hosts: &mut [usize], seed: u64, number: u64) {
    let mut state = seed ^ number.wrapping_mul(0xd134_2543_de82_ef95);
    for last in (1..hosts.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let chosen = (u128::from(mixed(state)) * (last as u128 + 1)) >> 64;
        hosts.swap(last, usize::try_from(chosen).unwrap_or(0));
    }
}

/// The finalizer of `SplitMix64`.
fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use contract::ErrorClass;

    use super::*;

    fn first_choices(balancer: &Arc<Balancer>, connections: usize) -> Vec<usize> {
        let mut slots = Vec::new();
        for _ in 0..connections {
            slots.push(balancer.take_slot(balancer.order(Timestamp(1))[0]));
        }
        slots.iter().map(|slot| slot.host).collect()
    }

    fn balancer(balance: Balance, hosts: usize) -> Arc<Balancer> {
        Arc::new(Balancer::new(balance, hosts))
    }

    #[test]
    fn every_way_chooses_as_it_is_called() {
        assert_eq!(first_choices(&balancer(Balance::Disabled, 3), 4), [0, 0, 0, 0]);
        assert_eq!(first_choices(&balancer(Balance::RoundRobin, 3), 4), [0, 1, 2, 0]);
        let fewest = balancer(Balance::LeastConnections, 2);
        let _three: Vec<HostSlot> = (0..3).map(|_| fewest.take_slot(1)).collect();
        assert_eq!(first_choices(&fewest, 4), [0, 0, 0, 0]);
        let random = balancer(Balance::Random, 2);
        random.set_seed(7);
        let choices = first_choices(&random, 1000);
        let second = choices.iter().filter(|host| **host == 1).count();
        assert!((400..600).contains(&second), "{second}");
        let again = balancer(Balance::Random, 2);
        again.set_seed(7);
        assert_eq!(first_choices(&again, 1000), choices);
        again.set_seed(8);
        assert_ne!(first_choices(&again, 1000), choices);
    }

    #[test]
    fn a_slot_is_free_again_when_its_connection_is_gone() {
        let fewest = balancer(Balance::LeastConnections, 2);
        let slot = fewest.take_slot(0);
        assert_eq!(fewest.order(Timestamp(1))[0], 1);
        drop(slot);
        assert_eq!(fewest.order(Timestamp(1))[0], 0);
    }

    #[test]
    fn a_host_that_failed_is_tried_last_for_a_while() {
        let balancer = balancer(Balance::Disabled, 3);
        let error = SqlError::driver(ErrorClass::ConnectionRefused, "no");
        let now = Timestamp(5);
        balancer.failed(0, &error, now);
        assert_eq!(balancer.order(now), [1, 2, 0]);
        assert_eq!(balancer.order(now + AVOIDED), [0, 1, 2]);
        balancer.reached(0);
        assert_eq!(balancer.order(now), [0, 1, 2]);
        let counts = balancer.counts(["a", "b", "c"].into_iter());
        assert_eq!((counts[0].connections, counts[0].failed_attempts), (1, 1));
        assert_eq!(counts[0].last_failure.as_deref(), Some("no"));
    }
}
