//! New-Order, clause 2.4: an order of five to fifteen lines.

use contract::{Access, Connection, Ending, Probe, Row, SqlError, Value};

use super::customer::missing_customer;
use super::{Writing, put_cents, to_int};
use crate::exchange::{Exchange, Read};
use crate::tpcc::population::ORIGINAL;
use crate::tpcc::reading::{decimal, int, missing};
use crate::tpcc::scale::{FEWEST_LINES, ITEMS, MOST_LINES};
use crate::tpcc::schema::Table;
use crate::tpcc::terminal::Terminal;

const READ_CUSTOMER: usize = 0;
const LOCK_DISTRICT: usize = 1;
const UPDATE_DISTRICT: usize = 2;
const INSERT_ORDER: usize = 3;
const INSERT_NEW_ORDER: usize = 4;
const READ_ITEMS: usize = 5;
const LOCK_STOCK: usize = 6;
const LOCK_REMOTE_STOCK: usize = 7;
const UPDATE_STOCK: usize = 8;
/// The first of those that insert lines, for one line less than the smallest order has: the last
/// line of an order that is rolled back is not inserted.
const INSERT_LINES: usize = 9;
const FEWEST_INSERTED: usize = FEWEST_LINES - 1;

/// The column of a stock's row that has the text for the first district.
const FIRST_DIST_INFO: usize = 3;

pub(super) fn statements(writing: Writing<'_>) -> Vec<String> {
    let name = |table| writing.name(table);
    let (district, stock) = (name(Table::District), name(Table::Stock));
    let for_update = writing.for_update();
    let places = vec!["?"; MOST_LINES].join(", ");
    // All ten, as other tools read them: a layer in front of the database that counts parameters by
    // its own parser may not know CASE.
    let dist_info: Vec<String> = (1..=10).map(|number| format!("s_dist_{number:02}")).collect();
    let of_stock =
        format!("SELECT s_i_id, s_quantity, s_data, {} FROM {stock}", dist_info.join(", "));
    let mut statements = vec![
        format!(
            "SELECT c_discount, w_tax, c_last, c_credit FROM {}, {} \
             WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
            name(Table::Customer),
            name(Table::Warehouse)
        ),
        format!(
            "SELECT d_next_o_id, d_tax FROM {district} WHERE d_w_id = ? AND d_id = ?{for_update}"
        ),
        format!(
            "UPDATE {district} SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?"
        ),
        format!(
            "INSERT INTO {} (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
             VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?)",
            name(Table::Orders)
        ),
        format!(
            "INSERT INTO {} (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
            name(Table::NewOrder)
        ),
        format!(
            "SELECT i_id, i_price, i_data, i_name FROM {} WHERE i_id IN ({places})",
            name(Table::Item)
        ),
        format!("{of_stock} WHERE s_w_id = ? AND s_i_id IN ({places}){for_update}"),
        format!("{of_stock} WHERE s_w_id = ? AND s_i_id = ?{for_update}"),
        format!(
            "UPDATE {stock} SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
             s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?"
        ),
    ];
    statements.extend((FEWEST_INSERTED..=MOST_LINES).map(|lines| {
        format!(
            "INSERT INTO {} (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, \
             ol_quantity, ol_amount, ol_dist_info) VALUES {}",
            name(Table::OrderLine),
            vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?)"; lines].join(", ")
        )
    }));
    statements
}

/// Items are the same in all tables, whoever loaded them. New-Order's statements are the first of all.
pub(super) fn probes() -> Vec<Probe> {
    let probe = |item: i64| Probe {
        statement: READ_ITEMS,
        parameters: vec![item; MOST_LINES],
        first_column: item,
    };
    (1..=4).map(probe).collect()
}

/// A New-Order's input, and what is read for it.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct NewOrder {
    pub lines: Vec<Line>,
    pub rolls_back: bool,
    warehouse: i64,
    district: i64,
    customer: i64,
    order: i64,
    stocks: Vec<Stock>,
    text: String,
    /// What a terminal shows at the end, in cents.
    total: i64,
}

