//! What is asked of a server: statements, the SQL that it speaks, and what a transaction is made of.

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

/// The first word of a statement: what servers count them by.
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
    /// BEGIN, START TRANSACTION
    Begin,
    /// COMMIT
    Commit,
    /// ROLLBACK
    Rollback,
    /// Anything else.
    Other,
}

impl Verb {
    /// The verb of a statement.
    pub fn of(sql: &str) -> Self {
        let word = sql.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
        match word.as_str() {
            "select" => Self::Select,
            "insert" => Self::Insert,
            "update" => Self::Update,
            "delete" => Self::Delete,
            "begin" | "start" => Self::Begin,
            "commit" => Self::Commit,
            "rollback" => Self::Rollback,
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
