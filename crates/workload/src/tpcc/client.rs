//! One terminal: draws a transaction with all its input, and carries it out as often as it is told.

use contract::{Client, Connection, Dialect, Ending, Executed, Fact, SqlError};

use super::conformance::Conformance;
use super::exchange::Exchange;
use super::mix::{Kind, Mix};
use super::options::TpccOptions;
use super::terminal::Terminal;
use super::transactions::{Delivery, Firsts, NewOrder, OrderStatus, Payment, StockLevel};

/// What fits into the column `c_data`.
const DATA_CHARACTERS: usize = 500;
const WIDE_DATA_CHARACTERS: usize = 1000;

/// One terminal.
#[derive(Debug)]
pub struct TpccClient {
    firsts: Firsts,
    dialect: Dialect,
    terminal: Terminal,
    mix: Mix,
    kind: Kind,
    rollback_percent: f64,
    data_characters: usize,
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
    ) -> Self {
        let data_characters =
            if options.wide_texts { WIDE_DATA_CHARACTERS } else { DATA_CHARACTERS };
        Self {
            firsts,
            dialect,
            terminal,
            mix: Mix::new(options),
            kind: Kind::NewOrder,
            rollback_percent: options.rollback_percent,
            data_characters,
            new_order: NewOrder::default(),
            payment: Payment::default(),
            order_status: OrderStatus::default(),
            delivery: Delivery::default(),
            stock_level: StockLevel::default(),
            conformance: Conformance::default(),
            results: Vec::new(),
        }
    }
}

impl Client for TpccClient {
    fn draw(&mut self) -> usize {
        let terminal = &mut self.terminal;
        self.kind = self.mix.draw(&mut terminal.stream);
        match self.kind {
            Kind::NewOrder => self.new_order.draw(terminal, self.rollback_percent),
            Kind::Payment => self.payment.draw(terminal),
            Kind::OrderStatus => self.order_status.draw(terminal),
            Kind::Delivery => self.delivery.draw(terminal),
            Kind::StockLevel => self.stock_level.draw(terminal),
        }
        self.kind as usize
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        let Firsts { new_order, payment, order_status, delivery, stock_level } = self.firsts;
        let results = &mut self.results;
        // Boxed: side by side they would make the future larger that every wait moves.
        match self.kind {
            Kind::NewOrder => {
                let exchange = Exchange::new(connection, new_order, results);
                let ending = Box::pin(self.new_order.execute(exchange)).await?;
                self.conformance.new_order(&self.new_order, ending);
                Ok(ending)
            }
            Kind::Payment => {
                let exchange = Exchange::new(connection, payment, results);
                let executed = self.payment.execute(exchange, self.data_characters);
                let ending = Box::pin(executed).await?;
                self.conformance.payment(&self.payment);
                Ok(ending)
            }
            Kind::OrderStatus => {
                let exchange = Exchange::new(connection, order_status, results);
                let ending = Box::pin(self.order_status.execute(exchange)).await?;
                self.conformance.order_status(&self.order_status);
                Ok(ending)
            }
            Kind::Delivery => {
                let exchange = Exchange::new(connection, delivery, results);
                let ending = Box::pin(self.delivery.execute(exchange, self.dialect)).await?;
                self.conformance.delivery(&self.delivery);
                Ok(ending)
            }
            Kind::StockLevel => {
                let exchange = Exchange::new(connection, stock_level, results);
                Box::pin(self.stock_level.execute(exchange)).await
            }
        }
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let mut facts = self.conformance.facts();
        facts.push(("c_last", Fact::Text(self.terminal.skewed.c_last.to_string())));
        facts
    }
}
