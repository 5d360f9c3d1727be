//! A statement's text, cut at its parameters, for the text protocol.

use contract::{SqlError, Value};

use super::literal::{self, Backslash};

/// A statement with gaps for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    /// One more than there are parameters.
    pieces: Vec<String>,
}

impl Template {
    /// Cuts a statement at each `?` that is not part of a string, a name or a comment.
    pub fn new(sql: &str) -> Self {
        let mut pieces = Vec::new();
        let (mut start, mut position) = (0, 0);
        while let Some(&byte) = sql.as_bytes().get(position) {
            if byte == b'?' {
                pieces.push(sql[start..position].to_owned());
                start = position + 1;
            }
            position += length_of_token(&sql.as_bytes()[position..]);
        }
        pieces.push(sql[start..].to_owned());
        Self { pieces }
    }

    /// How many parameters it takes.
    pub fn parameters(&self) -> usize {
        self.pieces.len() - 1
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
fn length_of_token(sql: &[u8]) -> usize {
    let behind = |begin: usize, end: &[u8]| {
        let position = sql[begin..].windows(end.len()).position(|window| window == end);
        position.map_or(sql.len(), |position| begin + position + end.len())
    };
    match sql {
        [quote @ (b'\'' | b'"' | b'`'), ..] => length_of_quoted(sql, *quote),
        [b'#', ..] | [b'-', b'-', b' ' | b'\t' | b'\n', ..] => behind(1, b"\n"),
        [b'/', b'*', ..] => behind(2, b"*/"),
        _ => 1,
    }
}

/// A quote that is doubled inside begins a second string right behind the first, which makes no
/// difference here.
fn length_of_quoted(sql: &[u8], quote: u8) -> usize {
    let mut position = 1;
    while let Some(&byte) = sql.get(position) {
        position += 1;
        if byte == quote {
            return position;
        }
        if byte == b'\\' && quote != b'`' {
            position += 1;
        }
    }
    sql.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(sql: &str, values: &[Value<'_>]) -> String {
        let template = Template::new(sql);
        assert_eq!(template.parameters(), values.len(), "{sql}");
        let mut buffer = Vec::new();
        template.write(values, Backslash::Escapes, &mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn parameters_are_written_in_order() {
        let values = [Value::Int(-1), Value::Text("it's"), Value::Null];
        let sql = "INSERT INTO t VALUES (?, ?,?)";
        assert_eq!(render(sql, &values), "INSERT INTO t VALUES (-1, 'it''s',NULL)");
        assert_eq!(render("SELECT 1", &[]), "SELECT 1");
        assert_eq!(render("?", &[Value::Int(2)]), "2");
    }

    #[test]
    fn question_marks_that_are_no_parameters_stay() {
        for quoted in [
            "'?'",
            "\"?\"",
            "`?`",
            "'it''s ?'",
            "'\\'?'",
            "/*/ ? */",
            "-- ?\n",
            "# ?\n",
            "'?",
            "/* ?",
        ] {
            assert_eq!(render(&format!("? {quoted}"), &[Value::Int(1)]), format!("1 {quoted}"));
        }
        assert_eq!(render("5--?", &[Value::Int(1)]), "5--1");
        assert_eq!(render("'π'?'é'", &[Value::Int(1)]), "'π'1'é'");
    }
}