/// One line of an order.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct Line {
    pub supply_warehouse: i64,
    pub is_remote: bool,
    item: i64,
    quantity: i64,
    price_cents: Option<i64>,
    is_original: bool,
    stock_left: i64,
    amount: String,
    /// B where item and stock are original, else G.
    brand: char,
}

/// The stock of an item in a warehouse, as it is while the order is worked on.
#[derive(Debug, Default)]
struct Stock {
    warehouse: i64,
    item: i64,
    quantity: i64,
    is_original: bool,
    dist_info: String,
}

/// One read of stock: its statement, its parameters, and the warehouse whose stock it reads.
struct StockRead {
    statement: usize,
    warehouse: i64,
    parameters: Vec<Value<'static>>,
}

impl Stock {
    /// Takes a row of the stock of a warehouse, with the text that it has for a district.
    fn read(
        (warehouse, district): (i64, i64),
        row: &dyn Row,
        text: &mut String,
    ) -> Result<Self, SqlError> {
        let mut dist_info = String::with_capacity(24);
        let number = usize::try_from(district).unwrap_or(1);
        row.text(FIRST_DIST_INFO + number - 1, &mut dist_info)?;
        Ok(Self {
            warehouse,
            item: int(row, 0)?,
            quantity: int(row, 1)?,
            is_original: reads_original(row, text)?,
            dist_info,
        })
    }
}

impl NewOrder {
    /// Draws the input: clause 2.4.1.
    pub fn draw(&mut self, terminal: &mut Terminal, rollback_percent: f64) {
        self.warehouse = terminal.home();
        self.district = terminal.any_district();
        self.customer = terminal.customer();
        let lines = terminal.stream.between(FEWEST_LINES as u64, MOST_LINES as u64);
        self.lines.resize_with(usize::try_from(lines).unwrap_or(MOST_LINES), Line::default);
        for line in &mut self.lines {
            line.item = terminal.item();
            line.is_remote = terminal.warehouses > 1 && terminal.in_percent(1);
            line.supply_warehouse = if line.is_remote {
                terminal.other_warehouse(self.warehouse)
            } else {
                self.warehouse
            };
            line.quantity = terminal.stream.between(1, 10).cast_signed();
        }
        self.rolls_back = terminal.stream.unit() * 100.0 < rollback_percent;
        if self.rolls_back
            && let Some(last) = self.lines.last_mut()
        {
            // A number that no item has.
            last.item = ITEMS.cast_signed() + 1;
        }
    }

    /// Which order it has become: warehouse, district, number.
    pub fn key(&self) -> (i64, i64, i64) {
        (self.warehouse, self.district, self.order)
    }

    /// Carries it out: clause 2.4.2.
    pub async fn execute<C: Connection>(
        &mut self,
        mut exchange: Exchange<'_, C>,
    ) -> Result<Ending, SqlError> {
        exchange.begin(Access::ReadWrite).await?;
        let order = self.read_inputs(&mut exchange).await?;
        self.order = order.id;
        self.insert_order(&mut exchange).await?;
        self.lock_stocks(&mut exchange).await?;
        self.take_from_stocks()?;
        self.update_stocks(&mut exchange).await?;
        self.insert_lines(&mut exchange).await?;
        if self.rolls_back {
            exchange.rollback().await?;
            return Ok(Ending::RolledBack);
        }
        self.total = order.total(self.lines.iter().map(Line::amount_cents).sum());
        exchange.commit().await?;
        Ok(Ending::Committed)
    }

