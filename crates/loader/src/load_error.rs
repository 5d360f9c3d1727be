//! Why a dataset is not there.

use contract::SqlError;

/// Why a dataset is not there.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The server refused something.
    #[error("{doing}: {error}")]
    Server {
        /// What was being done.
        doing: String,
        /// The server's words.
        error: SqlError,
    },
    /// A table is there already; nothing was changed.
    #[error(
        "table {table} is there already, and nothing is overwritten: drop it, or choose another \
         database"
    )]
    TablePresent {
        /// Which.
        table: String,
    },
    /// A table is not there that was to be.
    #[error("table {table} is not there: make all tables before, or let dbdyno make them")]
    TableMissing {
        /// Which.
        table: String,
    },
    /// A table that is there is not seen over another connection.
    #[error(
        "table {table} is not there on another connection, {waited_s} s after it was made: servers \
         behind one address must share their tables; load through the address of one of them"
    )]
    TableNotSeen {
        /// Which.
        table: String,
        /// How long it was looked for.
        waited_s: u64,
    },
    /// A table has rows that were not to be there.
    #[error("table {table} has rows already, and nothing is overwritten: empty it")]
    TableNotEmpty {
        /// Which.
        table: String,
    },
    /// A table holds something else.
    #[error(
        "table {table} is not what this experiment would load, and nothing is overwritten: drop it, \
         or choose another database ({sql} gives {found}, expected {expected})"
    )]
    OtherContent {
        /// Which.
        table: String,
        /// The question.
        sql: String,
        /// The answer.
        found: String,
        /// The right answer.
        expected: String,
    },
    /// Some tables are there and some are not.
    #[error(
        "the dataset is there in part only: {present}, but not {missing}; drop what is there or \
         choose another database"
    )]
    Incomplete {
        /// Which are there.
        present: String,
        /// The first that is not.
        missing: String,
    },
    /// A load of something else was begun here, and did not come to its end.
    #[error(
        "the loading of another dataset was begun in this database and has not come to its end, and \
         nothing is overwritten: load that one again to go on with it, drop its tables and the \
         table dbdyno_loading, or choose another database (it was {found}, and this is {expected})"
    )]
    OtherLoading {
        /// What was being loaded.
        found: String,
        /// What is to be loaded.
        expected: String,
    },
    /// Ended from outside.
    #[error("the loading was stopped before its end; {}", if *.is_resumable {
        "load again to go on where it was"
    } else {
        "its tables are incomplete"
    })]
    Stopped {
        /// Whether it can go on.
        is_resumable: bool,
    },
    /// The operating system refused something.
    #[error("the loader could not work: {0}")]
    System(#[from] std::io::Error),
}

/// A statement that a server does not parse or support: `MySQL`'s numbers, among them those under which
/// layers in front of servers say whatever they have to say.
const UNKNOWN_STATEMENT_CODES: [i32; 6] = [1003, 1064, 1105, 1235, 1289, 3054];
/// The same by SQLSTATE, in `PostgreSQL` and what speaks like it.
const UNKNOWN_STATEMENT_STATES: [&str; 2] = ["0A000", "42601"];

impl LoadError {
    /// Whether the server does not know this kind of statement.
    pub(crate) fn is_unknown_statement(&self) -> bool {
        let Self::Server { error, .. } = self else { return false };
        UNKNOWN_STATEMENT_CODES.contains(&error.code())
            || UNKNOWN_STATEMENT_STATES.contains(&error.sqlstate())
    }
}

/// Puts what was being done before the server's words.
pub(crate) fn server_error(doing: impl Into<String>) -> impl FnOnce(SqlError) -> LoadError {
    let doing = doing.into();
    move |error| LoadError::Server { doing, error }
}
