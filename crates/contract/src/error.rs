//! What can go wrong with a statement, in classes that mean the same for every server.

use std::fmt;

/// What an error means for the one who sent the statement, whatever the server calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorClass {
    /// The server ended the transaction to break a deadlock.
    Deadlock,
    /// A lock was not granted in the time that the server allows.
    LockWaitTimeout,
    /// The transaction could not be serialized with others (SQLSTATE 40001, snapshot conflicts).
    SerializationFailure,
    /// A unique key was already there.
    DuplicateKey,
    /// A foreign key, check or not-null constraint refused the row.
    ConstraintViolation,
    /// The connection ended while it was in use.
    ConnectionLost,
    /// There was no server, or it did not take the connection.
    ConnectionRefused,
    /// The server has as many connections (or prepared statements) as it allows.
    TooManyConnections,
    /// User, password, right or encryption was not accepted.
    AccessDenied,
    /// The server, or the transaction, takes no writes.
    ReadOnly,
    /// No answer within our own time limit.
    Timeout,
    /// Disk full, out of memory, a limit of the server reached.
    ResourceExhausted,
    /// The server does not know the prepared statement any more: a layer in front of it has changed
    /// servers, or forgot it.
    StatementLost,
    /// The statement names what is not there, or is not SQL.
    InvalidStatement,
    /// The table, index or constraint that is to be made is there already.
    AlreadyExists,
    /// The answer was not what the protocol allows.
    Protocol,
    /// Anything else.
    Other,
}

impl ErrorClass {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Deadlock,
        Self::LockWaitTimeout,
        Self::SerializationFailure,
        Self::DuplicateKey,
        Self::ConstraintViolation,
        Self::ConnectionLost,
        Self::ConnectionRefused,
        Self::TooManyConnections,
        Self::AccessDenied,
        Self::ReadOnly,
        Self::Timeout,
        Self::ResourceExhausted,
        Self::StatementLost,
        Self::InvalidStatement,
        Self::AlreadyExists,
        Self::Protocol,
        Self::Other,
    ];

    /// Whether the same transaction, sent again, may well succeed.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Deadlock
                | Self::LockWaitTimeout
                | Self::SerializationFailure
                | Self::StatementLost
        )
    }

    /// Whether the connection can't be used any more.
    pub fn ends_connection(self) -> bool {
        matches!(
            self,
            Self::ConnectionLost | Self::ConnectionRefused | Self::Timeout | Self::Protocol
        )
    }

    /// Whether the transaction that met it is certainly not committed. An error without a class of its
    /// own may be one that a COMMIT has met in its middle.
    pub fn undoes(self) -> bool {
        !self.ends_connection() && !matches!(self, Self::Other | Self::ResourceExhausted)
    }

    /// The name in results and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::LockWaitTimeout => "lock_wait_timeout",
            Self::SerializationFailure => "serialization_failure",
            Self::DuplicateKey => "duplicate_key",
            Self::ConstraintViolation => "constraint_violation",
            Self::ConnectionLost => "connection_lost",
            Self::ConnectionRefused => "connection_refused",
            Self::TooManyConnections => "too_many_connections",
            Self::AccessDenied => "access_denied",
            Self::ReadOnly => "read_only",
            Self::Timeout => "timeout",
            Self::ResourceExhausted => "resource_exhausted",
            Self::StatementLost => "statement_lost",
            Self::InvalidStatement => "invalid_statement",
            Self::AlreadyExists => "already_exists",
            Self::Protocol => "protocol",
            Self::Other => "other",
        }
    }
}

/// An error as a server, or the driver in its place, gave it.
#[derive(Clone, Debug)]
pub struct SqlError(
    /// Boxed: in place it would make every result larger that is handed up through the futures of a
    /// statement.
    Box<Details>,
);

#[derive(Clone, Debug)]
struct Details {
    class: ErrorClass,
    code: i32,
    sqlstate: [u8; 5],
    message: String,
}

/// The SQLSTATE where a server gives none: "general error".
const GENERAL_ERROR: [u8; 5] = *b"HY000";

impl SqlError {
    /// An error of the server's: its number, its SQLSTATE and its words.
    pub fn server(
        class: ErrorClass,
        code: i32,
        sqlstate: [u8; 5],
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Details { class, code, sqlstate, message: message.into() }))
    }

    /// An error found by the driver, which has no number.
    pub fn driver(class: ErrorClass, message: impl Into<String>) -> Self {
        Self::server(class, 0, GENERAL_ERROR, message)
    }

    /// A statement is to be executed that is not there.
    #[cold]
    pub fn not_prepared(statement: usize) -> Self {
        let message = format!("statement {statement} was not prepared");
        Self::driver(ErrorClass::InvalidStatement, message)
    }

    /// A statement is to be executed with more or fewer parameters than it takes.
    #[cold]
    pub fn wrong_parameters(sql: &str, wanted: usize, given: usize) -> Self {
        let message =
            format!("{given} parameters are given, but the statement takes {wanted}: {sql}");
        Self::driver(ErrorClass::InvalidStatement, message)
    }

    /// The same error, with what was being done.
    #[must_use]
    pub fn while_doing(mut self, what: &str) -> Self {
        self.0.message = format!("{} (while {what})", self.0.message);
        self
    }

    /// The same error, with what may help.
    #[must_use]
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.0.message = format!("{}; {advice}", self.0.message);
        self
    }

    /// What it means.
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// The server's number for it; 0 where the driver found it.
    pub fn code(&self) -> i32 {
        self.0.code
    }

    /// The SQLSTATE; `HY000` where the server gives none.
    pub fn sqlstate(&self) -> &str {
        std::str::from_utf8(&self.0.sqlstate).unwrap_or("HY000")
    }

    /// The server's words.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())?;
        match (self.code(), self.0.sqlstate) {
            (0, GENERAL_ERROR) => Ok(()),
            // PostgreSQL has no numbers.
            (0, _) => write!(formatter, " (SQLSTATE {})", self.sqlstate()),
            (code, _) => write!(formatter, " (error {code}, SQLSTATE {})", self.sqlstate()),
        }
    }
}

impl std::error::Error for SqlError {}
