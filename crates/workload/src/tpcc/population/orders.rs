//! Orders, their lines, and which of them are not delivered yet.

use contract::RowWriter;
use random::Stream;

use super::POPULATED_AT;
use super::places::District;
use super::rows::{Amount, Rows, put_int};
use super::texts::Texts;
use crate::tpcc::mix::shuffle;
use crate::tpcc::scale::{CUSTOMERS, FIRST_NEW_ORDER, ITEMS};

/// The rows of the orders of one district: each customer has one, in a random order.
pub(super) struct Orders {
    stream: Stream,
    district: District,
    customers: Vec<u64>,
    sizes: Vec<u64>,
}

impl Orders {
    pub fn new(mut stream: Stream, district: District, seed: u64) -> Self {
        let mut customers: Vec<u64> = (1..=CUSTOMERS).collect();
        shuffle(&mut customers, &mut stream);
        Self { stream, district, customers, sizes: district.order_sizes(seed).collect() }
    }
}

impl Rows for Orders {
    const COLUMNS: &'static [&'static str] = &[
        "o_id", "o_d_id", "o_w_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt",
        "o_all_local",
    ];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        let place = number - self.district.0;
        let index = usize::try_from(place).unwrap_or(0);
        let order = place + 1;
        put_int(row, order);
        row.int(self.district.number());
        row.int(self.district.warehouse());
        put_int(row, self.customers[index]);
        row.text(POPULATED_AT);
        let carrier = self.stream.between(1, 10);
        if order < FIRST_NEW_ORDER {
            put_int(row, carrier);
        } else {
            row.null();
        }
        put_int(row, self.sizes[index]);
        row.int(1);
    }
}

/// The rows of the orders of one district that are not delivered yet.
pub(super) struct NewOrders {
    pub district: District,
}

impl Rows for NewOrders {
    const COLUMNS: &'static [&'static str] = &["no_o_id", "no_d_id", "no_w_id"];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        put_int(row, FIRST_NEW_ORDER + number - self.district.0);
        row.int(self.district.number());
        row.int(self.district.warehouse());
    }
}

/// The rows of the lines of all orders of one district.
pub(super) struct OrderLines {
    texts: Texts,
    district: District,
    sizes: std::vec::IntoIter<u64>,
    order: u64,
    line: u64,
    lines: u64,
}

impl OrderLines {
    pub fn new(texts: Texts, district: District, seed: u64) -> Self {
        let sizes = district.order_sizes(seed).collect::<Vec<u64>>().into_iter();
        Self { texts, district, sizes, order: 0, line: 0, lines: 0 }
    }
}

impl Rows for OrderLines {
    const COLUMNS: &'static [&'static str] = &[
        "ol_o_id", "ol_d_id", "ol_w_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d",
        "ol_quantity", "ol_amount", "ol_dist_info",
    ];

    fn write(&mut self, _: u64, row: &mut dyn RowWriter) {
        if self.line == self.lines {
            (self.order, self.line) = (self.order + 1, 0);
            self.lines = self.sizes.next().unwrap_or(u64::MAX);
        }
        self.line += 1;
        let stream = &mut self.texts.stream;
        put_int(row, self.order);
        row.int(self.district.number());
        row.int(self.district.warehouse());
        put_int(row, self.line);
        put_int(row, stream.between(1, ITEMS));
        row.int(self.district.warehouse());
        let amount = stream.between(1, 999_999);
        if self.order < FIRST_NEW_ORDER {
            row.text(POPULATED_AT);
            row.int(5);
            Amount::cents(0).write(row);
        } else {
            row.null();
            row.int(5);
            Amount::cents(amount).write(row);
        }
        row.text(self.texts.letters(24));
    }
}
