//! The foreign keys, the same in all schemas: those that follow from clause 1.3.

use super::Table;

/// Rows of `child` refer to rows of `parent`.
#[derive(Clone, Copy, Debug)]
pub(in crate::tpcc) struct ForeignKey {
    pub name: &'static str,
    pub child: Table,
    pub columns: &'static [&'static str],
    pub parent: Table,
    pub parent_columns: &'static [&'static str],
}

pub(in crate::tpcc) const FOREIGN_KEYS: [ForeignKey; 10] = [
    ForeignKey {
        name: "d_warehouse_fkey",
        child: Table::District,
        columns: &["d_w_id"],
        parent: Table::Warehouse,
        parent_columns: &["w_id"],
    },
    ForeignKey {
        name: "c_district_fkey",
        child: Table::Customer,
        columns: &["c_w_id", "c_d_id"],
        parent: Table::District,
        parent_columns: &["d_w_id", "d_id"],
    },
    ForeignKey {
        name: "h_customer_fkey",
        child: Table::History,
        columns: &["h_c_w_id", "h_c_d_id", "h_c_id"],
        parent: Table::Customer,
        parent_columns: &["c_w_id", "c_d_id", "c_id"],
    },
    ForeignKey {
        name: "h_district_fkey",
        child: Table::History,
        columns: &["h_w_id", "h_d_id"],
        parent: Table::District,
        parent_columns: &["d_w_id", "d_id"],
    },
    ForeignKey {
        name: "no_order_fkey",
        child: Table::NewOrder,
        columns: &["no_w_id", "no_d_id", "no_o_id"],
        parent: Table::Orders,
        parent_columns: &["o_w_id", "o_d_id", "o_id"],
    },
    ForeignKey {
        name: "o_customer_fkey",
        child: Table::Orders,
        columns: &["o_w_id", "o_d_id", "o_c_id"],
        parent: Table::Customer,
        parent_columns: &["c_w_id", "c_d_id", "c_id"],
    },
    ForeignKey {
        name: "ol_order_fkey",
        child: Table::OrderLine,
        columns: &["ol_w_id", "ol_d_id", "ol_o_id"],
        parent: Table::Orders,
        parent_columns: &["o_w_id", "o_d_id", "o_id"],
    },
    ForeignKey {
        name: "ol_stock_fkey",
        child: Table::OrderLine,
        columns: &["ol_supply_w_id", "ol_i_id"],
        parent: Table::Stock,
        parent_columns: &["s_w_id", "s_i_id"],
    },
    ForeignKey {
        name: "s_warehouse_fkey",
        child: Table::Stock,
        columns: &["s_w_id"],
        parent: Table::Warehouse,
        parent_columns: &["w_id"],
    },
    ForeignKey {
        name: "s_item_fkey",
        child: Table::Stock,
        columns: &["s_i_id"],
        parent: Table::Item,
        parent_columns: &["i_id"],
    },
];
