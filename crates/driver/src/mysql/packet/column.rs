//! What a result set says of its columns: only as much as it takes to read their values.

use super::{Fields, Malformed};

/// A column's type on the wire. The numbers are the protocol's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One byte.
    Tiny,
    /// Two bytes, YEAR included.
    Short,
    /// Four bytes, MEDIUMINT included.
    Long,
    /// Eight bytes.
    LongLong,
    /// A single-precision float.
    Float,
    /// A double-precision float.
    Double,
    /// DATE.
    Date,
    /// DATETIME and TIMESTAMP.
    DateTime,
    /// TIME.
    Time,
    /// DECIMAL: a string of digits.
    Decimal,
    /// NULL and nothing else.
    Null,
    /// Anything that is sent as a string.
    Text,
}

/// One column of a result set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub kind: Kind,
    pub is_unsigned: bool,
    /// YEAR has four digits, whatever its value.
    pub is_year: bool,
    /// Digits behind the point; more than any type has where the value decides.
    pub decimals: u8,
}

const UNSIGNED_FLAG: u16 = 0x0020;
const YEAR_TYPE: u8 = 13;

impl Column {
    /// Takes a column definition apart.
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(payload);
        // Catalog, schema, table and its original name, name and its original.
        for _ in 0..6 {
            fields.string()?;
        }
        let mut fixed = Fields(fields.string()?);
        let _character_set = fixed.u16()?;
        let _display_length = fixed.u32()?;
        let type_number = fixed.u8()?;
        let flags = fixed.u16()?;
        Ok(Self {
            kind: kind(type_number),
            is_unsigned: flags & UNSIGNED_FLAG != 0,
            is_year: type_number == YEAR_TYPE,
            decimals: fixed.u8()?,
        })
    }
}

fn kind(type_number: u8) -> Kind {
    match type_number {
        1 => Kind::Tiny,
        2 | YEAR_TYPE => Kind::Short,
        3 | 9 => Kind::Long,
        8 => Kind::LongLong,
        4 => Kind::Float,
        5 => Kind::Double,
        6 => Kind::Null,
        7 | 12 => Kind::DateTime,
        10 => Kind::Date,
        11 => Kind::Time,
        0 | 246 => Kind::Decimal,
        _ => Kind::Text,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A definition as a server sends it.
    pub(crate) fn definition(type_number: u8, flags: u16, decimals: u8) -> Vec<u8> {
        let mut payload = Vec::new();
        for name in ["def", "db", "t", "t", "name", "name"] {
            payload.push(u8::try_from(name.len()).unwrap());
            payload.extend_from_slice(name.as_bytes());
        }
        payload.push(12);
        payload.extend_from_slice(&45_u16.to_le_bytes());
        payload.extend_from_slice(&120_u32.to_le_bytes());
        payload.push(type_number);
        payload.extend_from_slice(&flags.to_le_bytes());
        payload.extend_from_slice(&[decimals, 0, 0]);
        payload
    }

    #[test]
    fn a_definition_gives_type_sign_and_decimals() {
        let payload = definition(8, UNSIGNED_FLAG, 3);
        let column = Column::parse(&payload).unwrap();
        assert_eq!((column.kind, column.is_unsigned, column.decimals), (Kind::LongLong, true, 3));
        for end in 0..payload.len() {
            assert!(Column::parse(&payload[..end]).is_err());
        }
    }
}
