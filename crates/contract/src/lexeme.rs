//! Where strings, quoted names and comments begin and end in SQL, in each dialect.

use crate::statement::Dialect;

/// What a piece of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme {
    /// A string or a quoted name.
    Quoted,
    /// A comment.
    Comment,
    /// One character of anything else, or a whole name.
    Code,
}

/// What `sql` begins with, and how many bytes belong to it; at least one character. Workloads find their
/// variables by these rules, and drivers their parameters.
pub fn first_lexeme(sql: &str, dialect: Dialect) -> (Lexeme, usize) {
    use Dialect::{MySql, PostgreSql, Sqlite};
    let bytes = sql.as_bytes();
    match (dialect, bytes) {
        (PostgreSql, [b'/', b'*', ..]) => (Lexeme::Comment, nested_comment(bytes)),
        (_, [b'/', b'*', ..]) => (Lexeme::Comment, until(bytes, 2, b"*/")),
        (MySql, [b'-', b'-', next, ..]) if !next.is_ascii_whitespace() => (Lexeme::Code, 1),
        (MySql, [b'#', ..] | [b'-', b'-', ..]) | (PostgreSql | Sqlite, [b'-', b'-', ..]) => {
            (Lexeme::Comment, until(bytes, 1, b"\n"))
        }
        (MySql, [quote @ (b'\'' | b'"'), ..]) => (Lexeme::Quoted, quoted(bytes, 0, *quote, true)),
        (_, [quote @ (b'\'' | b'"'), ..]) => (Lexeme::Quoted, quoted(bytes, 0, *quote, false)),
        (MySql | Sqlite, [b'`', ..]) => (Lexeme::Quoted, quoted(bytes, 0, b'`', false)),
        (Sqlite, [b'[', ..]) => (Lexeme::Quoted, until(bytes, 1, b"]")),
        (PostgreSql, [b'E' | b'e', b'\'', ..]) => (Lexeme::Quoted, quoted(bytes, 1, b'\'', true)),
        (PostgreSql, [b'$', ..]) => dollar_quoted(sql),
        (_, [letter, ..]) if is_of_name(*letter) => {
            let is_of_it = |letter: &&u8| is_of_name(**letter) || **letter == b'$';
            (Lexeme::Code, bytes.iter().take_while(is_of_it).count())
        }
        _ => (Lexeme::Code, sql.chars().next().map_or(1, char::len_utf8)),
    }
}

/// What a statement is made of, as it is written, without blanks and comments: words, quoted texts, and
/// each other character by itself.
pub fn words(sql: &str, dialect: Dialect) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (lexeme, length) = first_lexeme(rest, dialect);
            let (text, behind) = rest.split_at(length);
            rest = behind;
            if lexeme != Lexeme::Comment && !text.trim().is_empty() {
                return Some(text);
            }
        }
        None
    })
}

/// The first word of a statement, as it is written; empty where it does not begin with one.
pub fn first_word(sql: &str, dialect: Dialect) -> &str {
    let first = words(sql, dialect).next();
    first.filter(|word| word.starts_with(char::is_alphabetic)).unwrap_or("")
}

/// Whether whatever is written behind `sql` would be a part of its last comment.
pub fn ends_in_comment(sql: &str, dialect: Dialect) -> bool {
    let (mut position, mut is_open) = (0, false);
    while position < sql.len() {
        let (lexeme, length) = first_lexeme(&sql[position..], dialect);
        let text = &sql[position..position + length];
        is_open = lexeme == Lexeme::Comment && !is_closed(text, dialect);
        position += length;
    }
    is_open
}

/// Whether a comment has its end.
fn is_closed(comment: &str, dialect: Dialect) -> bool {
    if !comment.starts_with("/*") {
        return comment.ends_with('\n');
    }
    // Of one without its end, nothing is left either: only a blank behind it shows which it is.
    first_lexeme(&format!("{comment} "), dialect).1 == comment.len()
}

