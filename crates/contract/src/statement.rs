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
    /// From now on each statement leaves a transaction open: SET autocommit=0.
    AutocommitOff,
    /// From now on a statement without BEGIN leaves none open: SET autocommit=1.
    AutocommitOn,
    /// From now on each COMMIT may be a COMMIT AND CHAIN: SET `completion_type=CHAIN`.
    Chains,
}

/// How a statement about transactions is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// As short as it can be, or with words that change nothing: `BEGIN WORK`.
    Plain,
    /// It opens a transaction and says more about it: `BEGIN ISOLATION LEVEL SERIALIZABLE`.
    WithOptions,
    /// In another way: `COMMIT AND CHAIN`, `XA START 'a'`. Or it is not about transactions.
    Other,
}

/// More words behind the first say nothing new: `COMMIT WORK AND NO CHAIN`.
const MOST_WORDS_BEHIND: usize = 5;

/// Statements about rows.
const ABOUT_ROWS: [(&str, Verb); 4] = [
    ("SELECT", Verb::Select),
    ("INSERT", Verb::Insert),
    ("UPDATE", Verb::Update),
    ("DELETE", Verb::Delete),
];

/// What statements about transactions begin with.
const ABOUT_TRANSACTIONS: [&str; 7] =
    ["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "XA"];

/// Settings of `MySQL` that may leave a transaction open: with what values they do not, and what they do
/// then and otherwise.
const ABOUT_OPEN_TRANSACTIONS: [(&str, &[&str], Verb, Verb); 2] = [
    ("autocommit", &["1", "ON", "TRUE"], Verb::AutocommitOn, Verb::AutocommitOff),
    ("completion_type", &["0", "NO_CHAIN"], Verb::Other, Verb::Chains),
];

impl Verb {
    /// The verb of a statement.
    pub fn of(sql: &str, dialect: Dialect) -> Self {
        Self::and_wording(sql, dialect).0
    }

    /// The verb of a statement, and how it is written.
    pub fn and_wording(sql: &str, dialect: Dialect) -> (Self, Wording) {
        let mut words = words(sql, dialect).filter(|word| *word != ";");
        let first = words.next().unwrap_or_default();
        let is = |known: &&str| known.eq_ignore_ascii_case(first);
        if let Some((_, verb)) = ABOUT_ROWS.iter().find(|(known, _)| is(known)) {
            return (*verb, Wording::Other);
        }
        if let Some(first) = ABOUT_TRANSACTIONS.iter().find(|known| is(known)) {
            let behind = words.take(MOST_WORDS_BEHIND).map(str::to_ascii_uppercase);
            let behind: Vec<String> = behind.collect();
            let behind: Vec<&str> = behind.iter().map(String::as_str).collect();
            return Self::of_transaction(first, &behind);
        }
        let verb = match dialect {
            Dialect::MySql if is(&"SET") => Self::of_settings(&words.collect::<Vec<_>>()),
            _ => Self::Other,
        };
        (verb, Wording::Other)
    }

    /// The verb of a statement about transactions: its first word, and those behind it. Workloads may write
    /// what only some servers know, such as END.
    fn of_transaction(first: &str, words: &[&str]) -> (Self, Wording) {
        use Wording::{Other, Plain, WithOptions};
        let words = match words {
            ["WORK" | "TRANSACTION", options @ ..] if first != "START" => options,
            words => words,
        };
        let wording = match words {
            [] | ["AND", "NO", "CHAIN"] => Plain,
            _ => Other,
        };
        match (first, words) {
            // A block of statements in MariaDB, in no transaction of its own.
            ("BEGIN", ["NOT", ..])
            // One that was prepared by another session in PostgreSQL, or may have been.
            | ("COMMIT" | "ROLLBACK", ["PREPARED", ..])
            | ("ROLLBACK", ["TO", ..]) => (Self::Other, Other),
            ("BEGIN", []) | ("START", ["TRANSACTION"]) => (Self::Begin, Plain),
            ("BEGIN", _) | ("START", ["TRANSACTION", ..]) => (Self::Begin, WithOptions),
            ("XA", ["START" | "BEGIN", ..])
            | ("COMMIT" | "END" | "ROLLBACK" | "ABORT", ["AND", "CHAIN", ..]) => (Self::Begin, Other),
            ("COMMIT" | "END", _) => (Self::Commit, wording),
            ("XA", ["COMMIT", ..]) => (Self::Commit, Other),
            ("ROLLBACK" | "ABORT", _) => (Self::Rollback, wording),
            ("XA", ["ROLLBACK", ..]) => (Self::Rollback, Other),
            _ => (Self::Other, Other),
        }
    }

    /// The verb of a SET. A value that only the server can tell may leave a transaction open.
    fn of_settings(words: &[&str]) -> Self {
        let mut verb = Self::Other;
        for (place, word) in words.iter().enumerate() {
            let name = word.trim_matches('`');
            let is_named = |setting: &&(&str, _, _, _)| setting.0.eq_ignore_ascii_case(name);
            let known = ABOUT_OPEN_TRANSACTIONS.iter().find(is_named);
            let Some((_, harmless, closed, open)) = known else { continue };
            let ([":", "=", value, ..] | ["=", value, ..]) = words[place + 1..] else { continue };
            let is_of_session = match words[..place] {
                [.., "@", "@", scope, "."] | [.., scope] if is_global(scope) => false,
                [.., "@", "@"] => true,
                // A variable of the user's.
                [.., "@"] => false,
                _ => true,
            };
            if is_of_session {
                let value = value.trim_matches(['\'', '"']);
                let is_harmless = harmless.iter().any(|known| known.eq_ignore_ascii_case(value));
                verb = *if is_harmless { closed } else { open };
            }
        }
        verb
    }

    /// Whether a transaction may be open behind it that nothing in its text begins.
    pub fn leaves_open(self) -> bool {
        matches!(self, Self::AutocommitOff | Self::Chains)
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
            Self::Other | Self::AutocommitOff | Self::AutocommitOn | Self::Chains => "other",
        }
    }
}