    /// Reads what an order is calculated with: the customer's discount and the warehouse's tax, the
    /// items, and last, for others wait for it, the district.
    async fn read_inputs<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<Order, SqlError> {
        let customer = [self.warehouse, self.district, self.customer].map(Value::Int);
        let items = filled_up(self.lines.iter().map(|line| line.item));
        for line in &mut self.lines {
            line.price_cents = None;
        }
        let (lines, text) = (&mut self.lines, &mut self.text);
        let (mut rates, mut numbers) = (None, None);
        let take = |read: usize, row: &dyn Row| {
            match read {
                0 => rates = Some((decimal(row, 0, 4, text)?, decimal(row, 1, 4, text)?)),
                1 => take_item(lines, row, text)?,
                _ => numbers = Some((int(row, 0)?, decimal(row, 1, 4, text)?)),
            }
            Ok(())
        };
        let reads: [Read<'_>; 3] =
            [(READ_CUSTOMER, &customer), (READ_ITEMS, &items), (LOCK_DISTRICT, &customer[..2])];
        exchange.read_all(&reads, take).await?;
        let (discount, warehouse_tax) = rates
            .ok_or_else(|| missing_customer(&self.customer, (self.warehouse, self.district)))?;
        let (id, district_tax) = numbers.ok_or_else(|| {
            missing(&format!("district {} in warehouse {}", self.district, self.warehouse))
        })?;
        let there_should_be = self.lines.len() - usize::from(self.rolls_back);
        match self.lines[..there_should_be].iter().find(|line| line.price_cents.is_none()) {
            Some(line) => Err(missing(&format!("item {}", line.item))),
            None => Ok(Order { id, discount, tax: warehouse_tax + district_tax }),
        }
    }

    async fn insert_order<C: Connection>(
        &self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let [warehouse, district, customer, order] =
            [self.warehouse, self.district, self.customer, self.order].map(Value::Int);
        exchange.write(UPDATE_DISTRICT, &[warehouse, district]).await?;
        let is_local = self.lines.iter().all(|line| !line.is_remote);
        let lines = Value::Int(to_int(self.lines.len()));
        let parameters = [order, district, warehouse, customer, lines, Value::Int(is_local.into())];
        exchange.write(INSERT_ORDER, &parameters).await?;
        exchange.write(INSERT_NEW_ORDER, &[order, district, warehouse]).await
    }

    /// Locks the stock of all lines whose item there is: those at home in one go, in the order of
    /// their numbers, in which others lock them too.
    async fn lock_stocks<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let wanted = self.stock_reads();
        let reads: Vec<Read<'_>> =
            wanted.iter().map(|one| (one.statement, one.parameters.as_slice())).collect();
        let (stocks, text, district) = (&mut self.stocks, &mut self.text, self.district);
        stocks.clear();
        let take = |read: usize, row: &dyn Row| {
            stocks.push(Stock::read((wanted[read].warehouse, district), row, text)?);
            Ok(())
        };
        exchange.read_all(&reads, take).await
    }

    /// All lines at home are one read, and each of the others is one.
    fn stock_reads(&self) -> Vec<StockRead> {
        let warehouse = self.warehouse;
        let known = self.lines.iter().filter(|line| line.price_cents.is_some());
        let (remote, local): (Vec<_>, Vec<_>) = known.partition(|line| line.is_remote);
        let mut reads = Vec::with_capacity(1 + remote.len());
        if !local.is_empty() {
            let mut parameters = vec![Value::Int(warehouse)];
            parameters.extend(filled_up(local.iter().map(|line| line.item)));
            reads.push(StockRead { statement: LOCK_STOCK, warehouse, parameters });
        }
        reads.extend(remote.iter().map(|line| {
            let warehouse = line.supply_warehouse;
            let parameters = vec![Value::Int(warehouse), Value::Int(line.item)];
            StockRead { statement: LOCK_REMOTE_STOCK, warehouse, parameters }
        }));
        reads
    }

    /// Calculates all that is written of the lines, before any of it is: what is missing is found
    /// before statements wait to be sent.
    fn take_from_stocks(&mut self) -> Result<(), SqlError> {
        for line in &mut self.lines {
            let Some(price) = line.price_cents else { continue };
            let (item, supply) = (line.item, line.supply_warehouse);
            // An item may stand in an order twice: the second line finds what the first has left.
            let is_it = |stock: &&mut Stock| stock.item == item && stock.warehouse == supply;
            let Some(stock) = self.stocks.iter_mut().find(is_it) else {
                return Err(missing(&format!("stock of item {item} in warehouse {supply}")));
            };
            stock.quantity = quantity_left(stock.quantity, line.quantity);
            line.brand = if line.is_original && stock.is_original { 'B' } else { 'G' };
            put_cents(&mut line.amount, price * line.quantity);
            line.stock_left = stock.quantity;
        }
        Ok(())
    }

