//! Order-Status, clause 2.6: what became of a customer's last order.

use contract::{Access, Connection, Ending, Row, SqlError, Value};

use super::customer::middle;
use super::{Who, Writing};
use crate::exchange::{Each, Exchange};
use crate::tpcc::reading::{decimal, int};
use crate::tpcc::schema::Table;
use crate::tpcc::terminal::Terminal;

const READ_CUSTOMERS: usize = 0;
const READ_CUSTOMER: usize = 1;
const READ_ORDER: usize = 2;
const READ_LINES: usize = 3;

pub(super) fn statements(writing: Writing<'_>) -> Vec<String> {
    let customer = writing.name(Table::Customer);
    let columns = "c_id, c_balance, c_first, c_middle, c_last";
    vec![
        format!(
            "SELECT {columns} FROM {customer} WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
             ORDER BY c_first"
        ),
        format!("SELECT {columns} FROM {customer} WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"),
        format!(
            "SELECT o_id, o_carrier_id, o_entry_d FROM {} WHERE o_w_id = ? AND o_d_id = ? \
             AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
            writing.name(Table::Orders)
        ),
        format!(
            "SELECT ol_i_id, ol_amount, ol_supply_w_id, ol_quantity, ol_delivery_d FROM {} \
             WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            writing.name(Table::OrderLine)
        ),
    ]
}

/// An Order-Status's input, and what is read for it.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct OrderStatus {
    pub who: Who,
    warehouse: i64,
    district: i64,
    customers: Vec<(i64, i64)>,
    /// What a terminal shows: the customer's balance and the amounts of the lines, in cents.
    balance: i64,
    amounts: Vec<i64>,
    text: String,
}

impl OrderStatus {
    /// Draws the input: clause 2.6.1.
    pub fn draw(&mut self, terminal: &mut Terminal) {
        self.warehouse = terminal.home();
        self.district = terminal.any_district();
        terminal.put_customer(&mut self.who);
    }

    /// Carries it out: clause 2.6.2.
    pub async fn execute<C: Connection>(
        &mut self,
        mut exchange: Exchange<'_, C>,
    ) -> Result<Ending, SqlError> {
        exchange.begin(Access::ReadOnly).await?;
        let customer = self.find_customer(&mut exchange).await?;
        if let Some(order) = self.find_order(&mut exchange, customer).await? {
            self.read_lines(&mut exchange, order).await?;
        }
        exchange.commit().await?;
        Ok(Ending::Committed)
    }

    async fn find_customer<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<i64, SqlError> {
        let (customers, text) = (&mut self.customers, &mut self.text);
        customers.clear();
        let mut sink = Each(|row: &dyn Row| {
            customers.push((int(row, 0)?, decimal(row, 1, 2, text)?));
            Ok(())
        });
        let (warehouse, district) = (self.warehouse, self.district);
        let (statement, who) = if self.who.by_name {
            (READ_CUSTOMERS, Value::Text(&self.who.last_name))
        } else {
            (READ_CUSTOMER, Value::Int(self.who.id))
        };
        let key = [Value::Int(warehouse), Value::Int(district), who];
        exchange.execute(statement, &key, &mut sink).await?;
        let found = self.customers.get(middle(self.customers.len()).saturating_sub(1));
        let &(customer, balance) = found.ok_or_else(|| self.who.missing((warehouse, district)))?;
        self.balance = balance;
        Ok(customer)
    }

    /// His newest order; a customer has one from the start, unless another tool has loaded the data.
    async fn find_order<C: Connection>(
        &self,
        exchange: &mut Exchange<'_, C>,
        customer: i64,
    ) -> Result<Option<i64>, SqlError> {
        let mut order = None;
        let mut sink = Each(|row: &dyn Row| {
            order = Some(int(row, 0)?);
            Ok(())
        });
        let key = [self.warehouse, self.district, customer].map(Value::Int);
        exchange.execute(READ_ORDER, &key, &mut sink).await?;
        Ok(order)
    }

    async fn read_lines<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
        order: i64,
    ) -> Result<(), SqlError> {
        let (amounts, text) = (&mut self.amounts, &mut self.text);
        amounts.clear();
        let mut sink = Each(|row: &dyn Row| {
            amounts.push(decimal(row, 1, 2, text)?);
            Ok(())
        });
        let key = [self.warehouse, self.district, order].map(Value::Int);
        exchange.execute(READ_LINES, &key, &mut sink).await?;
        Ok(())
    }
}
