//! How transactions are chosen, spaced, isolated and carried out.

use contract::Isolation;
use serde::Deserialize;

/// The weights of the kinds of transactions, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Of New-Order.
    pub new_order: f64,
    /// Of Payment.
    pub payment: f64,
    /// Of Order-Status.
    pub order_status: f64,
    /// Of Delivery.
    pub delivery: f64,
    /// Of Stock-Level.
    pub stock_level: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { new_order: 45.0, payment: 43.0, order_status: 4.0, delivery: 4.0, stock_level: 4.0 }
    }
}

impl Weights {
    /// In the order of the kinds.
    pub(super) fn all(&self) -> [f64; 5] {
        [self.new_order, self.payment, self.order_status, self.delivery, self.stock_level]
    }
}

/// Where a terminal's home is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// One warehouse and district for the whole run, as the specification wants it.
    #[default]
    Fixed,
    /// Another for each transaction, as most tools have it.
    Random,
}

/// When a Delivery is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryMode {
    /// At once, while its terminal waits, as most tools have it.
    #[default]
    Immediate,
    /// It is queued, and its terminal carries it out when it has time (clause 2.7.2).
    Deferred,
}

/// Waits, as multiples of those of clause 5.2.5.7; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// Of the keying times.
    pub keying: f64,
    /// Of the think times.
    pub think: f64,
}

impl Pacing {
    /// Whether there are any waits.
    pub(super) fn waits(self) -> bool {
        self.keying > 0.0 || self.think > 0.0
    }
}

/// The isolation of each kind of transaction; none is the session's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Isolations {
    /// Of New-Order.
    pub new_order: Option<String>,
    /// Of Payment.
    pub payment: Option<String>,
    /// Of Order-Status.
    pub order_status: Option<String>,
    /// Of Delivery.
    pub delivery: Option<String>,
    /// Of Stock-Level.
    pub stock_level: Option<String>,
}

impl Isolations {
    fn written(&self) -> [&Option<String>; 5] {
        [&self.new_order, &self.payment, &self.order_status, &self.delivery, &self.stock_level]
    }

    /// In the order of the kinds.
    pub(super) fn all(&self) -> [Option<Isolation>; 5] {
        self.written().map(|level| level.as_deref().and_then(Isolation::named))
    }

    /// The first that is no level.
    pub(super) fn unknown(&self) -> Option<&str> {
        let mut levels = self.written().into_iter().filter_map(|level| level.as_deref());
        levels.find(|level| Isolation::named(level).is_none())
    }
}
