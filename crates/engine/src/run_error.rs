//! Why there was no trial, in words that say what to do.

use contract::{ErrorClass, SqlError, Workload};

use crate::options::{Arrivals, Options};

/// Why there was no trial.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A client could not be made ready.
    #[error("client {client} of {clients} could not connect and prepare: {error}{}", advice(.error))]
    Refused {
        /// Which.
        client: u64,
        /// Of how many.
        clients: usize,
        /// Why.
        error: SqlError,
    },
    /// What was asked can't be done.
    #[error("{0}")]
    Unsupported(String),
    /// The log of transactions can't be begun.
    #[error("the log of transactions {path} can't be begun: {error}")]
    TransactionLog {
        /// Where it was to be.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The operating system refused something.
    #[error("the generator could not work: {0}")]
    System(#[from] std::io::Error),
    /// A wait that has no limit of its own.
    #[error("the generator did not come to an end: {0}; this is a defect of dbdyno")]
    Stuck(String),
    /// A defect of this program.
    #[error("a worker ended in a panic: {0}")]
    Panic(String),
}

fn advice(error: &SqlError) -> &'static str {
    if is_prepared_for_another(error) {
        return "; a pooler that gives each transaction another of the server's connections \
                (PgBouncer's pool_mode=transaction) mixes up its clients' prepared statements: have \
                each parsed anew (protocol: extended; pgbench's -M extended), send text (protocol: \
                text; pgbench's -M simple; sysbench's --db-ps-mode=disable), or use the pooler's \
                mode session";
    }
    match error.class() {
        ErrorClass::TooManyConnections => {
            "; raise max_connections (or max_prepared_stmt_count) of the server, or use fewer clients"
        }
        ErrorClass::ConnectionRefused => "; is the server up, and are host and port right?",
        ErrorClass::AccessDenied if error.message().starts_with("TLS") => {
            "; check ssl_mode and ssl_ca, and the server's certificate"
        }
        ErrorClass::AccessDenied => "; check user, password and database",
        ErrorClass::InvalidStatement if is_missing_table(error) => "; are the tables loaded?",
        _ => "",
    }
}

/// By `PostgreSQL`'s SQLSTATE for a statement that is prepared already, or no longer.
fn is_prepared_for_another(error: &SqlError) -> bool {
    matches!(error.sqlstate(), "42P05" | "26000")
}

/// By the standard's SQLSTATE, by `PostgreSQL`'s, or by the words of `SQLite`, which has none.
fn is_missing_table(error: &SqlError) -> bool {
    matches!(error.sqlstate(), "42S02" | "42P01") || error.message().contains("no such table")
}

/// Why a workload can't be run so.
pub(crate) fn unsupported<W: Workload>(workload: &W, options: &Options) -> Option<&'static str> {
    // Both are counted or written from the start of the window on, which would not be known yet.
    if options.warmup_least.is_some()
        && (options.transactions.is_some() || options.transaction_log.is_some())
    {
        return Some(
            "a trial of so many transactions, or with a log of them, has a warm-up of fixed length",
        );
    }
    match options.arrivals {
        Arrivals::Closed => None,
        Arrivals::Constant { .. } | Arrivals::Poisson { .. } => workload.needs_closed_loop(),
    }
}
