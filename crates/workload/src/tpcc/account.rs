//! What a terminal was told is committed, in amounts that TPC-C's tables show cheaply: see clause
//! 3.5.3, which holds the New-Orders against the change of `D_NEXT_O_ID`.

use std::sync::{Arc, OnceLock};

use contract::{Account, Fact, Outcome};

use super::mix::Kind;
use super::scale::DISTRICTS;
use super::transactions::{Delivery, NewOrder, Payment};

/// By how much the sum of `D_NEXT_O_ID` grows.
const NEW_ORDERS: usize = 0;
/// By how much the sum of `W_YTD` grows.
const PAID_CENTS: usize = 1;
/// By how much the sum of the districts' oldest orders without a carrier grows.
const DELIVERED_ORDERS: usize = 2;

fn names() -> Arc<[String]> {
    static NAMES: OnceLock<Arc<[String]>> = OnceLock::new();
    let names = ["new_orders", "paid_cents", "delivered_orders"].map(str::to_owned);
    Arc::clone(NAMES.get_or_init(|| Arc::from(names)))
}

/// One terminal's.
#[derive(Debug)]
pub(super) struct TerminalAccount(Account);

impl TerminalAccount {
    pub fn new() -> Self {
        Self(Account::new(names()))
    }

    /// Begins an attempt at a transaction whose input was drawn.
    pub fn open(&mut self, kind: Kind, new_order: &NewOrder, payment: &Payment) {
        self.0.open();
        match kind {
            Kind::NewOrder if !new_order.rolls_back => self.0.changes(NEW_ORDERS, 1),
            Kind::Payment => self.0.changes(PAID_CENTS, payment.amount_cents),
            // How many there are to deliver shows later.
            Kind::Delivery => self.0.may_change(DELIVERED_ORDERS, DISTRICTS.cast_signed()),
            Kind::NewOrder | Kind::OrderStatus | Kind::StockLevel => {}
        }
    }

    pub fn delivered(&mut self, delivery: &Delivery) {
        let delivered = (DISTRICTS - delivery.skipped()).cast_signed();
        self.0.has_changed(DELIVERED_ORDERS, delivered);
    }

    pub fn settle(&mut self, outcome: Outcome) {
        self.0.settle(outcome);
    }

    pub fn fact(&self) -> (&'static str, Fact) {
        ("ledger", Fact::Ledger(Box::new(self.0.ledger())))
    }
}