    async fn update_stocks<C: Connection>(
        &self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        for line in self.lines.iter().filter(|line| line.price_cents.is_some()) {
            let parameters = [
                Value::Int(line.stock_left),
                Value::Int(line.quantity),
                Value::Int(line.is_remote.into()),
                Value::Int(line.supply_warehouse),
                Value::Int(line.item),
            ];
            exchange.write(UPDATE_STOCK, &parameters).await?;
        }
        Ok(())
    }

    async fn insert_lines<C: Connection>(
        &mut self,
        exchange: &mut Exchange<'_, C>,
    ) -> Result<(), SqlError> {
        let mut parameters = [Value::Null; 9 * MOST_LINES];
        let known = self.lines.iter().enumerate().filter(|(_, line)| line.price_cents.is_some());
        let mut count = 0;
        for ((number, line), row) in known.zip(parameters.chunks_exact_mut(9)) {
            let dist_info = self
                .stocks
                .iter()
                .find(|stock| stock.item == line.item && stock.warehouse == line.supply_warehouse)
                .map_or("", |stock| stock.dist_info.as_str());
            row.copy_from_slice(&[
                Value::Int(self.order),
                Value::Int(self.district),
                Value::Int(self.warehouse),
                Value::Int(to_int(number) + 1),
                Value::Int(line.item),
                Value::Int(line.supply_warehouse),
                Value::Int(line.quantity),
                Value::Text(&line.amount),
                Value::Text(dist_info),
            ]);
            count += 1;
        }
        exchange.write(INSERT_LINES + count - FEWEST_INSERTED, &parameters[..9 * count]).await
    }
}

/// What an order's total is calculated with: rates in ten-thousandths.
struct Order {
    id: i64,
    discount: i64,
    tax: i64,
}

impl Order {
    /// The sum of the lines, less the discount, with the taxes: clause 2.4.2.2, in cents.
    fn total(&self, lines_cents: i64) -> i64 {
        const ONE: i64 = 10_000;
        lines_cents * (ONE - self.discount) * (ONE + self.tax) / (ONE * ONE)
    }
}

impl Line {
    fn amount_cents(&self) -> i64 {
        self.price_cents.unwrap_or(0) * self.quantity
    }
}

/// The stock after so much was taken: what falls below ten is filled up by 91 (clause 2.4.2.2).
fn quantity_left(stock: i64, taken: i64) -> i64 {
    if stock >= taken + 10 { stock - taken } else { stock + 91 - taken }
}

/// As many parameters as a statement takes that is the same for all orders: the last of the numbers
/// stands for those that are missing, for a list with the same number twice finds one row.
fn filled_up(numbers: impl Iterator<Item = i64>) -> [Value<'static>; MOST_LINES] {
    let mut parameters = [Value::Null; MOST_LINES];
    let mut last = Value::Null;
    let mut numbers = numbers;
    for parameter in &mut parameters {
        last = numbers.next().map_or(last, Value::Int);
        *parameter = last;
    }
    parameters
}

/// Whether column 2 has ORIGINAL in it.
fn reads_original(row: &dyn Row, text: &mut String) -> Result<bool, SqlError> {
    text.clear();
    row.text(2, text)?;
    Ok(text.contains(ORIGINAL))
}

/// Takes the price of an item for all lines that order it.
fn take_item(lines: &mut [Line], row: &dyn Row, text: &mut String) -> Result<(), SqlError> {
    let item = int(row, 0)?;
    let price = decimal(row, 1, 2, text)?;
    let is_original = reads_original(row, text)?;
    for line in lines.iter_mut().filter(|line| line.item == item) {
        (line.price_cents, line.is_original) = (Some(price), is_original);
    }
    Ok(())
}
