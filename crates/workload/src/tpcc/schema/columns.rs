//! The columns and keys of clause 1.3, which all schemas have, and the types in which the schemas
//! differ.

use super::{Table, TableOf};

/// The types that tools choose for the same columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    /// The number of a warehouse.
    pub warehouse: &'static str,
    /// What stays below 128: districts, carriers, lines of an order and their quantities.
    pub small: &'static str,
    /// How much of an item is in stock.
    pub quantity: &'static str,
    /// How much of an item was sold.
    pub sold: &'static str,
    /// How often something was done.
    pub count: &'static str,
    /// Taxes and discounts.
    pub rate: &'static str,
    pub credit_limit: &'static str,
    pub instant: &'static str,
    /// `c_data`.
    pub customer_data: &'static str,
}

/// The types of a tool that has only one kind of integer.
pub(super) const PLAIN: Types = Types {
    warehouse: "INTEGER",
    small: "INTEGER",
    quantity: "INTEGER",
    sold: "INTEGER",
    count: "INTEGER",
    rate: "DECIMAL(4,4)",
    credit_limit: "DECIMAL(12,2)",
    instant: "TIMESTAMP",
    customer_data: "VARCHAR(500)",
};

impl Types {
    /// The type of a column.
    pub fn of(&self, column: &str) -> &'static str {
        match column {
            "w_id" | "d_w_id" | "s_w_id" | "c_w_id" | "h_w_id" | "h_c_w_id" | "o_w_id"
            | "no_w_id" | "ol_w_id" | "ol_supply_w_id" => self.warehouse,
            "d_id" | "c_d_id" | "h_d_id" | "h_c_d_id" | "o_d_id" | "o_carrier_id" | "o_ol_cnt"
            | "o_all_local" | "no_d_id" | "ol_d_id" | "ol_number" | "ol_quantity" => self.small,
            "i_id" | "i_im_id" | "d_next_o_id" | "s_i_id" | "c_id" | "h_c_id" | "o_id"
            | "o_c_id" | "no_o_id" | "ol_o_id" | "ol_i_id" => "INTEGER",
            "s_quantity" => self.quantity,
            "s_ytd" => self.sold,
            "s_order_cnt" | "s_remote_cnt" | "c_payment_cnt" | "c_delivery_cnt" => self.count,
            "w_tax" | "d_tax" | "c_discount" => self.rate,
            "c_credit_lim" => self.credit_limit,
            "c_since" | "h_date" | "o_entry_d" | "ol_delivery_d" => self.instant,
            "w_ytd" | "d_ytd" | "c_balance" | "c_ytd_payment" => "DECIMAL(12,2)",
            "h_amount" | "ol_amount" => "DECIMAL(6,2)",
            "i_price" => "DECIMAL(5,2)",
            "i_name" | "h_data" => "VARCHAR(24)",
            "i_data" | "s_data" | "cfg_value" => "VARCHAR(50)",
            "c_data" => self.customer_data,
            "w_name" | "d_name" => "VARCHAR(10)",
            "c_first" | "c_last" => "VARCHAR(16)",
            "c_middle" | "c_credit" => "CHAR(2)",
            "c_phone" => "CHAR(16)",
            "ol_dist_info" => "CHAR(24)",
            "cfg_name" => "VARCHAR(30)",
            "hist_id" => "SELF-NUMBERING",
            _ => part_of_address_or_stock(column),
        }
    }
}

/// The type of a column that several tables have under a letter of their own, or one table has for
/// each district.
fn part_of_address_or_stock(column: &str) -> &'static str {
    match column.get(2..) {
        Some("street_1" | "street_2" | "city") => "VARCHAR(20)",
        Some("state") => "CHAR(2)",
        Some("zip") => "CHAR(9)",
        Some(rest) if rest.starts_with("dist_") => "CHAR(24)",
        _ => unreachable!("no table has a column {column}"),
    }
}

impl TableOf {
    /// The table under this name, with the columns in the order of clause 1.3.
    pub const fn named(table: Table, name: &'static str) -> Self {
        Self { table, name, columns: columns(table), key: key(table) }
    }
}

/// The tables of tools that keep the specification's names, but for that of the new orders.
pub(super) const fn tables(new_orders: &'static str) -> [TableOf; 9] {
    [
        TableOf::named(Table::Item, "item"),
        TableOf::named(Table::Warehouse, "warehouse"),
        TableOf::named(Table::District, "district"),
        TableOf::named(Table::Stock, "stock"),
        TableOf::named(Table::Customer, "customer"),
        TableOf::named(Table::History, "history"),
        TableOf::named(Table::Orders, "orders"),
        TableOf::named(Table::NewOrder, new_orders),
        TableOf::named(Table::OrderLine, "order_line"),
    ]
}

/// The columns of a table in the order of clause 1.3.
const fn columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::Config => &["cfg_name", "cfg_value"],
        Table::Item => &["i_id", "i_im_id", "i_name", "i_price", "i_data"],
        Table::Warehouse => &[
            "w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax",
            "w_ytd",
        ],
        Table::District => &[
            "d_id", "d_w_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip",
            "d_tax", "d_ytd", "d_next_o_id",
        ],
        Table::Stock => &[
            "s_i_id", "s_w_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04",
            "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd",
            "s_order_cnt", "s_remote_cnt", "s_data",
        ],
        Table::Customer => &[
            "c_id", "c_d_id", "c_w_id", "c_first", "c_middle", "c_last", "c_street_1",
            "c_street_2", "c_city", "c_state", "c_zip", "c_phone", "c_since", "c_credit",
            "c_credit_lim", "c_discount", "c_balance", "c_ytd_payment", "c_payment_cnt",
            "c_delivery_cnt", "c_data",
        ],
        Table::History => {
            &["h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data"]
        }
        Table::Orders => &[
            "o_id", "o_d_id", "o_w_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt",
            "o_all_local",
        ],
        Table::NewOrder => &["no_o_id", "no_d_id", "no_w_id"],
        Table::OrderLine => &[
            "ol_o_id", "ol_d_id", "ol_w_id", "ol_number", "ol_i_id", "ol_supply_w_id",
            "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info",
        ],
    }
}

/// The primary key of a table; clause 1.3 gives none to the history.
const fn key(table: Table) -> &'static [&'static str] {
    match table {
        Table::Config => &["cfg_name"],
        Table::Item => &["i_id"],
        Table::Warehouse => &["w_id"],
        Table::District => &["d_w_id", "d_id"],
        Table::Stock => &["s_w_id", "s_i_id"],
        Table::Customer => &["c_w_id", "c_d_id", "c_id"],
        Table::History => &[],
        Table::Orders => &["o_w_id", "o_d_id", "o_id"],
        Table::NewOrder => &["no_w_id", "no_d_id", "no_o_id"],
        Table::OrderLine => &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"],
    }
}
