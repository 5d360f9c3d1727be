//! Rows as text for bulk loading: fields separated by tabs, one row a line, backslash escapes, `\N`
//! for NULL. `LOAD DATA` of `MySQL` and `COPY` of `PostgreSQL` read the same form.

use contract::{RowSource, RowWriter};

use super::literal::put_int;

/// Encodes rows behind one another.
#[derive(Debug, Default)]
pub(crate) struct TextRows {
    bytes: Vec<u8>,
    in_row: bool,
}

impl TextRows {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Appends the source's next row; false where there is none.
    pub fn append(&mut self, source: &mut dyn RowSource) -> bool {
        self.in_row = false;
        let appended = source.next(self);
        if appended {
            self.bytes.push(b'\n');
        }
        appended
    }

    /// The rows so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn separate(&mut self) {
        if self.in_row {
            self.bytes.push(b'\t');
        }
        self.in_row = true;
    }
}

/// The letter that follows a backslash for a byte that has a meaning of its own.
fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'\\' => Some(b'\\'),
        b'\t' => Some(b't'),
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        _ => None,
    }
}

impl RowWriter for TextRows {
    fn null(&mut self) {
        self.separate();
        self.bytes.extend_from_slice(b"\\N");
    }

    fn int(&mut self, value: i64) {
        self.separate();
        put_int(&mut self.bytes, value);
    }

    fn text(&mut self, value: &str) {
        self.separate();
        let mut rest = value.as_bytes();
        while let Some(position) = rest.iter().position(|byte| escape(*byte).is_some()) {
            self.bytes.extend_from_slice(&rest[..position]);
            self.bytes.extend([b'\\', escape(rest[position]).unwrap_or_default()]);
            rest = &rest[position + 1..];
        }
        self.bytes.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TwoRows(u32);

    impl RowSource for TwoRows {
        fn table(&self) -> &'static str {
            "t"
        }

        fn columns(&self) -> &[&'static str] {
            &["a", "b", "c"]
        }

        fn next(&mut self, row: &mut dyn RowWriter) -> bool {
            self.0 += 1;
            match self.0 {
                1 => {
                    row.int(-7);
                    row.text("tab\tline\nreturn\rback\\slash");
                    row.null();
                }
                2 => {
                    row.text("");
                    row.text("π");
                    row.int(i64::MIN);
                }
                _ => return false,
            }
            true
        }
    }

    #[test]
    fn every_byte_with_a_meaning_is_escaped() {
        let mut rows = TextRows::default();
        let mut source = TwoRows(0);
        assert!(rows.append(&mut source));
        assert!(rows.append(&mut source));
        assert!(!rows.append(&mut source));
        let expected = "-7\ttab\\tline\\nreturn\\rback\\\\slash\t\\N\n\tπ\t-9223372036854775808\n";
        assert_eq!(String::from_utf8_lossy(rows.bytes()), expected);
    }
}
