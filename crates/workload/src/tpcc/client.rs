//! One terminal: draws a transaction with all its input, and carries it out as often as it is told.

use std::io;

use contract::{
    Client, Connection, Dialect, Due, Ending, ErrorClass, Executed, Fact, Isolation, SqlError,
    Timestamp,
};

use super::choices::DeliveryMode;
use super::conformance::Conformance;
use super::exchange::Exchange;
use super::mix::{Kind, Mix};
use super::options::TpccOptions;
use super::order_log::OrderLog;
use super::pace::Pace;
use super::terminal::Terminal;
use super::transactions::{Delivery, Firsts, NewOrder, OrderStatus, Payment, StockLevel};

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
    firsts: Firsts,
    dialect: Dialect,
    terminal: Terminal,
    mix: Mix,
    next: Next,
    pace: Pace,
    is_deferred: bool,
    /// When the Delivery was queued that is not carried out yet.
    queued: Option<Timestamp>,
    order_log: Option<io::Result<OrderLog>>,
    rollback_percent: f64,
    data_characters: usize,
    isolations: [Option<Isolation>; 5],
    new_order: NewOrder,
    payment: Payment,
    order_status: OrderStatus,
    delivery: Delivery,
    stock_level: StockLevel,
    conformance: Conformance,
    results: Vec<Executed>,
}

impl TpccClient {
    pub(super) fn new(
        options: &TpccOptions,
        (firsts, dialect): (Firsts, Dialect),
        terminal: Terminal,
        pace: Pace,
        order_log: Option<io::Result<OrderLog>>,
    ) -> Self {
        let data_characters =
            if options.wide_texts { WIDE_DATA_CHARACTERS } else { DATA_CHARACTERS };
        Self {
            firsts,
            dialect,
            terminal,
            mix: Mix::new(options),
            next: Next::Asked(Kind::NewOrder),
            pace,
            is_deferred: options.delivery == DeliveryMode::Deferred,
            queued: None,
            order_log,
            rollback_percent: options.rollback_percent,
            data_characters,
            isolations: options.isolation.all(),
            new_order: NewOrder::default(),
            payment: Payment::default(),
            order_status: OrderStatus::default(),
            delivery: Delivery::default(),
            stock_level: StockLevel::default(),
            conformance: Conformance::default(),
            results: Vec::new(),
        }
    }

    /// An order that can't be written down is an error: it would seem to be lost.
    fn log_order(&mut self, ending: Ending) -> Result<(), SqlError> {
        let Some(log) = &mut self.order_log else { return Ok(()) };
        let logged = match log {
            Ok(log) if ending == Ending::Committed => log.acknowledged(self.new_order.key()),
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        logged.map_err(|error| {
            let message = format!("the log of orders can't be written: {error}");
            SqlError::driver(ErrorClass::ResourceExhausted, message)
        })
    }

    async fn execute_kind<C: Connection>(
        &mut self,
        kind: Kind,
        connection: &mut C,
    ) -> Result<Ending, SqlError> {
        let Firsts { new_order, payment, order_status, delivery, stock_level } = self.firsts;
        let isolation = self.isolations[kind as usize].map(|level| (level, self.dialect));
        let results = &mut self.results;
        // Boxed: side by side they would make the future larger that every wait moves.
        match kind {
            Kind::NewOrder => {
                let exchange = Exchange::new(connection, new_order, isolation, results);
                let ending = Box::pin(self.new_order.execute(exchange)).await?;
                self.conformance.new_order(&self.new_order, ending);
                self.log_order(ending)?;
                Ok(ending)
            }
            Kind::Payment => {
                let exchange = Exchange::new(connection, payment, isolation, results);
                let executed = self.payment.execute(exchange, self.data_characters);
                let ending = Box::pin(executed).await?;
                self.conformance.payment(&self.payment);
                Ok(ending)
            }
            Kind::OrderStatus => {
                let exchange = Exchange::new(connection, order_status, isolation, results);
                let ending = Box::pin(self.order_status.execute(exchange)).await?;
                self.conformance.order_status(&self.order_status);
                Ok(ending)
            }
            Kind::Delivery => {
                let exchange = Exchange::new(connection, delivery, isolation, results);
                let ending = Box::pin(self.delivery.execute(exchange, self.dialect)).await?;
                self.conformance.delivery(&self.delivery);
                Ok(ending)
            }
            Kind::StockLevel => {
                let exchange = Exchange::new(connection, stock_level, isolation, results);
                Box::pin(self.stock_level.execute(exchange)).await
            }
        }
    }
}

impl Client for TpccClient {
    const PACED: bool = true;

    fn draw(&mut self) -> usize {
        if let Some(queued) = self.queued.take() {
            self.next = Next::Queued(queued);
            return DEFERRED;
        }
        let terminal = &mut self.terminal;
        let kind = self.mix.draw(&mut terminal.stream);
        self.next = Next::Asked(kind);
        match kind {
            Kind::NewOrder => self.new_order.draw(terminal, self.rollback_percent),
            Kind::Payment => self.payment.draw(terminal),
            Kind::OrderStatus => self.order_status.draw(terminal),
            Kind::Delivery => self.delivery.draw(terminal),
            Kind::StockLevel => self.stock_level.draw(terminal),
        }
        kind as usize
    }

    fn due(&mut self, now: Timestamp) -> Due {
        match self.next {
            Next::Queued(queued) => {
                self.pace.works_while_thinking(now);
                Due::Since(queued)
            }
            Next::Asked(kind) => self.pace.due(kind, now),
            Next::Nothing => Due::Now,
        }
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        match self.next {
            // Its user is told that it is queued, and goes on (clause 2.7.2).
            Next::Asked(Kind::Delivery) if self.is_deferred => {
                self.queued = Some(Timestamp::now());
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

    /// Carries out what was queued: its user was told that it would be.
    async fn finish<C: Connection>(&mut self, connection: &mut C) -> Result<(), SqlError> {
        if self.queued.is_some() || matches!(self.next, Next::Queued(_)) {
            self.execute_kind(Kind::Delivery, connection).await?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let mut facts = self.conformance.facts();
        facts.push(("c_last", Fact::Text(self.terminal.skewed.c_last.to_string())));
        facts
    }
}
