//! The tables of go-tpc.

use super::columns::{PLAIN, tables};
use super::{IndexOf, Schema, Table};

pub(super) const SCHEMA: Schema = Schema {
    tables: &tables("new_order"),
    types: PLAIN,
    required: &[],
    indexes: &[
        IndexOf::on(Table::Customer, "idx_customer", &["c_w_id", "c_d_id", "c_last", "c_first"]),
        IndexOf::on(Table::Orders, "idx_order", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
        IndexOf::on(Table::History, "idx_h_w_id", &["h_w_id"]),
        IndexOf::on(Table::History, "idx_h_c_w_id", &["h_c_w_id"]),
    ],
};
