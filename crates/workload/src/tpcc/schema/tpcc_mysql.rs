//! The tables of tpcc-mysql. Its small integers end at 32,767 warehouses, and its taxes have two
//! digits behind the point.

use super::columns::{Types, tables};
use super::{IndexOf, Schema, Table};

pub(super) const TYPES: Types = Types {
    warehouse: "SMALLINT",
    small: "TINYINT",
    quantity: "SMALLINT",
    sold: "DECIMAL(8,0)",
    count: "SMALLINT",
    rate: "DECIMAL(4,2)",
    credit_limit: "BIGINT",
    instant: "DATETIME",
    customer_data: "TEXT",
};

pub(super) const SCHEMA: Schema = Schema {
    tables: &tables("new_orders"),
    types: TYPES,
    required: &[],
    indexes: &[
        IndexOf::on(Table::Customer, "idx_customer", &["c_w_id", "c_d_id", "c_last", "c_first"]),
        IndexOf::on(Table::Orders, "idx_orders", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
        IndexOf::on(Table::Stock, "fkey_stock_2", &["s_i_id"]),
        IndexOf::on(Table::OrderLine, "fkey_order_line_2", &["ol_supply_w_id", "ol_i_id"]),
    ],
};
