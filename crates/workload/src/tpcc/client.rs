//! One terminal: draws a transaction with all its input, and carries it out as often as it is told.

use std::fmt::Write as _;

use contract::{
    Client, Connection, Dialect, Due, Ending, Executed, Fact, Isolation, Outcome, SqlError,
    Timestamp,
};

use super::account::TerminalAccount;
use super::choices::DeliveryMode;
use super::conformance::Conformance;
use super::mix::{Kind, Mix};
use super::options::TpccOptions;
use super::pace::Pace;
use super::terminal::Terminal;
use super::transactions::{Delivery, NewOrder, OrderStatus, Payment, StatementOffsets, StockLevel};
use crate::exchange::{Exchange, Sharing};

/// What fits into the column `c_data`.
const DATA_CHARACTERS: usize = 500;
const WIDE_DATA_CHARACTERS: usize = 1000;

/// The name in results of what becomes of a Delivery that was put off.
pub(super) const DELIVERY_DEFERRED: &str = "delivery_deferred";

/// Its number behind the kinds of the specification.
const DEFERRED: usize = Kind::ALL.len();

/// What a terminal does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// What its user asks for.
    Asked(Kind),
    /// The Delivery that its user asked for at that time, and was told that it is queued.
    Queued(Timestamp),
    /// Nothing that was not done.
    Nothing,
}

/// One terminal.
#[derive(Debug)]
pub struct TpccClient {
    offsets: StatementOffsets,
    dialect: Dialect,
    terminal: Terminal,
    mix: Mix,
    next: Next,
    /// What was asked of the server last.
    carried_out: Option<Kind>,
    pace: Pace,
    is_deferred: bool,
    /// When the Delivery was queued that is not carried out yet.
    queued: Option<Timestamp>,
    rollback_percent: f64,
    data_characters: usize,
    isolations: [Option<Isolation>; 5],
    new_order: NewOrder,
    payment: Payment,
    order_status: OrderStatus,
    delivery: Delivery,
    stock_level: StockLevel,
    conformance: Conformance,
    account: TerminalAccount,
    results: Vec<Executed>,
}

impl TpccClient {
    pub(super) fn new(
        options: &TpccOptions,
        (offsets, dialect): (StatementOffsets, Dialect),
        terminal: Terminal,
        pace: Pace,
    ) -> Self {
        let data_characters =
            if options.wide_texts { WIDE_DATA_CHARACTERS } else { DATA_CHARACTERS };
        Self {
            offsets,
            dialect,
            terminal,
            mix: Mix::new(options),
            next: Next::Asked(Kind::NewOrder),
            carried_out: None,
            pace,
            is_deferred: options.delivery == DeliveryMode::Deferred,
            queued: None,
            rollback_percent: options.rollback_percent,
            data_characters,
            isolations: options.isolation.all(),
            new_order: NewOrder::default(),
            payment: Payment::default(),
            order_status: OrderStatus::default(),
            delivery: Delivery::default(),
            stock_level: StockLevel::default(),
            conformance: Conformance::default(),
            account: TerminalAccount::new(),
            results: Vec::new(),
        }
    }

    async fn execute_kind<C: Connection>(
        &mut self,
        kind: Kind,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        let StatementOffsets { new_order, payment, order_status, delivery, stock_level } =
            self.offsets;
        let isolation = self.isolations[kind as usize].map(|level| (level, self.dialect));
        let sharing = Sharing::as_possible(connection);
        let exchange = Exchange::new(connection, sharing, &mut self.results).at(isolation);
        self.carried_out = Some(kind);
        self.account.open(kind, &self.new_order, &self.payment);
        // Boxed: side by side they would make the future larger that every wait moves.
        match kind {
            Kind::NewOrder => {
                let exchange = exchange.of_statements_from(new_order);
                let ending = Box::pin(self.new_order.execute(exchange)).await?;
                self.conformance.new_order(&self.new_order, ending);
                Ok(ending)
            }
            Kind::Payment => {
                let exchange = exchange.of_statements_from(payment);
                let executed = self.payment.execute(exchange, self.data_characters);
                let ending = Box::pin(executed).await?;
                self.conformance.payment(&self.payment);
                Ok(ending)
            }
            Kind::OrderStatus => {
                let exchange = exchange.of_statements_from(order_status);
                let ending = Box::pin(self.order_status.execute(exchange)).await?;
                self.conformance.order_status(&self.order_status);
                Ok(ending)
            }
            Kind::Delivery => {
                let exchange = exchange.of_statements_from(delivery);
                let ending = Box::pin(self.delivery.execute(exchange, self.dialect)).await?;
                self.conformance.delivery(&self.delivery);
                self.account.delivered(&self.delivery);
                Ok(ending)
            }
            Kind::StockLevel => {
                let exchange = exchange.of_statements_from(stock_level);
                Box::pin(self.stock_level.execute(exchange)).await
            }
        }
    }
}

