//! Customers, and the payment that each of them has made.

use contract::RowWriter;
use random::NuRand;

use super::POPULATED_AT;
use super::fixed::put_address;
use super::places::District;
use super::rows::{Amount, Rate, Rows, put_int};
use super::texts::Texts;
use crate::tpcc::constants::last_names;
use crate::tpcc::scale::CUSTOMERS;

/// Customers whose last names are all that there are, one after another; the others' are drawn.
const ONE_OF_EACH_NAME: u64 = 1000;

/// The rows of the customers of one district.
pub(super) struct Customers {
    texts: Texts,
    district: District,
    discount: Rate,
    last_names: NuRand,
    wide: bool,
}

impl Customers {
    pub fn new(texts: Texts, district: District, discount: Rate, c_last: u64, wide: bool) -> Self {
        Self { texts, district, discount, last_names: last_names(c_last), wide }
    }
}

impl Rows for Customers {
    const COLUMNS: &'static [&'static str] = &[
        "c_id", "c_d_id", "c_w_id", "c_first", "c_middle", "c_last", "c_street_1", "c_street_2",
        "c_city", "c_state", "c_zip", "c_phone", "c_since", "c_credit", "c_credit_lim",
        "c_discount", "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data",
    ];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        let texts = &mut self.texts;
        let place = number - self.district.0;
        put_int(row, place + 1);
        row.int(self.district.number());
        row.int(self.district.warehouse());
        row.text(texts.any(8, 16));
        row.text("OE");
        let name = match place {
            0..ONE_OF_EACH_NAME => place,
            _ => self.last_names.draw(&mut texts.stream),
        };
        row.text(texts.last_name(name));
        put_address(texts, row);
        row.text(texts.digits(16));
        row.text(POPULATED_AT);
        row.text(if texts.stream.below(10) == 0 { "BC" } else { "GC" });
        row.int(50_000);
        self.discount.draw(texts, 50).write(row);
        row.int(-10);
        row.int(10);
        row.int(1);
        row.int(0);
        let (shortest, longest) = if self.wide { (500, 1000) } else { (300, 500) };
        row.text(texts.any(shortest, longest));
    }
}

/// The rows of history of one district: one for each customer.
pub(super) struct Histories {
    pub texts: Texts,
    pub district: District,
}

impl Rows for Histories {
    const COLUMNS: &'static [&'static str] =
        &["h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data"];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        let place = number - self.district.0;
        debug_assert!(place < CUSTOMERS);
        put_int(row, place + 1);
        for _ in 0..2 {
            row.int(self.district.number());
            row.int(self.district.warehouse());
        }
        row.text(POPULATED_AT);
        Amount::cents(1000).write(row);
        row.text(self.texts.any(12, 24));
    }
}
