//! Parameters on the way to the server, and rows on the way back.

use crate::error::{ErrorClass, SqlError};

/// A statement's parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    #[default]
    Null,
    /// Any integer type.
    Int(i64),
    /// A double-precision float.
    Double(f64),
    /// Text, and exact decimals in text form.
    Text(&'a str),
}

/// One row of an answer, decoded only where it is looked at.
pub trait Row {
    /// How many columns there are.
    fn columns(&self) -> usize;
    /// An integer column; an error where the column is missing or not an integer.
    fn int(&self, column: usize) -> Result<Option<i64>, SqlError>;
    /// Any column in text form, written behind what `text` holds; false for NULL.
    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError>;
    /// A column's name, where the driver keeps it.
    fn name(&self, _column: usize) -> Option<&str> {
        None
    }
}

/// Takes the rows of an answer as they are walked.
pub trait RowSink {
    /// False where no row is ever looked at, so that a driver need not take rows apart.
    const READS: bool;
    /// Takes one row. The row lives in the loop's read buffer: copy what must outlast the call.
    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError>;
    /// Called before rows where several statements were sent together: the rows that follow are those
    /// of this one. The first that was queued is 0; BEGIN and COMMIT do not count. `PostgreSQL` says
    /// it too where one text has several statements, which are then counted as it answers them. It may
    /// be called more than once for a statement, and for one without rows.
    fn rows_of(&mut self, _statement: usize) {}
}

/// Counts rows, and looks at none.
pub struct Discard;

impl RowSink for Discard {
    const READS: bool = false;

    fn row(&mut self, _: &dyn Row) -> Result<(), SqlError> {
        Ok(())
    }
}

/// Copies every row as text: for administration, not for load.
#[derive(Default)]
pub struct Collect {
    /// The rows so far; None is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    bytes: usize,
}

/// The most that is kept of one answer, without what the memory for each field takes besides.
const MOST_COLLECTED_BYTES: usize = 256 * 1024 * 1024;

/// What a field takes besides its text.
const FIELD_BYTES: usize = size_of::<Option<String>>();

impl RowSink for Collect {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        let mut fields = Vec::with_capacity(row.columns());
        for column in 0..row.columns() {
            let mut text = String::new();
            let is_there = row.text(column, &mut text)?;
            self.bytes += text.len() + FIELD_BYTES;
            fields.push(is_there.then_some(text));
        }
        if self.bytes > MOST_COLLECTED_BYTES {
            self.rows = Vec::new();
            let message = "the answer is longer than 256 MiB, of which no more is kept";
            return Err(SqlError::driver(ErrorClass::ResourceExhausted, message));
        }
        self.rows.push(fields);
        Ok(())
    }
}

/// Adds up a hash of every row: equal for equal rows, in whatever order and by whomever they were
/// read. Blanks at the end of a text are left out, for some servers fill columns up with them.
#[derive(Clone, Debug, Default)]
pub struct HashRows {
    /// The sum so far.
    pub sum: u64,
    text: String,
}

/// The hash FNV-1a with 64 bits (Fowler, Noll, Vo): its start, and what each byte multiplies it by.
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// Bytes that occur in no text: they keep columns apart, and stand for NULL.
const END_OF_COLUMN: u8 = 0xfe;
const NULL: u8 = 0xff;

impl RowSink for HashRows {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        let mut hash = FNV_START;
        let mut mix = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        for column in 0..row.columns() {
            self.text.clear();
            if row.text(column, &mut self.text)? {
                self.text.trim_end_matches(' ').bytes().for_each(&mut mix);
            } else {
                mix(NULL);
            }
            mix(END_OF_COLUMN);
        }
        self.sum = self.sum.wrapping_add(hash);
        Ok(())
    }
}
