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

/// Puts what was being done before the server's words.
pub(crate) fn server_error(doing: impl Into<String>) -> impl FnOnce(SqlError) -> LoadError {
    let doing = doing.into();
    move |error| LoadError::Server { doing, error }
}
