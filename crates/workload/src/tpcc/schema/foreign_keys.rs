//! The foreign keys, the same in all schemas: those that follow from clause 1.3.

use super::Table;

/// Rows of `child` refer by these columns to the primary key of `parent`.
#[derive(Clone, Copy, Debug)]
pub(in crate::tpcc) struct ForeignKey {
    pub name: &'static str,
    pub child: Table,
    pub columns: &'static [&'static str],
    pub parent: Table,
}

impl ForeignKey {
    const fn new(
        name: &'static str,
        child: Table,
        columns: &'static [&'static str],
        parent: Table,
    ) -> Self {
        Self { name, child, columns, parent }
    }
}

pub(in crate::tpcc) const FOREIGN_KEYS: [ForeignKey; 10] = [
    ForeignKey::new("d_warehouse_fkey", Table::District, &["d_w_id"], Table::Warehouse),
    ForeignKey::new("c_district_fkey", Table::Customer, &["c_w_id", "c_d_id"], Table::District),
    ForeignKey::new(
        "h_customer_fkey",
        Table::History,
        &["h_c_w_id", "h_c_d_id", "h_c_id"],
        Table::Customer,
    ),
    ForeignKey::new("h_district_fkey", Table::History, &["h_w_id", "h_d_id"], Table::District),
    ForeignKey::new(
        "no_order_fkey",
        Table::NewOrder,
        &["no_w_id", "no_d_id", "no_o_id"],
        Table::Orders,
    ),
    ForeignKey::new(
        "o_customer_fkey",
        Table::Orders,
        &["o_w_id", "o_d_id", "o_c_id"],
        Table::Customer,
    ),
    ForeignKey::new(
        "ol_order_fkey",
        Table::OrderLine,
        &["ol_w_id", "ol_d_id", "ol_o_id"],
        Table::Orders,
    ),
    ForeignKey::new(
        "ol_stock_fkey",
        Table::OrderLine,
        &["ol_supply_w_id", "ol_i_id"],
        Table::Stock,
    ),
    ForeignKey::new("s_warehouse_fkey", Table::Stock, &["s_w_id"], Table::Warehouse),
    ForeignKey::new("s_item_fkey", Table::Stock, &["s_i_id"], Table::Item),
];
