//! Variables in SQL: `:name`, wherever it is not part of a string, a name or a comment.

use contract::{Dialect, Lexeme, first_lexeme, is_of_name};

/// A piece of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// As it is.
    Verbatim(&'a str),
    /// `:name`.
    Variable(&'a str),
    /// `:name` in a string, a quoted name, a comment, or glued to a name.
    Embedded(&'a str),
    /// A question mark outside of strings, which drivers take for a parameter.
    QuestionMark,
    /// A semicolon outside of strings.
    Semicolon,
}

/// Cuts a statement at its variables. The pieces together are the statement.
pub(crate) fn cut(sql: &str, dialect: Dialect) -> Vec<Piece<'_>> {
    let mut cutter = Cutter { sql, pieces: Vec::new(), verbatim_from: 0 };
    let mut position = 0;
    while position < sql.len() {
        let (kind, length) = first_lexeme(&sql[position..], dialect);
        match kind {
            Lexeme::Code => position += cutter.code(position, length),
            Lexeme::Quoted | Lexeme::Comment => {
                cutter.names_in(position, position + length);
                position += length;
            }
        }
    }
    cutter.verbatim_to(sql.len());
    cutter.pieces
}

struct Cutter<'a> {
    sql: &'a str,
    pieces: Vec<Piece<'a>>,
    verbatim_from: usize,
}

impl<'a> Cutter<'a> {
    /// Takes one piece of code; returns how many bytes were taken.
    fn code(&mut self, position: usize, length: usize) -> usize {
        let rest = &self.sql[position..];
        match rest.as_bytes()[0] {
            b'?' => self.put(position, 1, Piece::QuestionMark),
            b';' => self.put(position, 1, Piece::Semicolon),
            b':' => match name_after_colon(rest) {
                // A cast: both colons are taken, so that the second begins no variable.
                None => rest.bytes().take_while(|byte| *byte == b':').count(),
                Some(name) => {
                    let end = position + 1 + name.len();
                    let is_glued = position > 0 && is_of_name(self.sql.as_bytes()[position - 1]);
                    let piece =
                        if is_glued { Piece::Embedded(name) } else { Piece::Variable(name) };
                    self.put(position, end - position, piece)
                }
            },
            _ => length,
        }
    }

    /// Cuts at the names between two places in a string or comment.
    fn names_in(&mut self, mut position: usize, end: usize) {
        while let Some(found) = self.sql[position..end].find(':') {
            position += found;
            let rest = &self.sql[position..end];
            match name_after_colon(rest) {
                None => position += rest.bytes().take_while(|byte| *byte == b':').count(),
                Some(name) => {
                    position += self.put(position, 1 + name.len(), Piece::Embedded(name));
                }
            }
        }
    }

    fn put(&mut self, position: usize, length: usize, piece: Piece<'a>) -> usize {
        self.verbatim_to(position);
        self.pieces.push(piece);
        self.verbatim_from = position + length;
        length
    }

    fn verbatim_to(&mut self, position: usize) {
        if self.verbatim_from < position {
            self.pieces.push(Piece::Verbatim(&self.sql[self.verbatim_from..position]));
            self.verbatim_from = position;
        }
    }
}

/// The name in `:name…`; it does not begin with a digit, as in a time of day.
fn name_after_colon(rest: &str) -> Option<&str> {
    let length = rest[1..].bytes().take_while(|byte| is_of_name(*byte)).count();
    let name = &rest[1..=length];
    name.bytes().next().filter(|byte| !byte.is_ascii_digit()).map(|_| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement with its pieces marked: `<variable>`, `{embedded}`, `?` and `;` doubled.
    fn marked(sql: &str, dialect: Dialect) -> String {
        cut(sql, dialect)
            .into_iter()
            .map(|piece| match piece {
                Piece::Verbatim(text) => text.to_owned(),
                Piece::Variable(name) => format!("<{name}>"),
                Piece::Embedded(name) => format!("{{{name}}}"),
                Piece::QuestionMark => "??".to_owned(),
                Piece::Semicolon => ";;".to_owned(),
            })
            .collect()
    }

    #[test]
    fn variables_are_found_where_all_dialects_have_them() {
        for dialect in [Dialect::MySql, Dialect::PostgreSql, Dialect::Sqlite] {
            for (sql, expected) in [
                ("SELECT :a", "SELECT <a>"),
                (":a+:b_1,(:c)", "<a>+<b_1>,(<c>)"),
                (":a::int", "<a>::int"),
                ("x := 1", "x := 1"),
                ("@x:=:a", "@x:=<a>"),
                ("'it''s :a' || :b", "'it''s {a}' || <b>"),
                ("\":a\" \"x\"\":b\"", "\"{a}\" \"x\"\"{b}\""),
                ("/* :a */ :b", "/* {a} */ <b>"),
                ("-- :a\n:b", "-- {a}\n<b>"),
                ("'12:34:56' 12:34", "'12:34:56' 12:34"),
                ("t:i", "t{i}"),
                ("a ? '?' ; ';'", "a ?? '?' ;; ';'"),
                ("'π:a' π:b :ü", "'π{a}' π{b} <ü>"),
                ("'open :a", "'open {a}"),
                (":", ":"),
                ("::a", "::a"),
            ] {
                assert_eq!(marked(sql, dialect), expected, "{dialect:?}");
            }
        }
    }

    #[test]
    fn each_dialect_has_its_own_strings_and_comments() {
        use Dialect::{MySql, PostgreSql, Sqlite};
        for (dialect, sql, expected) in [
            (MySql, "'it\\'s :a' :b", "'it\\'s {a}' <b>"),
            (Sqlite, "'it\\' :a", "'it\\' <a>"),
            (PostgreSql, "'it\\' :a E'\\':b'", "'it\\' <a> E'\\'{b}'"),
            (MySql, "`:a` :b # :c", "`{a}` <b> # {c}"),
            (PostgreSql, "1 # :a", "1 # <a>"),
            (MySql, "5--:a", "5--<a>"),
            (PostgreSql, "5--:a", "5--{a}"),
            (Sqlite, "[:a] :b", "[{a}] <b>"),
            (PostgreSql, "x[:a]", "x[<a>]"),
            (PostgreSql, "$$ :a $$ :b", "$$ {a} $$ <b>"),
            (PostgreSql, "$t$ $$ :a $t$ :b $1", "$t$ $$ {a} $t$ <b> $1"),
        ] {
            assert_eq!(marked(sql, dialect), expected, "{dialect:?}");
        }
    }
}
