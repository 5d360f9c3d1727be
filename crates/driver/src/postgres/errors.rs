//! What the server's SQLSTATEs mean.

use contract::{ErrorClass, SqlError};

use super::message::Malformed;
use crate::stream::StreamError;

/// Beginnings of SQLSTATEs by their meaning, the more particular before the more general.
const CLASSES: &[(&str, ErrorClass)] = &[
    ("08", ErrorClass::ConnectionLost),
    // A feature that is not supported.
    ("0A", ErrorClass::InvalidStatement),
    // A string is too long, a number out of range.
    ("22", ErrorClass::ConstraintViolation),
    ("23505", ErrorClass::DuplicateKey),
    ("23", ErrorClass::ConstraintViolation),
    ("25006", ErrorClass::ReadOnly),
    ("26", ErrorClass::StatementLost),
    ("28", ErrorClass::AccessDenied),
    ("3D", ErrorClass::InvalidStatement),
    ("3F", ErrorClass::InvalidStatement),
    ("40001", ErrorClass::SerializationFailure),
    ("40P01", ErrorClass::Deadlock),
    ("42501", ErrorClass::AccessDenied),
    // A database, a schema, a table or an index, a constraint.
    ("42P04", ErrorClass::AlreadyExists),
    ("42P06", ErrorClass::AlreadyExists),
    ("42P07", ErrorClass::AlreadyExists),
    ("42710", ErrorClass::AlreadyExists),
    // A definition that can't be: hardly ever anything else than a second primary key.
    ("42P16", ErrorClass::AlreadyExists),
    ("42", ErrorClass::InvalidStatement),
    ("53300", ErrorClass::TooManyConnections),
    ("53", ErrorClass::ResourceExhausted),
    ("54", ErrorClass::ResourceExhausted),
    ("55P03", ErrorClass::LockWaitTimeout),
    // The server's own limit of time, or somebody's wish.
    ("57014", ErrorClass::ResourceExhausted),
    // Starting up or shutting down.
    ("57P03", ErrorClass::ConnectionRefused),
    ("57P", ErrorClass::ConnectionLost),
];

/// The SQLSTATEs for errors that no server sends.
const CANNOT_CONNECT: [u8; 5] = *b"08001";
const CONNECTION_FAILURE: [u8; 5] = *b"08006";
const PROTOCOL_VIOLATION: [u8; 5] = *b"08P01";

fn class(sqlstate: [u8; 5]) -> ErrorClass {
    let begins = |(prefix, _): &&(&str, ErrorClass)| sqlstate.starts_with(prefix.as_bytes());
    CLASSES.iter().find(begins).map_or(ErrorClass::Other, |(_, class)| *class)
}

/// The schema of the server's own tables.
const CATALOG: &[u8] = b"pg_catalog";

/// Where the server finds that the tables of a prepared statement were changed. Its words, "cached plan
/// must not change result type", may be translated.
const REVALIDATION: &[u8] = b"RevalidateCachedQuery";

/// An error that a routine of the server's sent, about something in a schema where that is not empty. A
/// fatal one is its last word on this connection, whatever else its SQLSTATE means.
pub(super) fn from_server(
    sqlstate: [u8; 5],
    is_fatal: bool,
    schema: &[u8],
    routine: &[u8],
    message: &str,
) -> SqlError {
    let class = match class(sqlstate) {
        ErrorClass::InvalidStatement if routine == REVALIDATION => ErrorClass::StatementLost,
        refusal @ (ErrorClass::AccessDenied
        | ErrorClass::ConnectionRefused
        | ErrorClass::InvalidStatement
        | ErrorClass::TooManyConnections) => refusal,
        _ if is_fatal => ErrorClass::ConnectionLost,
        // Two sessions make the same thing at once, and this one comes second.
        ErrorClass::DuplicateKey if schema == CATALOG => ErrorClass::AlreadyExists,
        class => class,
    };
    SqlError::server(class, 0, sqlstate, message)
}

/// An error of the connection, with what was being waited for.
pub(super) fn from_stream(error: &StreamError, waited_for: &str) -> SqlError {
    let sqlstate = match error {
        StreamError::Refused { .. } => CANNOT_CONNECT,
        StreamError::Lost(_) | StreamError::Tls(_) | StreamError::Timeout => CONNECTION_FAILURE,
    };
    SqlError::server(error.class(), 0, sqlstate, error.while_waiting_for(waited_for))
}

impl From<Malformed> for SqlError {
    fn from(malformed: Malformed) -> Self {
        let message = format!("the server's answer breaks the protocol: {}", malformed.0);
        Self::server(ErrorClass::Protocol, 0, PROTOCOL_VIOLATION, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sqlstate_has_the_class_of_its_longest_beginning() {
        for (sqlstate, expected) in [
            (b"40001", ErrorClass::SerializationFailure),
            (b"40P01", ErrorClass::Deadlock),
            (b"40002", ErrorClass::Other),
            (b"23505", ErrorClass::DuplicateKey),
            (b"23503", ErrorClass::ConstraintViolation),
            (b"25006", ErrorClass::ReadOnly),
            (b"26000", ErrorClass::StatementLost),
            (b"25P02", ErrorClass::Other),
            (b"42501", ErrorClass::AccessDenied),
            (b"42P01", ErrorClass::InvalidStatement),
            (b"42P07", ErrorClass::AlreadyExists),
            (b"53300", ErrorClass::TooManyConnections),
            (b"53100", ErrorClass::ResourceExhausted),
            (b"55P03", ErrorClass::LockWaitTimeout),
            (b"57P01", ErrorClass::ConnectionLost),
            (b"57P03", ErrorClass::ConnectionRefused),
            (b"XX000", ErrorClass::Other),
        ] {
            assert_eq!(class(*sqlstate), expected, "{}", String::from_utf8_lossy(sqlstate));
        }
        for (index, (prefix, _)) in CLASSES.iter().enumerate() {
            let hides = |(earlier, _): &&(&str, ErrorClass)| prefix.starts_with(*earlier);
            assert_eq!(CLASSES[..index].iter().find(hides), None, "{prefix}");
        }
    }
}
