//! Statements that begin and end transactions, which go through the connection's own methods.

use contract::{Dialect, Lexeme, first_lexeme};

/// What a statement does to the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Opens one, with nothing said about it.
    Begin,
    /// Opens one with options (READ ONLY, ISOLATION LEVEL …): it is sent as it is written.
    BeginWithOptions,
    /// Commits it.
    Commit,
    /// Rolls it back.
    Rollback,
    /// Nothing.
    None,
}

impl Control {
    /// What a statement does.
    pub fn of(sql: &str, dialect: Dialect) -> Self {
        let words = words(sql, dialect);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["BEGIN"] | ["BEGIN", "WORK" | "TRANSACTION"] | ["START", "TRANSACTION"] => Self::Begin,
            // A block of statements in MariaDB.
            ["BEGIN", "NOT", ..] => Self::None,
            ["BEGIN", ..] | ["START", "TRANSACTION", ..] => Self::BeginWithOptions,
            ["COMMIT" | "END"]
            | ["COMMIT" | "END", "WORK" | "TRANSACTION"]
            | ["COMMIT" | "END", .., "AND", "NO", "CHAIN"] => Self::Commit,
            ["ROLLBACK" | "ABORT"]
            | ["ROLLBACK" | "ABORT", "WORK" | "TRANSACTION"]
            | ["ROLLBACK" | "ABORT", .., "AND", "NO", "CHAIN"] => Self::Rollback,
            _ => Self::None,
        }
    }
}

/// The words of a statement in capitals, comments and semicolons left out.
pub(crate) fn words(sql: &str, dialect: Dialect) -> Vec<String> {
    written_words(sql, dialect).iter().map(|word| word.to_uppercase()).collect()
}

/// The words of a statement as they are written, comments and semicolons left out.
pub(crate) fn written_words(sql: &str, dialect: Dialect) -> Vec<String> {
    let mut code = String::new();
    let mut position = 0;
    while position < sql.len() {
        let (kind, length) = first_lexeme(&sql[position..], dialect);
        match (kind, &sql[position..position + length]) {
            (Lexeme::Comment, _) | (_, ";") => code.push(' '),
            (_, text) => code.push_str(text),
        }
        position += length;
    }
    code.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_forms_go_through_the_connection() {
        for (sql, expected) in [
            ("begin", Control::Begin),
            ("BEGIN;", Control::Begin),
            ("/* x */ Begin Work -- y", Control::Begin),
            ("START TRANSACTION", Control::Begin),
            ("START TRANSACTION READ ONLY", Control::BeginWithOptions),
            ("BEGIN IMMEDIATE", Control::BeginWithOptions),
            ("END;", Control::Commit),
            ("commit work", Control::Commit),
            ("COMMIT AND CHAIN", Control::None),
            ("commit work and no chain", Control::Commit),
            ("ROLLBACK AND NO CHAIN", Control::Rollback),
            ("BEGIN NOT ATOMIC SELECT 1; END", Control::None),
            ("ROLLBACK", Control::Rollback),
            ("ABORT", Control::Rollback),
            ("ROLLBACK TO SAVEPOINT a", Control::None),
            ("SELECT 1", Control::None),
            ("", Control::None),
        ] {
            assert_eq!(Control::of(sql, Dialect::PostgreSql), expected, "{sql}");
        }
    }
}
