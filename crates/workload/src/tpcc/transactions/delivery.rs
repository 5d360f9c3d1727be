//! Delivery, clause 2.7: the oldest new order of each district is delivered.
//!
//! All ten districts are one transaction, which the clause allows. The statements that need no lock
//! of their own take the orders of all districts at once: a district without a new order is given
//! order 0, which no district has.

use contract::{Access, Connection, Dialect, Ending, Row, SqlError, Value};

use super::{Writing, put_cents, to_int};
use crate::exchange::{Each, Exchange, Read};
use crate::tpcc::reading::{decimal, int, unexpected};
use crate::tpcc::scale::{DISTRICT_COUNT, DISTRICTS};
use crate::tpcc::schema::Table;
use crate::tpcc::terminal::Terminal;

const LOCK_NEW_ORDER: usize = 0;
const LOOK_FOR_NEW_ORDER: usize = 1;
const DELETE_NEW_ORDERS: usize = 2;
const READ_AMOUNTS: usize = 3;
const UPDATE_ORDERS: usize = 4;
const UPDATE_LINES: usize = 5;
const UPDATE_CUSTOMER: usize = 6;

/// How often a district is looked at again of which another terminal has just taken the order.
const MOST_LOOKS: u32 = 20;

pub(super) fn statements(writing: Writing<'_>) -> Vec<String> {
    let name = |table| writing.name(table);
    let (new_order, orders, lines) =
        (name(Table::NewOrder), name(Table::Orders), name(Table::OrderLine));
    // Districts by number and their orders as parameters: ranges that every optimizer sees.
    let in_districts = |prefix: &str| {
        let terms: Vec<String> = (1..=DISTRICTS)
            .map(|district| format!("({prefix}_d_id = {district} AND {prefix}_o_id = ?)"))
            .collect();
        format!("{prefix}_w_id = ? AND ({})", terms.join(" OR "))
    };
    let of_orders = in_districts("o").replace("o_o_id", "o_id");
    vec![
        format!(
            "SELECT no_o_id FROM {new_order} WHERE no_w_id = ? AND no_d_id = ? \
             ORDER BY no_o_id LIMIT 1{}",
            writing.for_update()
        ),
        format!("SELECT MIN(no_o_id) FROM {new_order} WHERE no_w_id = ? AND no_d_id = ?"),
        format!("DELETE FROM {new_order} WHERE {}", in_districts("no")),
        format!(
            "SELECT o_d_id, o_c_id, SUM(ol_amount) FROM {orders}, {lines} WHERE {of_orders} \
             AND ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id GROUP BY o_d_id, o_c_id"
        ),
        format!("UPDATE {orders} SET o_carrier_id = ? WHERE {of_orders}"),
        format!(
            "UPDATE {lines} SET ol_delivery_d = CURRENT_TIMESTAMP WHERE {}",
            in_districts("ol")
        ),
        format!(
            "UPDATE {} SET c_balance = c_balance + {}, c_delivery_cnt = c_delivery_cnt + 1 \
             WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            name(Table::Customer),
            writing.decimal()
        ),
    ]
}

/// A Delivery's input, and what is read for it.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct Delivery {
    pub warehouse: i64,
    pub carrier: i64,
    /// The order that was delivered in each district; 0 where there was none.
    pub orders: [i64; DISTRICT_COUNT],
    receivers: Vec<Receiver>,
    text: String,
}

/// Who got an order.
#[derive(Debug)]
struct Receiver {
    district: i64,
    customer: i64,
    amount: String,
}

impl Delivery {
    /// Draws the input: clause 2.7.1.
    pub fn draw(&mut self, terminal: &mut Terminal) {
        self.warehouse = terminal.home();
        self.carrier = terminal.stream.between(1, 10).cast_signed();
    }

    /// Districts that had no new order.
    pub fn skipped(&self) -> u64 {
        self.orders.iter().filter(|order| **order == 0).count() as u64
    }

    /// Carries it out: clause 2.7.4.
    pub async fn execute<C: Connection>(
        &mut self,
        mut exchange: Exchange<'_, C>,
        dialect: Dialect,
    ) -> Result<Ending, SqlError> {
        exchange.begin(Access::ReadWrite).await?;
        self.take_orders(&mut exchange).await?;
        if dialect == Dialect::PostgreSql && self.skipped() > 0 {
            self.look_again(&mut exchange).await?;
        }
        if self.skipped() < DISTRICTS {
            self.deliver(&mut exchange).await?;
        }
        exchange.commit().await?;
        Ok(Ending::Committed)
    }

