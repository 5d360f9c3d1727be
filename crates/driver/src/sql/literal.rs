//! Values written into a statement's text.

use std::io::Write;

use contract::{ErrorClass, SqlError, Value};

/// What a backslash in a string means to the session (`NO_BACKSLASH_ESCAPES` of `MySQL`,
/// `standard_conforming_strings` of `PostgreSQL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backslash {
    /// The next character means something else.
    Escapes,
    /// Nothing but itself.
    Literal,
}

/// Appends a value.
pub(super) fn put(
    buffer: &mut Vec<u8>,
    value: &Value<'_>,
    backslash: Backslash,
) -> Result<(), SqlError> {
    match value {
        Value::Null => buffer.extend_from_slice(b"NULL"),
        Value::Int(value) => {
            put_number(buffer, value.is_negative(), |buffer| put_int(buffer, *value));
        }
        // The exponent tells the server that it is a float and not a decimal.
        Value::Double(value) if value.is_finite() => {
            put_number(buffer, value.is_sign_negative(), |buffer| {
                // Writing to memory does not fail.
                let _ = write!(buffer, "{value:e}");
            });
        }
        Value::Double(value) => {
            let message = format!("the parameter {value} has no form in SQL");
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        Value::Text(text) => put_text(buffer, text, backslash),
    }
    Ok(())
}

/// A negative number is put in parentheses: `5-?` must not become the comment `5--1`, and the sign
/// belongs to the number before anything behind it does, as in `?::smallint`.
fn put_number(buffer: &mut Vec<u8>, is_negative: bool, write: impl FnOnce(&mut Vec<u8>)) {
    if is_negative {
        buffer.push(b'(');
        write(buffer);
        buffer.push(b')');
    } else {
        write(buffer);
    }
}

/// Appends an integer.
#[inline]
pub(crate) fn put_int(buffer: &mut Vec<u8>, value: i64) {
    buffer.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a string in quotes.
pub(crate) fn put_text(buffer: &mut Vec<u8>, text: &str, backslash: Backslash) {
    buffer.push(b'\'');
    let mut rest = text.as_bytes();
    while let Some(position) = rest.iter().position(|byte| escape(*byte, backslash).is_some()) {
        buffer.extend_from_slice(&rest[..position]);
        buffer.extend(escape(rest[position], backslash).unwrap_or_default());
        rest = &rest[position + 1..];
    }
    buffer.extend_from_slice(rest);
    buffer.push(b'\'');
}

fn escape(byte: u8, backslash: Backslash) -> Option<[u8; 2]> {
    match byte {
        b'\'' => Some(*b"''"),
        b'\\' if backslash == Backslash::Escapes => Some(*b"\\\\"),
        0 if backslash == Backslash::Escapes => Some(*b"\\0"),
        _ => None,
    }
}

/// What stands around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    /// As `MySQL` has it in every mode.
    Backtick,
    /// As the standard has it.
    Double,
}

/// Appends a name in quotes.
pub(crate) fn put_name(buffer: &mut Vec<u8>, name: &str, quote: Quote) {
    let quote = match quote {
        Quote::Backtick => b'`',
        Quote::Double => b'"',
    };
    buffer.push(quote);
    for byte in name.bytes() {
        if byte == quote {
            buffer.push(quote);
        }
        buffer.push(byte);
    }
    buffer.push(quote);
}

/// Appends a list of columns in parentheses.
pub(crate) fn put_columns(sql: &mut Vec<u8>, columns: &[&str], quote: Quote) {
    for (index, column) in columns.iter().enumerate() {
        sql.push(if index == 0 { b'(' } else { b',' });
        put_name(sql, column, quote);
    }
    sql.push(b')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: &Value<'_>, backslash: Backslash) -> String {
        let mut buffer = Vec::new();
        put(&mut buffer, value, backslash).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn nothing_in_a_text_can_end_it() {
        let text = Value::Text("a'b\\'; DROP \"π\"\n");
        assert_eq!(literal(&text, Backslash::Escapes), "'a''b\\\\''; DROP \"π\"\n'");
        assert_eq!(literal(&text, Backslash::Literal), "'a''b\\''; DROP \"π\"\n'");
        assert_eq!(literal(&Value::Text("a\0b"), Backslash::Escapes), "'a\\0b'");
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(literal(&Value::Int(i64::MAX), Backslash::Escapes), "9223372036854775807");
        assert_eq!(literal(&Value::Int(i64::MIN), Backslash::Escapes), "(-9223372036854775808)");
        assert_eq!(literal(&Value::Double(0.1), Backslash::Escapes), "1e-1");
        assert_eq!(literal(&Value::Double(-0.1), Backslash::Escapes), "(-1e-1)");
        assert_eq!(literal(&Value::Null, Backslash::Escapes), "NULL");
        let mut buffer = Vec::new();
        assert!(put(&mut buffer, &Value::Double(f64::NAN), Backslash::Escapes).is_err());
    }

    #[test]
    fn a_name_is_quoted() {
        let name = |quote| {
            let mut buffer = Vec::new();
            put_name(&mut buffer, "a`b\"π", quote);
            String::from_utf8(buffer).unwrap()
        };
        assert_eq!(name(Quote::Backtick), "`a``b\"π`");
        assert_eq!(name(Quote::Double), "\"a`b\"\"π\"");
    }
}