impl Client for TpccClient {
    const PACED: bool = true;

    fn choose(&mut self) -> usize {
        match self.queued {
            Some(_) => DEFERRED,
            None => self.mix.draw(&mut self.terminal.stream) as usize,
        }
    }

    fn due(&mut self, kind: usize, now: Timestamp) -> Due {
        match (Kind::ALL.get(kind), self.queued) {
            (Some(kind), _) => self.pace.due(*kind, now),
            (None, Some(queued)) => {
                self.pace.works_while_thinking(now);
                Due::Since(queued)
            }
            (None, None) => Due::Now,
        }
    }

    fn draw(&mut self, kind: usize) {
        let Some(&kind) = Kind::ALL.get(kind) else {
            // Its input was drawn when its user asked for it; where it is tried again it stays.
            self.next = self.queued.take().map_or(self.next, Next::Queued);
            return;
        };
        self.next = Next::Asked(kind);
        let terminal = &mut self.terminal;
        match kind {
            Kind::NewOrder => self.new_order.draw(terminal, self.rollback_percent),
            Kind::Payment => self.payment.draw(terminal),
            Kind::OrderStatus => self.order_status.draw(terminal),
            Kind::Delivery => self.delivery.draw(terminal),
            Kind::StockLevel => self.stock_level.draw(terminal),
        }
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        match self.next {
            // Its user is told that it is queued, and goes on (clause 2.7.2).
            Next::Asked(Kind::Delivery) if self.is_deferred => {
                self.queued = Some(Timestamp::now());
                self.carried_out = None;
                Ok(Ending::Committed)
            }
            Next::Asked(kind) => self.execute_kind(kind, connection).await,
            Next::Queued(_) => {
                let ending = self.execute_kind(Kind::Delivery, connection).await?;
                self.next = Next::Nothing;
                Ok(ending)
            }
            Next::Nothing => Ok(Ending::Committed),
        }
    }

    #[inline]
    fn settled(&mut self, outcome: Outcome, _: Timestamp, _: Timestamp) {
        self.account.settle(outcome);
    }

    /// The new order's key, or what a Delivery did (clause 2.7.2.2): the order that was delivered in each
    /// district, 0 where there was none.
    fn note(&self, note: &mut String) {
        // A string takes all that is written.
        let _ = match self.carried_out {
            Some(Kind::NewOrder) => {
                let (warehouse, district, order) = self.new_order.key();
                write!(note, "w_id={warehouse} d_id={district} o_id={order}")
            }
            Some(Kind::Delivery) => {
                let Delivery { warehouse, carrier, orders, .. } = &self.delivery;
                let orders: Vec<String> = orders.iter().map(i64::to_string).collect();
                write!(note, "w_id={warehouse} carrier={carrier} o_ids={}", orders.join("/"))
            }
            _ => Ok(()),
        };
    }

    /// Carries out what was queued: its user was told that it would be.
    async fn finish<C: Connection>(&mut self, connection: &mut C) -> Result<(), SqlError> {
        if self.queued.is_some() || matches!(self.next, Next::Queued(_)) {
            self.execute_kind(Kind::Delivery, connection).await?;
            self.account.settle(Outcome::Acknowledged);
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let mut facts = self.conformance.facts();
        facts.push(("c_last", Fact::Text(self.terminal.skewed.c_last.to_string())));
        facts.push(self.account.fact());
        facts
    }
}