    /// Locks the oldest new order of each district.
    async fn take_orders<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let all: Vec<usize> = (0..DISTRICT_COUNT).collect();
        self.orders = self.read_orders(exchange, LOCK_NEW_ORDER, &all).await?;
        Ok(())
    }

    /// In `PostgreSQL`, one who waited for a row that was then deleted is told that there is none,
    /// although there are others. Another Delivery may hold those by now and wait for ours: a
    /// deadlock, after which it is tried again.
    async fn look_again<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let mut district = 0;
        for _ in 0..MOST_LOOKS {
            let mut places: Vec<_> =
                (0..DISTRICT_COUNT).filter(|place| self.orders[*place] == 0).collect();
            let there = self.read_orders(exchange, LOOK_FOR_NEW_ORDER, &places).await?;
            places.retain(|place| there[*place] != 0);
            let Some(first) = places.first() else { return Ok(()) };
            district = first + 1;
            let taken = self.read_orders(exchange, LOCK_NEW_ORDER, &places).await?;
            for place in places {
                self.orders[place] = taken[place];
            }
        }
        Err(unexpected(format!(
            "the new orders of district {district} of warehouse {} were taken by others {MOST_LOOKS} \
             times in a row",
            self.warehouse
        )))
    }

    /// The answers to a statement for some of the districts, by their places; 0 is none.
    async fn read_orders<C: Connection>(
        &self,
        exchange: &mut Exchange<'_, C>,
        statement: usize,
        places: &[usize],
    ) -> Result<[i64; DISTRICT_COUNT], SqlError> {
        let keys: Vec<_> = places
            .iter()
            .map(|place| [self.warehouse, to_int(*place) + 1].map(Value::Int))
            .collect();
        let reads: Vec<Read<'_>> = keys.iter().map(|key| (statement, key.as_slice())).collect();
        let mut orders = [0; DISTRICT_COUNT];
        let take = |read: usize, row: &dyn Row| {
            orders[places[read]] = row.int(0)?.unwrap_or(0);
            Ok(())
        };
        exchange.read_all(&reads, take).await?;
        Ok(orders)
    }

    async fn deliver<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let mut parameters = [Value::Int(self.carrier); DISTRICT_COUNT + 2];
        parameters[1] = Value::Int(self.warehouse);
        for (parameter, order) in parameters[2..].iter_mut().zip(self.orders) {
            *parameter = Value::Int(order);
        }
        let (with_carrier, orders) = (&parameters, &parameters[1..]);
        exchange.write(DELETE_NEW_ORDERS, orders).await?;
        self.read_amounts(exchange, orders).await?;
        exchange.write(UPDATE_ORDERS, with_carrier).await?;
        exchange.write(UPDATE_LINES, orders).await?;
        for receiver in &self.receivers {
            let parameters = [
                Value::Text(&receiver.amount),
                Value::Int(self.warehouse),
                Value::Int(receiver.district),
                Value::Int(receiver.customer),
            ];
            exchange.write(UPDATE_CUSTOMER, &parameters).await?;
        }
        Ok(())
    }

    async fn read_amounts<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
        orders: &[Value<'_>],
    ) -> Result<(), SqlError> {
        let (receivers, text) = (&mut self.receivers, &mut self.text);
        receivers.clear();
        let mut sink = Each(|row: &dyn Row| {
            let (district, customer) = (int(row, 0)?, int(row, 1)?);
            let mut amount = String::new();
            put_cents(&mut amount, decimal(row, 2, 2, text)?);
            receivers.push(Receiver { district, customer, amount });
            Ok(())
        });
        exchange.execute(READ_AMOUNTS, orders, &mut sink).await?;
        // Others lock customers in the same order.
        self.receivers.sort_unstable_by_key(|receiver| receiver.district);
        let expected = DISTRICTS - self.skipped();
        if self.receivers.len() as u64 == expected {
            return Ok(());
        }
        Err(unexpected(format!(
            "of {expected} orders to be delivered in warehouse {}, {} have lines",
            self.warehouse,
            self.receivers.len()
        )))
    }
}
