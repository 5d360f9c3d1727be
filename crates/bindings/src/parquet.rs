//! How large the table in a Parquet file is once it is decompressed, by the file's own headers.
//!
//! Polars does not say it, and allocates what the header of a page says. What is read here is Thrift's
//! compact protocol: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>,
//! with the fields of <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

const MAGIC: &[u8] = b"PAR1";
const DEEPEST: u32 = 16;

/// The kinds of values in Thrift's compact protocol.
mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const STRUCT: u8 = 12;
}

/// The numbers of the fields that are asked for.
mod field {
    pub const FILE_ROWS: i64 = 3;
    pub const ROW_GROUPS: i64 = 4;
    pub const COLUMNS: i64 = 1;
    pub const GROUP_ROWS: i64 = 3;
    pub const META_DATA: i64 = 3;
    pub const PATH: i64 = 3;
    pub const COMPRESSED_BYTES: i64 = 7;
    pub const DATA_PAGE: i64 = 9;
    pub const DICTIONARY_PAGE: i64 = 11;
    pub const PAGE_UNCOMPRESSED_BYTES: i64 = 2;
    pub const PAGE_COMPRESSED_BYTES: i64 = 3;
}

/// Why headers cannot be read.
type Damage = &'static str;

const UNREADABLE: Damage = "its headers cannot be read";

/// Returns the rows of a Parquet file, and the decompressed bytes of each of its columns; `ValueError`
/// where it is damaged.
#[pyfunction]
pub fn parquet_size(content: &[u8]) -> PyResult<(u64, BTreeMap<String, u64>)> {
    size(content).map_err(PyValueError::new_err)
}

fn size(content: &[u8]) -> Result<(u64, BTreeMap<String, u64>), Damage> {
    let (rest, magic) = content.split_last_chunk::<4>().ok_or(UNREADABLE)?;
    if magic != MAGIC {
        return Err("it does not end as a Parquet file does");
    }
    let (body, length) = rest.split_last_chunk::<4>().ok_or(UNREADABLE)?;
    let length = u32::from_le_bytes(*length) as usize;
    let begin = body.len().checked_sub(length).ok_or("a header is outside of it")?;
    let footer = Reader { content, place: begin }.structure(0)?;
    let mut group_rows = 0_u64;
    let mut columns = BTreeMap::new();
    for group in footer.list(field::ROW_GROUPS)? {
        let group = group.fields()?;
        group_rows = group_rows.saturating_add(group.number(field::GROUP_ROWS)?);
        for column in group.list(field::COLUMNS)? {
            let described = column.fields()?.get(field::META_DATA)?.fields()?;
            let total = columns.entry(described.path()?).or_insert(0_u64);
            *total = total.saturating_add(pages_bytes(content, described)?);
        }
    }
    Ok((group_rows.max(footer.number(field::FILE_ROWS)?), columns))
}

/// The bytes of all pages of a column; each says its own before it is decompressed.
fn pages_bytes(content: &[u8], described: &Fields<'_>) -> Result<u64, Damage> {
    let data = described.number(field::DATA_PAGE)?;
    // Some writers say 0 where a column has no dictionary.
    let has_dictionary = described.get(field::DICTIONARY_PAGE).is_ok();
    let dictionary = if has_dictionary { described.number(field::DICTIONARY_PAGE)? } else { 0 };
    let first = if dictionary == 0 { data } else { data.min(dictionary) };
    let end = first.checked_add(described.number(field::COMPRESSED_BYTES)?).ok_or(UNREADABLE)?;
    let mut reader = Reader { content, place: usize::try_from(first).map_err(|_| UNREADABLE)? };
    let mut total = 0_u64;
    while (reader.place as u64) < end {
        let page = reader.structure(0)?;
        total = total.saturating_add(page.number(field::PAGE_UNCOMPRESSED_BYTES)?);
        reader.take(page.number(field::PAGE_COMPRESSED_BYTES)?)?;
    }
    Ok(total)
}

/// What a field holds, as far as it is asked for. Lists have no numbers: a file may be full of them.
enum Value<'a> {
    Number(i64),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Fields(Fields<'a>),
    Other,
}

