//! Rows of both protocols, in place: a field is decoded when it is asked for.

use std::fmt::Write;

use contract::{ErrorClass, Row, SqlError};

use super::column::{Column, Kind};
use super::{Fields, Malformed, temporal};

/// A row of the text protocol: every field is a string.
pub(super) struct TextRow<'a> {
    pub payload: &'a [u8],
    pub columns: &'a [Column],
}

/// A row of the binary protocol: a map of the NULLs, then the other fields, each by its type.
pub(super) struct BinaryRow<'a> {
    pub payload: &'a [u8],
    pub columns: &'a [Column],
}

impl TextRow<'_> {
    fn field(&self, column: usize) -> Result<(Column, Option<&[u8]>), SqlError> {
        let definition = definition(self.columns, column)?;
        let mut fields = Fields(self.payload);
        for _ in 0..column {
            fields.nullable_string()?;
        }
        Ok((definition, fields.nullable_string()?))
    }
}

impl Row for TextRow<'_> {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        let (definition, field) = self.field(column)?;
        field.map(|digits| parse_int(column, definition, digits)).transpose()
    }

    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError> {
        let (_, field) = self.field(column)?;
        Ok(push(field, text))
    }
}

/// The map of the NULLs has two bits that belong to no column, behind the packet's first byte.
const NULL_MAP_OFFSET: usize = 2;

impl<'a> BinaryRow<'a> {
    /// The bytes of a field, without the length before it.
    fn field(&self, column: usize) -> Result<(Column, Option<&'a [u8]>), SqlError> {
        let definition = definition(self.columns, column)?;
        let mut fields = Fields(self.payload);
        fields.u8()?;
        let nulls = fields.bytes((self.columns.len() + NULL_MAP_OFFSET).div_ceil(8))?;
        for (index, earlier) in self.columns[..column].iter().enumerate() {
            if !is_null(nulls, index) {
                take(&mut fields, earlier.kind)?;
            }
        }
        if is_null(nulls, column) {
            return Ok((definition, None));
        }
        Ok((definition, Some(take(&mut fields, definition.kind)?)))
    }
}

fn is_null(nulls: &[u8], column: usize) -> bool {
    let bit = column + NULL_MAP_OFFSET;
    nulls[bit / 8] & (1 << (bit % 8)) != 0
}

fn take<'a>(fields: &mut Fields<'a>, kind: Kind) -> Result<&'a [u8], Malformed> {
    match kind {
        Kind::Null => Ok(&[]),
        Kind::Tiny => fields.bytes(1),
        Kind::Short => fields.bytes(2),
        Kind::Long | Kind::Float => fields.bytes(4),
        Kind::LongLong | Kind::Double => fields.bytes(8),
        // Dates and times have one byte for their length, which reads like a short string's.
        Kind::Date | Kind::DateTime | Kind::Time | Kind::Decimal | Kind::Text => fields.string(),
    }
}

impl Row for BinaryRow<'_> {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        let (definition, field) = self.field(column)?;
        let Some(bytes) = field else { return Ok(None) };
        if definition.kind == Kind::Decimal {
            return parse_int(column, definition, bytes).map(Some);
        }
        let value = integer(definition, bytes).ok_or_else(|| not_an_integer(column))?;
        i64::try_from(value).map(Some).map_err(|_| not_an_integer(column))
    }

    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError> {
        let (definition, field) = self.field(column)?;
        let Some(bytes) = field else { return Ok(false) };
        if let Some(value) = integer(definition, bytes) {
            let width = if definition.is_year { 4 } else { 0 };
            let _ = write!(text, "{value:0width$}");
            return Ok(true);
        }
        match definition.kind {
            Kind::Float => {
                let _ = write!(text, "{}", f32::from_le_bytes(Fields(bytes).array()?));
            }
            Kind::Double => {
                let _ = write!(text, "{}", f64::from_le_bytes(Fields(bytes).array()?));
            }
            Kind::Date | Kind::DateTime | Kind::Time => {
                temporal::write(definition, bytes, text)?;
            }
            _ => return Ok(push(Some(bytes), text)),
        }
        Ok(true)
    }
}

/// The value of an integer column, whatever its width; None for other columns.
fn integer(definition: Column, bytes: &[u8]) -> Option<i128> {
    if !matches!(definition.kind, Kind::Tiny | Kind::Short | Kind::Long | Kind::LongLong) {
        return None;
    }
    let is_negative = !definition.is_unsigned && bytes.last()? & 0x80 != 0;
    let mut wide = [if is_negative { 0xff } else { 0 }; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i128::from_le_bytes(wide))
}