/// Whether a setting is that of sessions to come.
fn is_global(scope: &str) -> bool {
    let global = ["GLOBAL", "PERSIST", "PERSIST_ONLY"];
    global.iter().any(|known| known.eq_ignore_ascii_case(scope))
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
    fn what_opens_a_transaction_as_a_connection_does_is_told_from_what_says_more() {
        for (sql, expected) in [
            ("begin", (Verb::Begin, Wording::Plain)),
            ("BEGIN;", (Verb::Begin, Wording::Plain)),
            ("/* x */ Begin Work -- y", (Verb::Begin, Wording::Plain)),
            ("START TRANSACTION", (Verb::Begin, Wording::Plain)),
            ("START TRANSACTION READ ONLY", (Verb::Begin, Wording::WithOptions)),
            ("BEGIN IMMEDIATE", (Verb::Begin, Wording::WithOptions)),
            ("BEGIN WORK ISOLATION LEVEL SERIALIZABLE", (Verb::Begin, Wording::WithOptions)),
            ("END;", (Verb::Commit, Wording::Plain)),
            ("commit work", (Verb::Commit, Wording::Plain)),
            ("commit work and no chain", (Verb::Commit, Wording::Plain)),
            ("COMMIT AND CHAIN", (Verb::Begin, Wording::Other)),
            ("COMMIT RELEASE", (Verb::Commit, Wording::Other)),
            ("ROLLBACK AND NO CHAIN", (Verb::Rollback, Wording::Plain)),
            ("BEGIN NOT ATOMIC SELECT 1; END", (Verb::Other, Wording::Other)),
            ("ABORT", (Verb::Rollback, Wording::Plain)),
            ("ROLLBACK TO SAVEPOINT a", (Verb::Other, Wording::Other)),
            ("SELECT 1", (Verb::Select, Wording::Other)),
            ("", (Verb::Other, Wording::Other)),
        ] {
            assert_eq!(Verb::and_wording(sql, Dialect::PostgreSql), expected, "{sql}");
        }
    }

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
            ("END", ALL, Verb::Commit),
            ("ABORT", ALL, Verb::Rollback),
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
            ("SET autocommit=0", &[MySql], Verb::AutocommitOff),
            ("/* x */ set SESSION autocommit = OFF;", &[MySql], Verb::AutocommitOff),
            ("# x\nSET @@autocommit=0", &[MySql], Verb::AutocommitOff),
            ("SET @@Session.`autocommit` := 'off'", &[MySql], Verb::AutocommitOff),
            ("SET sql_mode = '', autocommit = false", &[MySql], Verb::AutocommitOff),
            ("SET autocommit = @a", &[MySql], Verb::AutocommitOff),
            ("SET autocommit=0", &[Sqlite, PostgreSql], Verb::Other),
            ("SET LOCAL autocommit = ON", &[MySql], Verb::AutocommitOn),
            ("SET GLOBAL autocommit = 0", &[MySql], Verb::Other),
            ("SET @@global.autocommit = 0", &[MySql], Verb::Other),
            ("SET @autocommit = 0", &[MySql], Verb::Other),
            ("SET completion_type = CHAIN", &[MySql], Verb::Chains),
            ("SET @@completion_type = 1", &[MySql], Verb::Chains),
            ("SET completion_type = 'NO_CHAIN'", &[MySql], Verb::Other),
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
