//! The tables of `BenchmarkSQL` 5.0. Its orders have no index by customer: an Order-Status reads
//! all orders of a district.

use super::columns::PLAIN;
use super::{IndexOf, Schema, Table, TableOf};

pub(super) const SCHEMA: Schema = Schema {
    tables: &[
        TableOf::named(Table::Config, "bmsql_config"),
        TableOf {
            columns: &["i_id", "i_name", "i_price", "i_data", "i_im_id"],
            ..TableOf::named(Table::Item, "bmsql_item")
        },
        TableOf {
            columns: &[
                "w_id", "w_ytd", "w_tax", "w_name", "w_street_1", "w_street_2", "w_city",
                "w_state", "w_zip",
            ],
            ..TableOf::named(Table::Warehouse, "bmsql_warehouse")
        },
        TableOf {
            columns: &[
                "d_w_id", "d_id", "d_ytd", "d_tax", "d_next_o_id", "d_name", "d_street_1",
                "d_street_2", "d_city", "d_state", "d_zip",
            ],
            ..TableOf::named(Table::District, "bmsql_district")
        },
        TableOf {
            columns: &[
                "s_w_id", "s_i_id", "s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt", "s_data",
                "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04", "s_dist_05", "s_dist_06",
                "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10",
            ],
            ..TableOf::named(Table::Stock, "bmsql_stock")
        },
        TableOf {
            columns: &[
                "c_w_id", "c_d_id", "c_id", "c_discount", "c_credit", "c_last", "c_first",
                "c_credit_lim", "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt",
                "c_street_1", "c_street_2", "c_city", "c_state", "c_zip", "c_phone", "c_since",
                "c_middle", "c_data",
            ],
            ..TableOf::named(Table::Customer, "bmsql_customer")
        },
        TableOf {
            columns: &[
                "hist_id", "h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date",
                "h_amount", "h_data",
            ],
            key: &["hist_id"],
            ..TableOf::named(Table::History, "bmsql_history")
        },
        TableOf {
            columns: &[
                "o_w_id", "o_d_id", "o_id", "o_c_id", "o_carrier_id", "o_ol_cnt", "o_all_local",
                "o_entry_d",
            ],
            ..TableOf::named(Table::Orders, "bmsql_oorder")
        },
        TableOf {
            columns: &["no_w_id", "no_d_id", "no_o_id"],
            ..TableOf::named(Table::NewOrder, "bmsql_new_order")
        },
        TableOf {
            columns: &[
                "ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_delivery_d",
                "ol_amount", "ol_supply_w_id", "ol_quantity", "ol_dist_info",
            ],
            ..TableOf::named(Table::OrderLine, "bmsql_order_line")
        },
    ],
    types: PLAIN,
    required: &["ol_i_id"],
    indexes: &[
        IndexOf::on(
            Table::Customer,
            "bmsql_customer_idx1",
            &["c_w_id", "c_d_id", "c_last", "c_first"],
        ),
        IndexOf {
            unique: true,
            ..IndexOf::on(
                Table::Orders,
                "bmsql_oorder_idx1",
                &["o_w_id", "o_d_id", "o_carrier_id", "o_id"],
            )
        },
    ],
};
