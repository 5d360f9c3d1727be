//! Payment, clause 2.5: a customer pays, at home or in another warehouse.

use contract::{Access, Connection, Ending, Row, SqlError, Value};

use super::customer::middle;
use super::{Who, Writing, put_cents};
use crate::exchange::{Each, Exchange, Read};
use crate::tpcc::reading::{decimal, int, missing};
use crate::tpcc::schema::Table;
use crate::tpcc::terminal::Terminal;

const UPDATE_WAREHOUSE: usize = 0;
const UPDATE_DISTRICT: usize = 1;
const READ_PLACE: usize = 2;
const READ_CUSTOMERS: usize = 3;
const LOCK_CUSTOMER: usize = 4;
const READ_DATA: usize = 5;
const UPDATE_CUSTOMER: usize = 6;
const UPDATE_CUSTOMER_AND_DATA: usize = 7;
const INSERT_HISTORY: usize = 8;

pub(super) fn statements(writing: Writing<'_>) -> Vec<String> {
    let name = |table| writing.name(table);
    let (warehouse, district) = (name(Table::Warehouse), name(Table::District));
    let customer = name(Table::Customer);
    let by_key = "c_w_id = ? AND c_d_id = ? AND c_id = ?";
    let amount = writing.decimal();
    let pay = format!(
        "UPDATE {customer} SET c_balance = c_balance - {amount}, \
         c_ytd_payment = c_ytd_payment + {amount}, c_payment_cnt = c_payment_cnt + 1"
    );
    vec![
        format!("UPDATE {warehouse} SET w_ytd = w_ytd + {amount} WHERE w_id = ?"),
        format!("UPDATE {district} SET d_ytd = d_ytd + {amount} WHERE d_w_id = ? AND d_id = ?"),
        format!(
            "SELECT w_name, d_name, w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, \
             d_street_2, d_city, d_state, d_zip FROM {warehouse}, {district} \
             WHERE w_id = ? AND d_w_id = w_id AND d_id = ?"
        ),
        format!(
            "SELECT c_id FROM {customer} WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
             ORDER BY c_first"
        ),
        format!(
            "SELECT c_credit, c_balance, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, \
             c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount FROM {customer} \
             WHERE {by_key}{}",
            writing.for_update()
        ),
        // Locked already; but without the word it would be read as it was when the transaction began
        // to read, and what another has written in front of it since would be lost.
        format!("SELECT c_data FROM {customer} WHERE {by_key}{}", writing.for_update()),
        format!("{pay} WHERE {by_key}"),
        format!("{pay}, c_data = ? WHERE {by_key}"),
        format!(
            "INSERT INTO {} (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
             VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?)",
            name(Table::History)
        ),
    ]
}

/// A Payment's input, and what is read for it.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct Payment {
    pub who: Who,
    pub is_remote: bool,
    pub amount_cents: i64,
    warehouse: i64,
    district: i64,
    customer_warehouse: i64,
    customer_district: i64,
    amount: String,
    customer: i64,
    has_bad_credit: bool,
    /// What a terminal shows at the end, in cents.
    balance: i64,
    place: String,
    data: String,
    ids: Vec<i64>,
    text: String,
}

impl Payment {
    /// Draws the input: clause 2.5.1.
    pub fn draw(&mut self, terminal: &mut Terminal) {
        self.warehouse = terminal.home();
        self.district = terminal.any_district();
        self.is_remote = terminal.warehouses > 1 && terminal.in_percent(15);
        (self.customer_warehouse, self.customer_district) = if self.is_remote {
            (terminal.other_warehouse(self.warehouse), terminal.any_district())
        } else {
            (self.warehouse, self.district)
        };
        terminal.put_customer(&mut self.who);
        self.amount_cents = terminal.stream.between(100, 500_000).cast_signed();
        put_cents(&mut self.amount, self.amount_cents);
    }

    /// Carries it out: clause 2.5.2. `data_characters` is what fits into the column `c_data`.
    pub async fn execute<C: Connection>(
        &mut self,
        mut exchange: Exchange<'_, C>,
        data_characters: usize,
    ) -> Result<Ending, SqlError> {
        exchange.begin(Access::ReadWrite).await?;
        self.pay_into_place(&mut exchange).await?;
        self.customer =
            if self.who.by_name { self.find_customer(&mut exchange).await? } else { self.who.id };
        self.lock_customer(&mut exchange).await?;
        self.update_customer(&mut exchange, data_characters).await?;
        self.insert_history(&mut exchange).await?;
        exchange.commit().await?;
        Ok(Ending::Committed)
    }