impl<'a> Value<'a> {
    fn fields(&self) -> Result<&Fields<'a>, Damage> {
        if let Self::Fields(fields) = self { Ok(fields) } else { Err(UNREADABLE) }
    }
}

/// The fields of a structure by their numbers.
struct Fields<'a>(Vec<(i64, Value<'a>)>);

impl<'a> Fields<'a> {
    fn get(&self, number: i64) -> Result<&Value<'a>, Damage> {
        let found = self.0.iter().rev().find(|(known, _)| *known == number);
        found.map(|(_, value)| value).ok_or(UNREADABLE)
    }

    /// A number that is not below zero.
    fn number(&self, number: i64) -> Result<u64, Damage> {
        let Value::Number(found) = self.get(number)? else { return Err(UNREADABLE) };
        u64::try_from(*found).map_err(|_| "a page has less than no bytes")
    }

    fn list(&self, number: i64) -> Result<&[Value<'a>], Damage> {
        if let Value::List(values) = self.get(number)? { Ok(values) } else { Err(UNREADABLE) }
    }

    fn path(&self) -> Result<String, Damage> {
        let part = |value: &Value<'_>| match value {
            Value::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
            _ => Err(UNREADABLE),
        };
        let parts: Vec<String> =
            self.list(field::PATH)?.iter().map(part).collect::<Result<_, _>>()?;
        Ok(parts.join("."))
    }
}

/// Reads one value after another; every one takes at least a byte, and so it comes to an end.
struct Reader<'a> {
    content: &'a [u8],
    place: usize,
}

impl<'a> Reader<'a> {
    fn structure(&mut self, depth: u32) -> Result<Fields<'a>, Damage> {
        if depth > DEEPEST {
            return Err("its headers are nested too deep");
        }
        let mut fields = Vec::new();
        let mut number = 0_i64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(Fields(fields));
            }
            let step = i64::from(header >> 4);
            number = if step == 0 { self.signed()? } else { number.saturating_add(step) };
            fields.push((number, self.value(header & 15, depth)?));
        }
    }

    fn value(&mut self, kind: u8, depth: u32) -> Result<Value<'a>, Damage> {
        match kind {
            kind::TRUE | kind::FALSE => Ok(Value::Other),
            kind::BYTE => self.take(1).map(|_| Value::Other),
            kind::I16..=kind::I64 => self.signed().map(Value::Number),
            kind::DOUBLE => self.take(8).map(|_| Value::Other),
            kind::BINARY => {
                let length = self.unsigned()?;
                self.take(length).map(Value::Bytes)
            }
            kind::LIST | kind::SET => self.list(depth).map(Value::List),
            kind::STRUCT => self.structure(depth + 1).map(Value::Fields),
            _ => Err("its headers have a value of a kind that Parquet has not"),
        }
    }

    fn list(&mut self, depth: u32) -> Result<Vec<Value<'a>>, Damage> {
        if depth > DEEPEST {
            return Err("its headers are nested too deep");
        }
        let header = self.byte()?;
        let size = if header >> 4 == 15 { self.unsigned()? } else { u64::from(header >> 4) };
        let mut values = Vec::new();
        for _ in 0..size {
            match header & 15 {
                // A truth of a list has a byte of its own.
                kind::TRUE | kind::FALSE => drop(self.byte()?),
                kind => match self.value(kind, depth + 1)? {
                    Value::Number(_) | Value::Other => {}
                    value => values.push(value),
                },
            }
        }
        Ok(values)
    }

    fn byte(&mut self) -> Result<u8, Damage> {
        let byte = *self.content.get(self.place).ok_or("a header is outside of it")?;
        self.place += 1;
        Ok(byte)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Damage> {
        let length = usize::try_from(length).map_err(|_| UNREADABLE)?;
        let end = self.place.checked_add(length).ok_or(UNREADABLE)?;
        let taken = self.content.get(self.place..end).ok_or("a value is longer than it")?;
        self.place = end;
        Ok(taken)
    }

    fn unsigned(&mut self) -> Result<u64, Damage> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte & 128 == 0 {
                return Ok(value);
            }
        }
        Err("a number is too long")
    }

    fn signed(&mut self) -> Result<i64, Damage> {
        let value = self.unsigned()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}
