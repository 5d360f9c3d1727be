//! Items, warehouses and districts; and the configuration that `BenchmarkSQL` keeps.

use contract::RowWriter;

use super::places::{CONFIG_ROWS, District};
use super::rows::{Amount, Rate, Rows, put_int};
use super::texts::Texts;
use crate::tpcc::options::TpccOptions;
use crate::tpcc::scale::CUSTOMERS;

/// The rows of `bmsql_config`: what `BenchmarkSQL` writes down of a load.
pub(super) struct Config {
    values: [(&'static str, u64); CONFIG_ROWS],
}

impl Config {
    pub fn new(options: &TpccOptions) -> Self {
        // The last two have no bearing on a load, in which customers and items are not drawn so.
        Self {
            values: [
                ("warehouses", options.warehouses),
                ("nURandCLast", options.c_last_load),
                ("nURandCC_ID", 0),
                ("nURandCI_ID", 0),
            ],
        }
    }
}

impl Rows for Config {
    const COLUMNS: &'static [&'static str] = &["cfg_name", "cfg_value"];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        let (name, value) = self.values[usize::try_from(number).unwrap_or(0)];
        row.text(name);
        row.text(&value.to_string());
    }
}

/// The rows of the items.
pub(super) struct Items {
    pub texts: Texts,
    pub wide: bool,
}

impl Rows for Items {
    const COLUMNS: &'static [&'static str] = &["i_id", "i_im_id", "i_name", "i_price", "i_data"];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        put_int(row, number + 1);
        put_int(row, self.texts.stream.between(1, 10_000));
        row.text(self.texts.any(14, 24));
        Amount::cents(self.texts.stream.between(100, 10_000)).write(row);
        let (shortest, longest) = if self.wide { (251, 500) } else { (26, 50) };
        row.text(self.texts.data(shortest, longest));
    }
}

/// The rows of the warehouses.
pub(super) struct Warehouses {
    pub texts: Texts,
    pub tax: Rate,
}

impl Rows for Warehouses {
    const COLUMNS: &'static [&'static str] = &[
        "w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax",
        "w_ytd",
    ];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        put_int(row, number + 1);
        row.text(self.texts.any(6, 10));
        put_address(&mut self.texts, row);
        self.tax.draw(&mut self.texts, 20).write(row);
        Amount::cents(30_000_000).write(row);
    }
}

/// The rows of the districts.
pub(super) struct Districts {
    pub texts: Texts,
    pub tax: Rate,
}

impl Rows for Districts {
    const COLUMNS: &'static [&'static str] = &[
        "d_id", "d_w_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip",
        "d_tax", "d_ytd", "d_next_o_id",
    ];

    fn write(&mut self, number: u64, row: &mut dyn RowWriter) {
        let district = District(number);
        row.int(district.number());
        row.int(district.warehouse());
        row.text(self.texts.any(6, 10));
        put_address(&mut self.texts, row);
        self.tax.draw(&mut self.texts, 20).write(row);
        Amount::cents(3_000_000).write(row);
        put_int(row, CUSTOMERS + 1);
    }
}

/// Two streets, city, state and zip code.
pub(super) fn put_address(texts: &mut Texts, row: &mut dyn RowWriter) {
    for _ in 0..3 {
        row.text(texts.any(10, 20));
    }
    row.text(texts.state());
    row.text(texts.zip());
}