    async fn pay_into_place<C: Connection>(
        &self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let amount = Value::Text(&self.amount);
        let (warehouse, district) = (Value::Int(self.warehouse), Value::Int(self.district));
        exchange.write(UPDATE_WAREHOUSE, &[amount, warehouse]).await?;
        exchange.write(UPDATE_DISTRICT, &[amount, warehouse, district]).await
    }

    /// Reads where he pays, and which customers have his name.
    async fn find_customer<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<i64, SqlError> {
        let there = (self.customer_warehouse, self.customer_district);
        let name = [Value::Int(there.0), Value::Int(there.1), Value::Text(&self.who.last_name)];
        let ids = &mut self.ids;
        ids.clear();
        let take = |row: &dyn Row| {
            ids.push(int(row, 0)?);
            Ok(())
        };
        let here = (self.warehouse, self.district);
        read_place(exchange, here, &mut self.place, (READ_CUSTOMERS, &name), take).await?;
        let found = self.ids.get(middle(self.ids.len()).saturating_sub(1));
        found.copied().ok_or_else(|| self.who.missing(there))
    }

    fn key(&self) -> [Value<'static>; 3] {
        [self.customer_warehouse, self.customer_district, self.customer].map(Value::Int)
    }

    /// Locks the customer, and reads where he pays if that is not yet done.
    async fn lock_customer<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let key = self.key();
        let text = &mut self.text;
        let mut found = None;
        let take = |row: &dyn Row| {
            let balance = decimal(row, 1, 2, text)?;
            text.clear();
            row.text(0, text)?;
            found = Some((text == "BC", balance));
            Ok(())
        };
        if self.who.by_name {
            exchange.execute(LOCK_CUSTOMER, &key, &mut Each(take)).await?;
        } else {
            let here = (self.warehouse, self.district);
            read_place(exchange, here, &mut self.place, (LOCK_CUSTOMER, &key), take).await?;
        }
        let there = (self.customer_warehouse, self.customer_district);
        (self.has_bad_credit, self.balance) = found.ok_or_else(|| self.who.missing(there))?;
        Ok(())
    }

    async fn update_customer<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
        data_characters: usize,
    ) -> Result<(), SqlError> {
        let [warehouse, district, customer] = self.key();
        if !self.has_bad_credit {
            let amount = Value::Text(&self.amount);
            let parameters = [amount, amount, warehouse, district, customer];
            return exchange.write(UPDATE_CUSTOMER, &parameters).await;
        }
        self.prepend_to_data(exchange, data_characters).await?;
        let (amount, data) = (Value::Text(&self.amount), Value::Text(&self.data));
        let parameters = [amount, amount, data, warehouse, district, customer];
        exchange.write(UPDATE_CUSTOMER_AND_DATA, &parameters).await
    }

    /// What a customer with bad credit pays is written down in front of his data, which are cut.
    async fn prepend_to_data<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
        characters: usize,
    ) -> Result<(), SqlError> {
        use std::fmt::Write;
        let key = self.key();
        let data = &mut self.data;
        data.clear();
        // Writing to a String can't fail.
        let _ = write!(
            data,
            "{} {} {} {} {} {} ",
            self.customer,
            self.customer_district,
            self.customer_warehouse,
            self.district,
            self.warehouse,
            self.amount
        );
        let mut sink = Each(|row: &dyn Row| row.text(0, data).map(drop));
        exchange.execute(READ_DATA, &key, &mut sink).await?;
        if let Some((end, _)) = self.data.char_indices().nth(characters) {
            self.data.truncate(end);
        }
        Ok(())
    }

    async fn insert_history<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let [warehouse, district, customer] = self.key();
        let parameters = [
            customer,
            district,
            warehouse,
            Value::Int(self.district),
            Value::Int(self.warehouse),
            Value::Text(&self.amount),
            Value::Text(&self.place),
        ];
        exchange.write(INSERT_HISTORY, &parameters).await
    }
}

/// Reads where a customer pays, and with it something that needs nothing of that. `place` gets both
/// names with four blanks between them: the history's data.
async fn read_place<C: Connection>(
    exchange: &mut Exchange<'_, C>,
    (warehouse, district): (i64, i64),
    place: &mut String,
    other: Read<'_>,
    mut take: impl FnMut(&dyn Row) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    place.clear();
    let key = [warehouse, district].map(Value::Int);
    let take = |number: usize, row: &dyn Row| {
        if number > 0 {
            return take(row);
        }
        row.text(0, place)?;
        place.push_str("    ");
        row.text(1, place).map(drop)
    };
    exchange.read_all(&[(READ_PLACE, &key), other], take).await?;
    if !place.is_empty() {
        return Ok(());
    }
    Err(missing(&format!("district {district} in warehouse {warehouse}")))
}
