//! What the rows of all tables have in common.

use contract::RowWriter;

use super::texts::Texts;

/// Writes the rows of one table, each after the one before it.
pub(super) trait Rows {
    /// The columns, in the order in which they are written.
    const COLUMNS: &'static [&'static str];

    /// Writes row number `number`.
    fn write(&mut self, number: u64, row: &mut dyn RowWriter);
}

/// Draws taxes and discounts: numbers from 0 with so many digits behind the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub digits: u32,
}

impl Rate {
    /// A number from 0 to `most` hundredths.
    pub fn draw(self, texts: &mut Texts, most: u64) -> Amount {
        let fine = 10_u64.pow(self.digits - 2);
        Amount { units: texts.stream.between(0, most * fine), digits: self.digits }
    }
}

/// An exact decimal, to be written as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub units: u64,
    pub digits: u32,
}

impl Amount {
    /// Hundredths.
    pub fn cents(units: u64) -> Self {
        Self { units, digits: 2 }
    }

    pub fn write(self, row: &mut dyn RowWriter) {
        let one = 10_u64.pow(self.digits);
        let width = usize::try_from(self.digits).unwrap_or(0);
        row.text(&format!("{}.{:0width$}", self.units / one, self.units % one));
    }
}

/// Writes an integer.
pub(super) fn put_int(row: &mut dyn RowWriter, value: u64) {
    row.int(value.cast_signed());
}
