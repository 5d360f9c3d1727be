//! What transactions had for input, counted where they succeeded: to be held against the ranges of
//! clause 5.5.1.5.

use contract::{Ending, Fact};

use super::transactions::{Delivery, NewOrder, OrderStatus, Payment};

/// Counts of one terminal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Conformance {
    new_orders: u64,
    rolled_back: u64,
    lines: u64,
    remote_lines: u64,
    payments: u64,
    remote_payments: u64,
    payments_by_name: u64,
    order_statuses: u64,
    order_statuses_by_name: u64,
    deliveries: u64,
    deliveries_that_skipped: u64,
    skipped_districts: u64,
}

impl Conformance {
    pub fn new_order(&mut self, new_order: &NewOrder, ending: Ending) {
        self.new_orders += 1;
        self.rolled_back += u64::from(ending == Ending::RolledBack);
        self.lines += new_order.lines.len() as u64;
        self.remote_lines += new_order.lines.iter().filter(|line| line.is_remote).count() as u64;
    }

    pub fn payment(&mut self, payment: &Payment) {
        self.payments += 1;
        self.remote_payments += u64::from(payment.is_remote);
        self.payments_by_name += u64::from(payment.who.by_name);
    }

    pub fn order_status(&mut self, order_status: &OrderStatus) {
        self.order_statuses += 1;
        self.order_statuses_by_name += u64::from(order_status.who.by_name);
    }

    pub fn delivery(&mut self, delivery: &Delivery) {
        self.deliveries += 1;
        self.deliveries_that_skipped += u64::from(delivery.skipped() > 0);
        self.skipped_districts += delivery.skipped();
    }

    /// By the names in results.
    pub fn facts(&self) -> Vec<(&'static str, Fact)> {
        let share = |part, whole| Fact::Share { part, whole };
        vec![
            ("new_orders", Fact::Count(self.new_orders)),
            ("rollback_share", share(self.rolled_back, self.new_orders)),
            ("lines_per_order", share(self.lines, self.new_orders)),
            ("remote_line_share", share(self.remote_lines, self.lines)),
            ("remote_payment_share", share(self.remote_payments, self.payments)),
            ("payment_by_name_share", share(self.payments_by_name, self.payments)),
            ("order_status_by_name_share", share(self.order_statuses_by_name, self.order_statuses)),
            ("delivery_skipped_share", share(self.deliveries_that_skipped, self.deliveries)),
            ("skipped_districts", Fact::Count(self.skipped_districts)),
        ]
    }
}
