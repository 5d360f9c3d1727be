//! The stock of every item in every warehouse.

use contract::RowWriter;

use super::rows::{Rows, put_int};
use super::texts::Texts;
use crate::tpcc::scale::{DISTRICTS, ITEMS};

/// The rows of the stock.
pub(super) struct Stock {
    pub texts: Texts,
    pub wide: bool,
}

impl Rows for Stock {
    const COLUMNS: &'static [&'static str] = &[
        "s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04",
        "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd",
        "s_order_cnt", "s_remote_cnt", "s_data",
    ];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        put_int(row, number / ITEMS + 1);
        put_int(row, number % ITEMS + 1);
        put_int(row, self.texts.stream.between(10, 100));
        for _ in 0..DISTRICTS {
            row.text(self.texts.letters(24));
        }
        for _ in 0..3 {
            row.int(0);
        }
        let (shortest, longest) = if self.wide { (251, 500) } else { (26, 50) };
        row.text(self.texts.data(shortest, longest));
    }
}
