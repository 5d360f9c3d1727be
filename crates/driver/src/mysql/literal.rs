//! Values written into a statement's text.

use std::io::Write;

use contract::{ErrorClass, SqlError, Value};

/// What a backslash in a string means to the session (`NO_BACKSLASH_ESCAPES`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backslash {
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
        Value::Int(value) => put_int(buffer, *value),
        // The exponent tells the server that it is a float and not a decimal.
        Value::Double(value) if value.is_finite() => {
            let _ = write!(buffer, "{value:e}");
        }
        Value::Double(value) => {
            let message = format!("the parameter {value} has no form in SQL");
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        Value::Text(text) => put_text(buffer, text, backslash),
    }
    Ok(())
}

/// Appends an integer.
pub(super) fn put_int(buffer: &mut Vec<u8>, value: i64) {
    // Writing to memory does not fail.
    let _ = write!(buffer, "{value}");
}

/// Appends a string in quotes.
pub(super) fn put_text(buffer: &mut Vec<u8>, text: &str, backslash: Backslash) {
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

/// Appends a name in back quotes.
pub(super) fn put_name(buffer: &mut Vec<u8>, name: &str) {
    buffer.push(b'`');
    buffer.extend_from_slice(name.replace('`', "``").as_bytes());
    buffer.push(b'`');
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
        assert_eq!(literal(&Value::Int(i64::MIN), Backslash::Escapes), "-9223372036854775808");
        assert_eq!(literal(&Value::Double(0.1), Backslash::Escapes), "1e-1");
        assert_eq!(literal(&Value::Null, Backslash::Escapes), "NULL");
        let mut buffer = Vec::new();
        assert!(put(&mut buffer, &Value::Double(f64::NAN), Backslash::Escapes).is_err());
    }

    #[test]
    fn a_name_is_quoted() {
        let mut buffer = Vec::new();
        put_name(&mut buffer, "a`b");
        assert_eq!(buffer, b"`a``b`");
    }
}
