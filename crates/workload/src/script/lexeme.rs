//! Where strings, quoted names and comments begin and end in SQL, in each dialect.

use contract::Dialect;

/// What a piece of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string or a quoted name.
    Quoted,
    /// A comment.
    Comment,
    /// One character of anything else, or a whole name.
    Code,
}

/// What `sql` begins with, and how many bytes belong to it; at least one character. Drivers find
/// their parameters by the same rules.
pub(crate) fn first_lexeme(sql: &str, dialect: Dialect) -> (Kind, usize) {
    use Dialect::{MySql, PostgreSql, Sqlite};
    let bytes = sql.as_bytes();
    match (dialect, bytes) {
        (_, [b'/', b'*', ..]) => (Kind::Comment, until(bytes, 2, b"*/")),
        (MySql, [b'#', ..] | [b'-', b'-', b' ' | b'\t' | b'\n', ..])
        | (PostgreSql | Sqlite, [b'-', b'-', ..]) => (Kind::Comment, until(bytes, 1, b"\n")),
        (MySql, [quote @ (b'\'' | b'"'), ..]) => (Kind::Quoted, quoted(bytes, 0, *quote, true)),
        (_, [quote @ (b'\'' | b'"'), ..]) => (Kind::Quoted, quoted(bytes, 0, *quote, false)),
        (MySql | Sqlite, [b'`', ..]) => (Kind::Quoted, quoted(bytes, 0, b'`', false)),
        (Sqlite, [b'[', ..]) => (Kind::Quoted, until(bytes, 1, b"]")),
        (PostgreSql, [b'E' | b'e', b'\'', ..]) => (Kind::Quoted, quoted(bytes, 1, b'\'', true)),
        (PostgreSql, [b'$', ..]) => dollar_quoted(sql),
        (_, [letter, ..]) if is_of_name(*letter) => {
            (Kind::Code, bytes.iter().take_while(|letter| is_of_name(**letter)).count())
        }
        _ => (Kind::Code, sql.chars().next().map_or(1, char::len_utf8)),
    }
}

/// Whether whatever is written behind `sql` would be a part of its last comment.
pub(crate) fn ends_in_comment(sql: &str, dialect: Dialect) -> bool {
    let (mut position, mut is_open) = (0, false);
    while position < sql.len() {
        let (kind, length) = first_lexeme(&sql[position..], dialect);
        let text = &sql[position..position + length];
        let end = if text.starts_with("/*") { "*/" } else { "\n" };
        is_open = kind == Kind::Comment && !text.ends_with(end);
        position += length;
    }
    is_open
}

/// Whether a byte may be part of a name that is not quoted.
pub(crate) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length up to the end of what begins with `begin` bytes and ends with `end`.
fn until(sql: &[u8], begin: usize, end: &[u8]) -> usize {
    let position = sql[begin..].windows(end.len()).position(|window| window == end);
    position.map_or(sql.len(), |position| begin + position + end.len())
}

/// A quote that is doubled inside begins a second string right behind the first.
fn quoted(sql: &[u8], open: usize, quote: u8, backslash_escapes: bool) -> usize {
    let mut position = open + 1;
    while let Some(&byte) = sql.get(position) {
        position += 1;
        if byte == quote {
            return position;
        }
        if byte == b'\\' && backslash_escapes {
            position += 1;
        }
    }
    sql.len()
}

/// `$$text$$` and `$tag$text$tag$`; a lone `$` is itself.
fn dollar_quoted(sql: &str) -> (Kind, usize) {
    let tag_bytes = sql[1..].bytes().take_while(|byte| is_of_name(*byte)).count() + 2;
    match sql.get(..tag_bytes) {
        Some(tag) if tag.ends_with('$') => {
            (Kind::Quoted, until(sql.as_bytes(), tag_bytes, tag.as_bytes()))
        }
        _ => (Kind::Code, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comment_without_an_end_takes_in_what_follows() {
        use Dialect::{MySql, PostgreSql};
        for (sql, dialect, expected) in [
            ("SELECT 1 -- one", MySql, true),
            ("SELECT 1 # one", MySql, true),
            ("SELECT 1 # one", PostgreSql, false),
            ("SELECT 1 /* one", MySql, true),
            ("SELECT 1 -- one */", PostgreSql, true),
            ("SELECT 1 /* one */", MySql, false),
            ("SELECT 1 -- one\n", MySql, false),
            ("SELECT 1 -- one\n + 1", PostgreSql, false),
            ("SELECT '-- one'", MySql, false),
            ("SELECT 1--1", MySql, false),
            ("", MySql, false),
        ] {
            assert_eq!(ends_in_comment(sql, dialect), expected, "{sql}");
        }
    }
}
