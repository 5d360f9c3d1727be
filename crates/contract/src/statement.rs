//! What is asked of a server: statements, the SQL that it speaks, and what a transaction is made of.

use crate::lexeme::words;
use crate::value::Value;

/// Which SQL a server speaks, where a statement must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `MariaDB`, `MySQL` and their relatives.
    MySql,
    /// `SQLite`.
    Sqlite,
    /// `PostgreSQL` and its relatives.
    PostgreSql,
}

/// What a statement is there for: by this they are counted, and a driver knows of a transaction where the
/// server does not tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// SELECT
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// Behind it a transaction is open: BEGIN, START TRANSACTION, XA START, COMMIT AND CHAIN.
    Begin,
    /// It ends the transaction: COMMIT, XA COMMIT, END.
    Commit,
    /// It ends the transaction too: ROLLBACK, XA ROLLBACK, ABORT; but not ROLLBACK TO a savepoint.
    Rollback,
    /// Anything else.
    Other,
}

/// More words behind the first say nothing new: `COMMIT WORK AND CHAIN`.
const MOST_WORDS_BEHIND: usize = 3;

impl Verb {
    /// The verb of a statement.
    pub fn of(sql: &str, dialect: Dialect) -> Self {
        let mut words = words(sql, dialect).map(str::to_ascii_uppercase);
        let first = words.next().unwrap_or_default();
        match first.as_str() {
            "SELECT" => Self::Select,
            "INSERT" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "XA" => {
                let words: Vec<String> = words.take(MOST_WORDS_BEHIND).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                Self::of_transaction(&first, &words, dialect)
            }
            _ => Self::Other,
        }
    }

    /// The verb of a statement about transactions: its first word, and those behind it.
    fn of_transaction(first: &str, words: &[&str], dialect: Dialect) -> Self {
        let words = match words {
            ["WORK" | "TRANSACTION", options @ ..] if first != "START" => options,
            words => words,
        };
        match (first, words) {
            // A block of statements in MariaDB, in no transaction of its own.
            ("BEGIN", ["NOT", ..])
            // One that was prepared by another session in PostgreSQL, or may have been.
            | ("COMMIT" | "ROLLBACK", ["PREPARED", ..])
            | ("ROLLBACK", ["TO", ..]) => Self::Other,
            ("BEGIN", _)
            | ("START", ["TRANSACTION", ..])
            | ("XA", ["START" | "BEGIN", ..])
            | ("COMMIT" | "END" | "ROLLBACK" | "ABORT", ["AND", "CHAIN", ..]) => Self::Begin,
            ("COMMIT", _) | ("XA", ["COMMIT", ..]) => Self::Commit,
            ("ROLLBACK", _) | ("XA", ["ROLLBACK", ..]) => Self::Rollback,
            ("END", _) if dialect != Dialect::MySql => Self::Commit,
            ("ABORT", _) if dialect == Dialect::PostgreSql => Self::Rollback,
            _ => Self::Other,
        }
    }

    /// Whether such a statement is there to change rows.
    pub fn writes(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Delete)
    }

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Begin => "begin",
            Self::Commit => "commit",
            Self::Rollback => "rollback",
            Self::Other => "other",
        }
    }
}

/// A statement that a workload will execute many times. Parameters are written `?` for every
/// server; a driver whose server wants another form changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text.
    pub sql: String,
}

/// Whether a transaction will write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads.
    ReadOnly,
    /// It may write.
    ReadWrite,
}

/// A part of a transaction that can be sent before the answer to what stands before it is there.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// Open a transaction.
    Begin(Access),
    /// Execute a prepared statement.
    Execute {
        /// Its index.
        statement: usize,
        /// As many as it takes.
        parameters: &'a [Value<'a>],
    },
    /// Commit.
    Commit,
}

/// A query whose answer tells it from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The statement, by its place among those that are prepared.
    pub statement: usize,
    /// Its parameters.
    pub parameters: Vec<i64>,
    /// What the first column of its row has.
    pub first_column: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_known_by_what_it_does_to_the_transaction() {
        use Dialect::{MySql, PostgreSql, Sqlite};
        const ALL: &[Dialect] = &[MySql, PostgreSql, Sqlite];
        for (sql, dialects, expected) in [
            ("begin", ALL, Verb::Begin),
            ("BEGIN IMMEDIATE", &[Sqlite], Verb::Begin),
            ("BEGIN TRANSACTION READ ONLY;", ALL, Verb::Begin),
            ("/* x */ START TRANSACTION WITH CONSISTENT SNAPSHOT", ALL, Verb::Begin),
            ("-- x\n start transaction", ALL, Verb::Begin),
            ("START SLAVE", &[MySql], Verb::Other),
            ("BEGIN NOT ATOMIC COMMIT; END", &[MySql], Verb::Other),
            ("COMMIT;", ALL, Verb::Commit),
            ("COMMIT WORK", ALL, Verb::Commit),
            ("COMMIT AND NO CHAIN", ALL, Verb::Commit),
            ("COMMIT RELEASE", &[MySql], Verb::Commit),
            ("commit and chain", &[MySql, PostgreSql], Verb::Begin),
            ("COMMIT WORK AND CHAIN", &[MySql, PostgreSql], Verb::Begin),
            ("ROLLBACK /* x */ AND CHAIN", &[MySql, PostgreSql], Verb::Begin),
            ("END TRANSACTION AND CHAIN", &[PostgreSql], Verb::Begin),
            ("COMMIT PREPARED 'a'", &[PostgreSql], Verb::Other),
            ("ROLLBACK PREPARED 'a'", &[PostgreSql], Verb::Other),
            ("PREPARE TRANSACTION 'a'", &[PostgreSql], Verb::Other),
            ("END", &[PostgreSql, Sqlite], Verb::Commit),
            ("END", &[MySql], Verb::Other),
            ("ABORT", &[PostgreSql], Verb::Rollback),
            ("rollback work", ALL, Verb::Rollback),
            ("ROLLBACK TO s", ALL, Verb::Other),
            ("ROLLBACK TO SAVEPOINT s", ALL, Verb::Other),
            ("ROLLBACK WORK TO SAVEPOINT s", &[MySql, PostgreSql], Verb::Other),
            ("ROLLBACK TRANSACTION TO s", &[PostgreSql, Sqlite], Verb::Other),
            ("SAVEPOINT s", ALL, Verb::Other),
            ("RELEASE SAVEPOINT s", ALL, Verb::Other),
            ("XA START 'a'", &[MySql], Verb::Begin),
            ("XA END 'a'", &[MySql], Verb::Other),
            ("XA PREPARE 'a'", &[MySql], Verb::Other),
            ("XA COMMIT 'a' ONE PHASE", &[MySql], Verb::Commit),
            ("XA ROLLBACK 'a'", &[MySql], Verb::Rollback),
            ("/* x */ select 1", ALL, Verb::Select),
            ("WITH a AS (SELECT 1) SELECT 1", ALL, Verb::Other),
            ("", ALL, Verb::Other),
        ] {
            for dialect in dialects {
                assert_eq!(Verb::of(sql, *dialect), expected, "{sql} {dialect:?}");
            }
        }
    }
}
