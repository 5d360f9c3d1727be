//! The tables of the specification, revision 5.11, clause 1.3, with the two indexes that its
//! transactions look for.

use super::columns::{PLAIN, Types, tables};
use super::{IndexOf, Schema, Table};

pub(super) const SCHEMA: Schema = Schema {
    tables: &tables("new_order"),
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
