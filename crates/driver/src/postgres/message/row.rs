//! Rows in text form, in place: a field is decoded when it is asked for.

use contract::{ErrorClass, Row, SqlError};

use super::{Fields, Malformed};

/// One column of a result set: only as much as it takes to find and read its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    name: String,
    /// The number of its type in `pg_type`, which is fixed for the types that are built in.
    type_number: u32,
}

/// bigint, smallint, integer, oid, numeric: sums of integers are numerics without a point, which
/// count as integers where they fit.
const NUMBER_TYPES: [u32; 5] = [20, 21, 23, 26, 1700];

impl Column {
    /// The columns of a `RowDescription`, in the memory of those before them.
    pub fn parse_all(payload: &[u8], columns: &mut Vec<Self>) -> Result<(), Malformed> {
        let mut fields = Fields(payload);
        let count = usize::from(fields.u16()?);
        columns.truncate(count);
        for place in 0..count {
            let name = fields.string()?;
            let (_table, _number) = (fields.u32()?, fields.u16()?);
            let type_number = fields.u32()?;
            let (_size, _modifier, _format) = (fields.u16()?, fields.u32()?, fields.u16()?);
            // Memory is taken only for a column that is really there.
            if place == columns.len() {
                columns.push(Self::default());
            }
            let column = &mut columns[place];
            column.name.clear();
            column.name.push_str(&String::from_utf8_lossy(name));
            column.type_number = type_number;
        }
        Ok(())
    }
}

/// A row as it lies in its message.
pub(super) struct DataRow<'a> {
    pub payload: &'a [u8],
    pub columns: &'a [Column],
}

impl<'a> DataRow<'a> {
    fn field(&self, column: usize) -> Result<(&'a Column, Option<&'a [u8]>), SqlError> {
        let definition = self.columns.get(column).ok_or_else(|| {
            let columns = self.columns.len();
            let message = format!("the answer has {columns} columns; none has number {column}");
            SqlError::driver(ErrorClass::InvalidStatement, message)
        })?;
        let mut fields = Fields(self.payload);
        if usize::from(fields.u16()?) != self.columns.len() {
            return Err(Malformed("a row has another number of fields than columns").into());
        }
        for _ in 0..column {
            fields.value()?;
        }
        Ok((definition, fields.value()?))
    }
}

impl Row for DataRow<'_> {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        let (definition, field) = self.field(column)?;
        let Some(digits) = field else { return Ok(None) };
        let is_number = NUMBER_TYPES.contains(&definition.type_number);
        let digits = std::str::from_utf8(digits).ok().filter(|_| is_number);
        digits.and_then(|digits| digits.parse().ok()).map(Some).ok_or_else(|| {
            let message = format!("column {column} of the answer is not an integer of 64 bits");
            SqlError::driver(ErrorClass::InvalidStatement, message)
        })
    }

    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError> {
        let (_, field) = self.field(column)?;
        if let Some(bytes) = field {
            text.push_str(&String::from_utf8_lossy(bytes));
        }
        Ok(field.is_some())
    }

    fn name(&self, column: usize) -> Option<&str> {
        self.columns.get(column).map(|column| column.name.as_str())
    }
}
