//! Amounts that acknowledged transactions change, attempt by attempt.

use std::sync::Arc;

use super::{Ledger, Outcome};

/// By how much an amount was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// By transactions that were acknowledged.
    pub acknowledged: i64,
    /// At most so much more by those of which nobody knows; [`i64::MAX`] is without a bound.
    pub unknown_high: i64,
    /// At most so much less, as a number that is zero or below.
    pub unknown_low: i64,
}

impl Change {
    /// Adds another client's.
    pub fn merge(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.unknown_high = self.unknown_high.saturating_add(other.unknown_high);
        self.unknown_low = self.unknown_low.saturating_add(other.unknown_low);
    }

    fn settle(&mut self, attempt: Self, outcome: Outcome) {
        match outcome {
            Outcome::Acknowledged => self.acknowledged += attempt.acknowledged,
            Outcome::Undone => {}
            Outcome::Unknown => self.merge(Self { acknowledged: 0, ..attempt }),
        }
    }
}

/// One client's amounts. Between [`open`](Self::open) and [`settle`](Self::settle) lies an attempt;
/// one that is never settled, because its client was cut off, is of unknown outcome.
#[derive(Clone, Debug)]
pub struct Account {
    names: Arc<[String]>,
    settled: Vec<Change>,
    attempt: Vec<Change>,
}

impl Account {
    /// An account of amounts with these names.
    pub fn new(names: Arc<[String]>) -> Self {
        let none = vec![Change::default(); names.len()];
        Self { names, settled: none.clone(), attempt: none }
    }

    /// Begins an attempt.
    #[inline]
    pub fn open(&mut self) {
        self.attempt.fill(Change::default());
    }

    /// The attempt is about to change an amount by so much.
    #[inline]
    pub fn changes(&mut self, amount: usize, by: i64) {
        self.may_change(amount, by);
        self.has_changed(amount, by);
    }

    /// The attempt is about to change an amount by something from zero to so much.
    #[inline]
    pub fn may_change(&mut self, amount: usize, by: i64) {
        let change = &mut self.attempt[amount];
        change.unknown_high = change.unknown_high.saturating_add(by.max(0));
        change.unknown_low = change.unknown_low.saturating_add(by.min(0));
    }

    /// What it may have changed, it has changed by so much.
    #[inline]
    pub fn has_changed(&mut self, amount: usize, by: i64) {
        self.attempt[amount].acknowledged += by;
    }

    /// Nobody will know any more what became of an amount.
    pub fn give_up(&mut self, amount: usize) {
        self.settled[amount].unknown_high = i64::MAX;
        self.settled[amount].unknown_low = i64::MIN;
    }

    /// Ends an attempt.
    #[inline]
    pub fn settle(&mut self, outcome: Outcome) {
        for (settled, attempt) in self.settled.iter_mut().zip(&mut self.attempt) {
            settled.settle(std::mem::take(attempt), outcome);
        }
    }

    /// What is known by now.
    pub fn ledger(&self) -> Ledger {
        let mut known = self.clone();
        known.settle(Outcome::Unknown);
        let changes = self.names.iter().cloned().zip(known.settled).collect();
        Ledger { changes, writes: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account() -> Account {
        Account::new(Arc::from(["rows".to_owned()]))
    }

    fn rows(account: &Account) -> (i64, i64, i64) {
        let Change { acknowledged, unknown_low, unknown_high } = account.ledger().changes["rows"];
        (acknowledged, unknown_low, unknown_high)
    }

    #[test]
    fn an_attempt_counts_by_its_outcome() {
        let mut account = account();
        for (outcome, by) in [
            (Outcome::Acknowledged, 5),
            (Outcome::Undone, 7),
            (Outcome::Unknown, 11),
            (Outcome::Unknown, -3),
        ] {
            account.open();
            account.changes(0, by);
            account.settle(outcome);
        }
        assert_eq!(rows(&account), (5, -3, 11));
    }

    #[test]
    fn an_attempt_that_is_not_settled_is_unknown_and_counts_once() {
        let mut account = account();
        account.open();
        account.may_change(0, 10);
        assert_eq!(rows(&account), (0, 0, 10));
        account.has_changed(0, 4);
        account.settle(Outcome::Acknowledged);
        assert_eq!(rows(&account), (4, 0, 0));
        account.settle(Outcome::Unknown);
        assert_eq!(rows(&account), (4, 0, 0));
    }

    #[test]
    fn an_attempt_begins_with_nothing() {
        let mut account = account();
        account.open();
        account.changes(0, 1);
        account.open();
        account.changes(0, 1);
        account.settle(Outcome::Acknowledged);
        assert_eq!(rows(&account), (1, 0, 0));
    }

    #[test]
    fn what_has_no_bound_stays_without() {
        let mut account = account();
        account.open();
        account.may_change(0, i64::MAX);
        account.may_change(0, 1);
        let mut ledger = account.ledger();
        ledger.merge(account.ledger());
        assert_eq!(ledger.changes["rows"].unknown_high, i64::MAX);
    }
}
