//! A statement's text, cut at its parameters: they are written `?` for every server.

use contract::{SqlError, Value};

use super::literal::{self, Backslash};

/// Whose rules tell a parameter from a question mark in a string, a name or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `MySQL`'s, `MariaDB`'s.
    MySql,
    /// `PostgreSQL`'s.
    PostgreSql,
}

/// A statement with gaps for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// One more than there are parameters.
    pieces: Vec<String>,
}

impl Template {
    /// Cuts a statement at each `?` that is not part of a string, a name or a comment.
    pub fn new(sql: &str, syntax: Syntax) -> Self {
        let mut pieces = Vec::new();
        let (mut start, mut position) = (0, 0);
        while let Some(&byte) = sql.as_bytes().get(position) {
            if byte == b'?' {
                pieces.push(sql[start..position].to_owned());
                start = position + 1;
            }
            position += length_of_token(&sql.as_bytes()[position..], syntax);
        }
        pieces.push(sql[start..].to_owned());
        Self { pieces }
    }

    /// How many parameters it takes.
    pub fn parameters(&self) -> usize {
        self.pieces.len() - 1
    }

    /// The statement with its parameters numbered: `$1`, `$2` and so on.
    pub fn numbered(&self) -> String {
        let mut sql = self.pieces[0].clone();
        for (index, piece) in self.pieces[1..].iter().enumerate() {
            sql.push('$');
            sql.push_str(&(index + 1).to_string());
            sql.push_str(piece);
        }
        sql
    }

    /// Appends the statement with its parameters. There must be as many values as parameters.
    pub fn write(
        &self,
        values: &[Value<'_>],
        backslash: Backslash,
        buffer: &mut Vec<u8>,
    ) -> Result<(), SqlError> {
        debug_assert_eq!(values.len(), self.parameters());
        for (piece, value) in self.pieces.iter().zip(values) {
            buffer.extend_from_slice(piece.as_bytes());
            literal::put(buffer, value, backslash)?;
        }
        buffer.extend_from_slice(self.pieces[values.len()].as_bytes());
        Ok(())
    }
}

/// How many bytes belong together at the beginning of `sql`: a whole string, quoted name or comment,
/// otherwise one byte.
fn length_of_token(sql: &[u8], syntax: Syntax) -> usize {
    match (syntax, sql) {
        (_, [b'/', b'*', ..]) => length_until(sql, 2, b"*/"),
        (Syntax::MySql, [quote @ (b'\'' | b'"'), ..]) => length_of_quoted(sql, 0, *quote, true),
        (Syntax::MySql, [b'`', ..]) => length_of_quoted(sql, 0, b'`', false),
        (Syntax::MySql, [b'#', ..] | [b'-', b'-', b' ' | b'\t' | b'\n', ..])
        | (Syntax::PostgreSql, [b'-', b'-', ..]) => length_until(sql, 1, b"\n"),
        (Syntax::PostgreSql, [quote @ (b'\'' | b'"'), ..]) => {
            length_of_quoted(sql, 0, *quote, false)
        }
        (Syntax::PostgreSql, [b'E' | b'e', b'\'', ..]) => length_of_quoted(sql, 1, b'\'', true),
        (Syntax::PostgreSql, [b'$', ..]) => length_of_dollar_quoted(sql),
        (Syntax::PostgreSql, [letter, ..]) if is_of_name(*letter) => length_of_name(sql),
        _ => 1,
    }
}

/// The length up to the end of what begins with `begin` bytes and ends with `end`.
fn length_until(sql: &[u8], begin: usize, end: &[u8]) -> usize {
    let position = sql[begin..].windows(end.len()).position(|window| window == end);
    position.map_or(sql.len(), |position| begin + position + end.len())
}

/// A quote that is doubled inside begins a second string right behind the first, which makes no
/// difference here.
fn length_of_quoted(sql: &[u8], open: usize, quote: u8, backslash_escapes: bool) -> usize {
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

/// `$tag$ … $tag$`; a dollar sign that begins none is one byte.
fn length_of_dollar_quoted(sql: &[u8]) -> usize {
    let tag = sql[1..].iter().position(|byte| !is_of_name(*byte)).map_or(sql.len(), |end| end + 1);
    if sql.get(tag) != Some(&b'$') || sql.get(1).is_some_and(u8::is_ascii_digit) {
        return 1;
    }
    let delimiter = &sql[..=tag];
    length_until(sql, delimiter.len(), delimiter)
}

/// A name or a number: what stands in it begins nothing of its own. Only `e'` is looked at before.
fn length_of_name(sql: &[u8]) -> usize {
    let end = sql.iter().position(|byte| !is_of_name(*byte) && *byte != b'$');
    end.unwrap_or(sql.len())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(sql: &str, values: &[Value<'_>]) -> String {
        let template = Template::new(sql, Syntax::MySql);
        assert_eq!(template.parameters(), values.len(), "{sql}");
        let mut buffer = Vec::new();
        template.write(values, Backslash::Escapes, &mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn parameters_are_written_in_order() {
        let values = [Value::Int(-1), Value::Text("it's"), Value::Null];
        let sql = "INSERT INTO t VALUES (?, ?,?)";
        assert_eq!(render(sql, &values), "INSERT INTO t VALUES ((-1), 'it''s',NULL)");
        assert_eq!(render("SELECT 1", &[]), "SELECT 1");
        assert_eq!(render("?", &[Value::Int(2)]), "2");
    }

    #[test]
    fn question_marks_that_are_no_parameters_stay() {
        for quoted in [
            "'?'", "\"?\"", "`?`", "'it''s ?'", "'\\'?'", "/*/ ? */", "-- ?\n", "# ?\n", "'?",
            "/* ?",
        ] {
            assert_eq!(render(&format!("? {quoted}"), &[Value::Int(1)]), format!("1 {quoted}"));
        }
        assert_eq!(render("5--?", &[Value::Int(1)]), "5--1");
        assert_eq!(render("5-?", &[Value::Int(-1)]), "5-(-1)");
        assert_eq!(render("'π'?'é'", &[Value::Int(1)]), "'π'1'é'");
    }

    #[test]
    fn parameters_are_numbered_by_the_rules_of_postgresql() {
        for (sql, numbered) in [
            ("SELECT 1", "SELECT 1"),
            ("UPDATE t SET c=? WHERE id=?", "UPDATE t SET c=$1 WHERE id=$2"),
            ("'?\\' ?", "'?\\' $1"),
            ("E'?\\'?' ?", "E'?\\'?' $1"),
            ("name'?' ?", "name'?' $1"),
            ("$$ ? $$ ?", "$$ ? $$ $1"),
            ("$a$ ? $$ ? $a$ ?", "$a$ ? $$ ? $a$ $1"),
            ("a$b$ ? $b$", "a$b$ $1 $b$"),
            ("1$ ? $", "1$ $1 $"),
            ("--?\n?", "--?\n$1"),
            ("# ?", "# $1"),
            ("\"?\" ?", "\"?\" $1"),
            ("'π?'?", "'π?'$1"),
            ("$", "$"),
            ("$$ ?", "$$ ?"),
        ] {
            assert_eq!(Template::new(sql, Syntax::PostgreSql).numbered(), numbered);
        }
    }
}