/// Whether a byte may be part of a name that is not quoted.
pub fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length up to the end of what begins with `begin` bytes and ends with `end`.
fn until(sql: &[u8], begin: usize, end: &[u8]) -> usize {
    let position = sql[begin..].windows(end.len()).position(|window| window == end);
    position.map_or(sql.len(), |position| begin + position + end.len())
}

/// The length of a comment that may have others in it.
fn nested_comment(sql: &[u8]) -> usize {
    let (mut depth, mut position) = (0, 0);
    while position < sql.len() {
        match &sql[position..] {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] if depth == 1 => return position + 2,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                position += 1;
                continue;
            }
        }
        position += 2;
    }
    sql.len()
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
fn dollar_quoted(sql: &str) -> (Lexeme, usize) {
    let tag_bytes = sql[1..].bytes().take_while(|byte| is_of_name(*byte)).count() + 2;
    match sql.get(..tag_bytes) {
        Some(tag) if tag.ends_with('$') => {
            (Lexeme::Quoted, until(sql.as_bytes(), tag_bytes, tag.as_bytes()))
        }
        _ => (Lexeme::Code, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `sql` is made of, blanks left out.
    fn lexemes(sql: &str, dialect: Dialect) -> Vec<&str> {
        let (mut found, mut position) = (Vec::new(), 0);
        while position < sql.len() {
            let length = first_lexeme(&sql[position..], dialect).1;
            found.push(&sql[position..position + length]);
            position += length;
        }
        found.retain(|lexeme| !lexeme.trim().is_empty());
        found
    }

    #[test]
    fn dialects_differ_in_what_belongs_together() {
        use Dialect::{MySql, PostgreSql, Sqlite};
        for (sql, dialect, expected) in [
            ("a$b$ ? $b$", PostgreSql, vec!["a$b$", "?", "$b$"]),
            ("$b$ ? $b$ ?", PostgreSql, vec!["$b$ ? $b$", "?"]),
            ("$b$ ? $b$ ?", MySql, vec!["$", "b$", "?", "$", "b$", "?"]),
            ("/* a /* ? */ ? */ ?", PostgreSql, vec!["/* a /* ? */ ? */", "?"]),
            ("/* a /* ? */ ?", MySql, vec!["/* a /* ? */", "?"]),
            ("/* a /* ? */ ?", Sqlite, vec!["/* a /* ? */", "?"]),
            ("1--?", MySql, vec!["1", "-", "-", "?"]),
            ("1--?", PostgreSql, vec!["1", "--?"]),
            ("1 --\r?", MySql, vec!["1", "--\r?"]),
            ("'\\'?'", MySql, vec!["'\\'?'"]),
            ("'\\'?", PostgreSql, vec!["'\\'", "?"]),
            ("E'\\'?' te'?'", PostgreSql, vec!["E'\\'?'", "te", "'?'"]),
            ("[a?] ?", Sqlite, vec!["[a?]", "?"]),
        ] {
            assert_eq!(lexemes(sql, dialect), expected, "{sql} {dialect:?}");
        }
    }

    #[test]
    fn the_first_word_is_found_behind_comments() {
        for (sql, expected) in [
            ("CALL p()", "CALL"),
            (" /* a */ -- b\n call p()", "call"),
            ("(SELECT 1)", ""),
            ("-- only", ""),
        ] {
            assert_eq!(first_word(sql, Dialect::MySql), expected, "{sql}");
        }
    }

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
            ("SELECT 1 --", MySql, true),
            ("SELECT 1 /* a /* b */", PostgreSql, true),
            ("SELECT 1 /* a /* b */ */", PostgreSql, false),
            ("SELECT 1 /* a /* b */", MySql, false),
            ("SELECT 1 /*/", MySql, true),
            ("", MySql, false),
        ] {
            assert_eq!(ends_in_comment(sql, dialect), expected, "{sql}");
        }
    }
}
