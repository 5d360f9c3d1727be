//! The packets that say how a command went.

use contract::SqlError;

use super::{Fields, Malformed};
use crate::mysql::errors;

/// The session's state as the server sends it along with every success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerStatus(pub u16);

impl ServerStatus {
    /// A transaction is open.
    pub const IN_TRANSACTION: Self = Self(0x0001);

    /// Whether a transaction is open.
    pub fn in_transaction(self) -> bool {
        self.0 & Self::IN_TRANSACTION.0 != 0
    }

    /// The flags of both.
    #[inline]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the answer to another statement of the same text follows.
    pub fn has_more_results(self) -> bool {
        self.0 & 0x0008 != 0
    }

    /// Whether each statement outside a transaction is one of its own.
    pub fn autocommits(self) -> bool {
        self.0 & 0x0002 != 0
    }

    /// Whether a backslash in a string is just a backslash.
    pub fn takes_backslashes_literally(self) -> bool {
        self.0 & 0x0200 != 0
    }
}

/// What a command did that returned no rows, or what followed its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Success {
    pub affected: u64,
    pub status: ServerStatus,
    pub warnings: u16,
}

impl Success {
    /// Takes an OK packet apart, whichever byte it begins with.
    #[inline]
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(payload);
        fields.u8()?;
        let affected = fields.length()?;
        let _last_insert_id = fields.length()?;
        let status = ServerStatus(fields.u16()?);
        Ok(Self { affected, status, warnings: fields.u16()? })
    }

    /// Takes apart the packet that older servers send in its place behind rows.
    pub fn parse_end_of_file(payload: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(payload);
        fields.u8()?;
        let warnings = fields.u16()?;
        Ok(Self { affected: 0, status: ServerStatus(fields.u16()?), warnings })
    }
}

/// The error that an error packet tells of. Before a server knows its client, it leaves the SQLSTATE
/// out.
#[cold]
pub(crate) fn server_error(payload: &[u8]) -> SqlError {
    let mut fields = Fields(payload);
    let parsed = fields.u8().and_then(|_| fields.u16());
    let Ok(number) = parsed else { return Malformed("an error has no number").into() };
    let (sqlstate, message) = match fields.0.split_first_chunk::<6>() {
        Some(([b'#', sqlstate @ ..], message)) => (*sqlstate, message),
        _ => (*b"HY000", fields.0),
    };
    errors::from_server(number, sqlstate, &String::from_utf8_lossy(message))
}

#[cfg(test)]
mod tests {
    use contract::ErrorClass;

    use super::*;

    #[test]
    fn an_ok_packet_gives_its_counts_and_flags() {
        let success = Success::parse(b"\x00\xfc\xe8\x03\x00\x03\x02\x05\x00").unwrap();
        assert_eq!((success.affected, success.warnings), (1000, 5));
        assert!(success.status.in_transaction() && success.status.autocommits());
        assert!(success.status.takes_backslashes_literally());
        for end in 0..9 {
            assert!(Success::parse(&b"\x00\xfc\xe8\x03\x00\x03\x02\x05\x00"[..end]).is_err());
        }
    }

    #[test]
    fn an_error_is_understood_with_and_without_its_sqlstate() {
        let error = server_error(b"\xff\xbd\x04#40001Deadlock found");
        assert_eq!((error.code(), error.sqlstate()), (1213, "40001"));
        assert_eq!((error.class(), error.message()), (ErrorClass::Deadlock, "Deadlock found"));
        let error = server_error(b"\xff\x10\x04Too many connections");
        assert_eq!((error.code(), error.class()), (1040, ErrorClass::TooManyConnections));
        assert_eq!(error.message(), "Too many connections");
        assert_eq!(server_error(b"\xff\x10").class(), ErrorClass::Protocol);
    }
}
