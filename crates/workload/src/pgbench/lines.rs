//! Cuts a script into commands: SQL ended by a semicolon, and lines that begin with a backslash.

use contract::{Dialect, Lexeme, first_lexeme, words};

/// A command as it is written, with the line on which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command<'a> {
    pub line: usize,
    pub content: Content<'a>,
}

/// What a command is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// SQL without its last semicolon: one statement, or several that `\;` joins.
    Sql(Vec<String>),
    /// A line behind its backslash: the first word, and the rest.
    Meta { name: &'a str, rest: String },
}

/// The commands of a script, which has the strings and comments of `PostgreSQL`.
pub(super) fn commands(text: &str) -> Vec<Command<'_>> {
    let mut reader = Reader { text, ..Reader::default() };
    let mut commands = Vec::new();
    while reader.position < text.len() {
        let rest = &text[reader.position..];
        if rest.starts_with("\\;") {
            reader.end_statement();
            reader.position += 2;
        } else if rest.starts_with("\\:") {
            reader.push(":", 2);
        } else if rest.starts_with('\\') {
            commands.extend(reader.end_sql());
            commands.push(reader.meta());
        } else if rest.starts_with(';') && reader.depth == 0 {
            commands.extend(reader.end_sql());
            reader.position += 1;
        } else {
            reader.lexeme();
        }
    }
    commands.extend(reader.end_sql());
    commands
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    /// The statements before `\;`.
    joined: Vec<String>,
    sql: String,
    sql_start: usize,
}

impl<'a> Reader<'a> {
    fn push(&mut self, sql: &str, length: usize) {
        if self.sql.is_empty() && self.joined.is_empty() {
            self.sql_start = self.position;
        }
        self.sql.push_str(sql);
        self.position += length;
    }

    fn lexeme(&mut self) {
        let rest = &self.text[self.position..];
        let (kind, length) = first_lexeme(rest, Dialect::PostgreSql);
        let lexeme = &rest[..length];
        let is_line_comment = kind == Lexeme::Comment && lexeme.starts_with("--");
        // Nothing is collected before the first word.
        if self.sql.is_empty() && (is_line_comment || lexeme.trim().is_empty()) {
            self.position += length;
            return;
        }
        match lexeme {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.push(lexeme, length);
    }

    fn end_statement(&mut self) {
        self.depth = 0;
        let sql = std::mem::take(&mut self.sql);
        // What is a comment alone is answered by nothing.
        if words(&sql, Dialect::PostgreSql).next().is_some() {
            self.joined.push(sql.trim_end().to_owned());
        }
    }

    fn end_sql(&mut self) -> Option<Command<'a>> {
        self.end_statement();
        let statements = std::mem::take(&mut self.joined);
        if statements.is_empty() {
            return None;
        }
        let line = self.line(self.sql_start);
        Some(Command { line, content: Content::Sql(statements) })
    }

    /// Takes a line that begins with a backslash; one before its end joins the next line to it.
    fn meta(&mut self) -> Command<'a> {
        let line = self.line(self.position);
        let rest = &self.text[self.position + 1..];
        let mut length = 0;
        for part in rest.split_inclusive('\n') {
            length += part.len();
            if !part.trim_end_matches('\n').trim_end_matches('\r').ends_with('\\') {
                break;
            }
        }
        self.position += 1 + length;
        let whole = rest[..length].trim_end();
        let name_length = whole
            .find(|letter: char| letter.is_whitespace() || letter == '\\')
            .unwrap_or(whole.len());
        let joined = whole[name_length..].replace("\\\r\n", " ").replace("\\\n", " ");
        let (name, rest) = (&whole[..name_length], joined.trim().to_owned());
        Command { line, content: Content::Meta { name, rest } }
    }

    fn line(&self, position: usize) -> usize {
        1 + self.text[..position].bytes().filter(|byte| *byte == b'\n').count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        commands(text)
            .into_iter()
            .map(|command| match command.content {
                Content::Sql(statements) => format!("{} {}", command.line, statements.join(" + ")),
                Content::Meta { name, rest } => format!("{} \\{name}|{rest}", command.line),
            })
            .collect()
    }

    #[test]
    fn commands_are_cut_as_pgbench_cuts_them() {
        for (text, expected) in [
            ("SELECT 1;", vec!["1 SELECT 1"]),
            ("SELECT 1", vec!["1 SELECT 1"]),
            ("-- a comment\n\nSELECT\n  1;\nSELECT 2;", vec!["3 SELECT\n  1", "5 SELECT 2"]),
            ("SELECT ';', \"a;b\" -- ;\n, 1;", vec!["1 SELECT ';', \"a;b\" -- ;\n, 1"]),
            ("SELECT $$;$$;", vec!["1 SELECT $$;$$"]),
            ("SELECT (1;2);", vec!["1 SELECT (1;2)"]),
            ("\\set a 1\nSELECT :a;", vec!["1 \\set|a 1", "2 SELECT :a"]),
            ("\\set a 1 + \\\n  2\nSELECT 1;", vec!["1 \\set|a 1 +    2", "3 SELECT 1"]),
            (
                "SELECT 1 AS a \\gset p_\nSELECT 2;",
                vec!["1 SELECT 1 AS a", "1 \\gset|p_", "2 SELECT 2"],
            ),
            ("SELECT 1\\; SELECT (2\\;) SELECT 3;", vec!["1 SELECT 1 + SELECT (2 + ) SELECT 3"]),
            ("SELECT 1 \\;\nSELECT 2\\;\\;;", vec!["1 SELECT 1 + SELECT 2"]),
            ("SELECT 1 \\; /* c */ \\; SELECT 2;", vec!["1 SELECT 1 + SELECT 2"]),
            ("SELECT a\\:b;", vec!["1 SELECT a:b"]),
            ("  \\sleep 5 ms\r\n;;", vec!["1 \\sleep|5 ms"]),
            ("", vec![]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