fn definition(columns: &[Column], column: usize) -> Result<Column, SqlError> {
    columns.get(column).copied().ok_or_else(|| {
        let message = format!("the answer has {} columns; none has number {column}", columns.len());
        SqlError::driver(ErrorClass::InvalidStatement, message)
    })
}

/// Sums of integers are decimals without a point; they count as integers where they fit.
fn parse_int(column: usize, definition: Column, digits: &[u8]) -> Result<i64, SqlError> {
    let is_number = matches!(
        definition.kind,
        Kind::Tiny | Kind::Short | Kind::Long | Kind::LongLong | Kind::Decimal
    );
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number);
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| not_an_integer(column))
}

fn not_an_integer(column: usize) -> SqlError {
    let message = format!("column {column} of the answer is not an integer of 64 bits");
    SqlError::driver(ErrorClass::InvalidStatement, message)
}

/// Strings that are not UTF-8 (BLOB, BIT) are shown as far as they can be.
fn push(field: Option<&[u8]>, text: &mut String) -> bool {
    if let Some(bytes) = field {
        text.push_str(&String::from_utf8_lossy(bytes));
    }
    field.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind) -> Column {
        Column { kind, is_unsigned: false, is_year: false, decimals: 0 }
    }

    fn texts(row: &dyn Row) -> Vec<Option<String>> {
        (0..row.columns())
            .map(|column| {
                let mut text = String::new();
                row.text(column, &mut text).unwrap().then_some(text)
            })
            .collect()
    }

    #[test]
    fn both_protocols_give_the_same_values() {
        let mut unsigned = column(Kind::LongLong);
        unsigned.is_unsigned = true;
        let columns = [
            column(Kind::Tiny),
            column(Kind::Text),
            column(Kind::Decimal),
            column(Kind::Text),
            unsigned,
            column(Kind::Double),
        ];
        let text = TextRow {
            payload: b"\x02-1\xfb\x0412.5\x02hi\x1418446744073709551615\x030.5",
            columns: &columns,
        };
        let mut payload = b"\0\x08\xff\x0412.5\x02hi".to_vec();
        payload.extend([0xff; 8]);
        payload.extend(0.5_f64.to_le_bytes());
        let binary = BinaryRow { payload: &payload, columns: &columns };
        let expected =
            ["-1", "", "12.5", "hi", "18446744073709551615", "0.5"].map(|s| Some(s.to_owned()));
        for row in [&text as &dyn Row, &binary] {
            let texts = texts(row);
            assert_eq!(texts[1], None);
            assert_eq!((&texts[0], &texts[2..]), (&expected[0], &expected[2..]));
            assert_eq!(row.int(0).unwrap(), Some(-1));
            assert_eq!(row.int(1).unwrap(), None);
            for not_an_integer in [2, 3, 4, 5, 6] {
                assert!(row.int(not_an_integer).is_err(), "column {not_an_integer}");
            }
        }
    }

    #[test]
    fn integers_of_all_widths_keep_their_sign() {
        for (kind, bytes, signed, unsigned) in [
            (Kind::Tiny, &[0xfe_u8][..], -2, "254"),
            (Kind::Short, &[0xfe, 0xff], -2, "65534"),
            (Kind::Long, &[0xfe, 0xff, 0xff, 0xff], -2, "4294967294"),
        ] {
            let payload = [&[0, 0], bytes].concat();
            let mut columns = [column(kind)];
            assert_eq!(
                BinaryRow { payload: &payload, columns: &columns }.int(0).unwrap(),
                Some(signed)
            );
            columns[0].is_unsigned = true;
            let row = BinaryRow { payload: &payload, columns: &columns };
            assert_eq!(texts(&row), [Some(unsigned.to_owned())]);
        }
    }

    #[test]
    fn a_row_that_ends_too_early_is_an_error() {
        let columns = [column(Kind::Long), column(Kind::Text)];
        let payload = b"\0\0\x01\0\0\0\x02hi";
        for end in 0..payload.len() {
            let row = BinaryRow { payload: &payload[..end], columns: &columns };
            assert!(row.text(1, &mut String::new()).is_err(), "{end} bytes");
        }
    }
}
