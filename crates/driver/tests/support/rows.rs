//! Rows to load with everything in them that has a meaning in one of the formats.

use contract::{RowSource, RowWriter};

/// Texts that every server can store.
pub const AWKWARD: [&str; 8] = [
    "",
    "plain",
    "tab\there",
    "line\nbreak\r\n",
    "\\N",
    "back\\slash\\",
    "it's \"quoted\"",
    "π 🚀",
];

/// Numbered rows with one of the texts each, and with NULL after the last of these.
pub struct AwkwardRows {
    pub table: &'static str,
    pub texts: Vec<&'static str>,
    pub next: i64,
    pub end: i64,
    /// Texts are repeated until they are so long.
    pub text_bytes: usize,
    /// Leaves the texts out that are not.
    pub is_ascii: bool,
}

impl RowSource for AwkwardRows {
    fn table(&self) -> &str {
        self.table
    }

    fn columns(&self) -> &[&'static str] {
        &["id", "text", "amount"]
    }

    fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        if self.next == self.end {
            return false;
        }
        let index = usize::try_from(self.next).unwrap() % (self.texts.len() + 1);
        row.int(self.next);
        match self.texts.get(index).filter(|text| text.is_ascii() || !self.is_ascii) {
            Some(text) => row.text(&text.repeat(1 + self.text_bytes / text.len().max(1))),
            None => row.null(),
        }
        row.text(&format!("{}.{:02}", self.next - 5, self.next % 100));
        self.next += 1;
        true
    }
}
