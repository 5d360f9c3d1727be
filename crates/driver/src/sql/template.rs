//! A statement's text, cut at its parameters: they are written `?` for every server.

use contract::{Dialect, SqlError, Value, first_lexeme};

use super::literal::{self, Backslash};

/// A statement with gaps for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// One more than there are parameters.
    pieces: Vec<String>,
}

impl Template {
    /// Cuts a statement at each `?` that is not part of a string, a name or a comment.
    pub fn new(sql: &str, dialect: Dialect) -> Self {
        let mut pieces = Vec::new();
        let (mut start, mut position) = (0, 0);
        while let Some(&byte) = sql.as_bytes().get(position) {
            if byte == b'?' {
                pieces.push(sql[start..position].to_owned());
                start = position + 1;
            }
            position += first_lexeme(&sql[position..], dialect).1;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn render(sql: &str, values: &[Value<'_>]) -> String {
        let template = Template::new(sql, Dialect::MySql);
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
            assert_eq!(Template::new(sql, Dialect::PostgreSql).numbered(), numbered);
        }
    }
}
