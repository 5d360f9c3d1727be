//! The tables of the specification, revision 5.11, clause 1.3, with the two indexes that its
//! transactions look for.

use super::columns::{PLAIN, Types};
use super::{IndexOf, Schema, Table, TableOf};

pub(super) const SCHEMA: Schema = Schema {
    tables: &[
        TableOf::named(Table::Item, "item"),
        TableOf::named(Table::Warehouse, "warehouse"),
        TableOf::named(Table::District, "district"),
        TableOf::named(Table::Stock, "stock"),
        TableOf::named(Table::Customer, "customer"),
        TableOf::named(Table::History, "history"),
        TableOf::named(Table::Orders, "orders"),
        TableOf::named(Table::NewOrder, "new_order"),
        TableOf::named(Table::OrderLine, "order_line"),
    ],
    types: Types { small: "SMALLINT", quantity: "SMALLINT", instant: "DATETIME", ..PLAIN },
    required: &[],
    indexes: &[
        IndexOf::on(
            Table::Customer,
            "customer_by_name",
            &["c_w_id", "c_d_id", "c_last", "c_first"],
        ),
        IndexOf::on(Table::Orders, "orders_by_customer", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
    ],
};
