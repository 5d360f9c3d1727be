//! Stock-Level, clause 2.8: how many of the items that were sold last are running out.

use contract::{Access, Connection, Ending, Row, SqlError, Value};

use super::Writing;
use crate::exchange::{Each, Exchange};
use crate::tpcc::reading::{int, missing};
use crate::tpcc::schema::Table;
use crate::tpcc::terminal::Terminal;

const READ_DISTRICT: usize = 0;
const COUNT_STOCK: usize = 1;

/// The orders that are looked at (clause 2.8.2.2).
const ORDERS: i64 = 20;

pub(super) fn statements(writing: Writing<'_>) -> Vec<String> {
    vec![
        format!(
            "SELECT d_next_o_id FROM {} WHERE d_w_id = ? AND d_id = ?",
            writing.name(Table::District)
        ),
        format!(
            "SELECT COUNT(DISTINCT s_i_id) FROM {}, {} WHERE ol_w_id = ? AND ol_d_id = ? \
             AND ol_o_id >= ? AND ol_o_id < ? AND s_w_id = ? AND s_i_id = ol_i_id \
             AND s_quantity < ?",
            writing.name(Table::OrderLine),
            writing.name(Table::Stock)
        ),
    ]
}

/// A Stock-Level's input.
#[derive(Debug, Default)]
pub(in crate::tpcc) struct StockLevel {
    warehouse: i64,
    district: i64,
    threshold: i64,
    /// What a terminal shows.
    low_stock: i64,
}

impl StockLevel {
    /// Draws the input: clause 2.8.1.
    pub fn draw(&mut self, terminal: &mut Terminal) {
        self.warehouse = terminal.home();
        self.district = terminal.own_district();
        self.threshold = terminal.stream.between(10, 20).cast_signed();
    }

    /// Carries it out: clause 2.8.2.
    pub async fn execute<C: Connection>(
        &mut self,
        mut exchange: Exchange<'_, C>,
    ) -> Result<Ending, SqlError> {
        exchange.begin(Access::ReadOnly).await?;
        let district = [self.warehouse, self.district].map(Value::Int);
        let next =
            read_number(&mut exchange, READ_DISTRICT, &district).await?.ok_or_else(|| {
                missing(&format!("district {} in warehouse {}", self.district, self.warehouse))
            })?;
        let parameters =
            [self.warehouse, self.district, next - ORDERS, next, self.warehouse, self.threshold];
        let parameters = parameters.map(Value::Int);
        let low_stock = read_number(&mut exchange, COUNT_STOCK, &parameters).await?;
        self.low_stock = low_stock.unwrap_or(0);
        exchange.commit().await?;
        Ok(Ending::Committed)
    }
}

async fn read_number<C: Connection>(
    exchange: &mut Exchange<'_, C>,
    statement: usize,
    parameters: &[Value<'_>],
) -> Result<Option<i64>, SqlError> {
    let mut number = None;
    let mut sink = Each(|row: &dyn Row| {
        number = Some(int(row, 0)?);
        Ok(())
    });
    exchange.execute(statement, parameters, &mut sink).await?;
    Ok(number)
}
