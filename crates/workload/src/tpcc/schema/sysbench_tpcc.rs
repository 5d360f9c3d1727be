//! The tables of sysbench-tpcc: tpcc-mysql's, with a number behind each name. It may have many sets
//! of them; this is the first, and the only one where it was not asked for more.

use super::{IndexOf, Schema, Table, TableOf, tpcc_mysql};

pub(super) const SCHEMA: Schema = Schema {
    tables: &[
        TableOf::named(Table::Item, "item1"),
        TableOf::named(Table::Warehouse, "warehouse1"),
        TableOf::named(Table::District, "district1"),
        TableOf::named(Table::Stock, "stock1"),
        TableOf::named(Table::Customer, "customer1"),
        TableOf::named(Table::History, "history1"),
        TableOf::named(Table::Orders, "orders1"),
        TableOf::named(Table::NewOrder, "new_orders1"),
        TableOf::named(Table::OrderLine, "order_line1"),
    ],
    types: tpcc_mysql::TYPES,
    required: &[],
    indexes: &[
        IndexOf::on(Table::Customer, "idx_customer1", &["c_w_id", "c_d_id", "c_last", "c_first"]),
        IndexOf::on(Table::Orders, "idx_orders1", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
        IndexOf::on(Table::Stock, "fkey_stock_21", &["s_i_id"]),
        IndexOf::on(Table::OrderLine, "fkey_order_line_21", &["ol_supply_w_id", "ol_i_id"]),
        IndexOf::on(Table::History, "fkey_history_11", &["h_c_w_id", "h_c_d_id", "h_c_id"]),
        IndexOf::on(Table::History, "fkey_history_21", &["h_w_id", "h_d_id"]),
    ],
};
