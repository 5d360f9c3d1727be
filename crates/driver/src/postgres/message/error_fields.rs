//! What a server says when it refuses: fields, each under a letter.

use contract::SqlError;

use super::{Fields, Malformed};
use crate::postgres::errors;

/// The error of an `ErrorResponse`.
pub(crate) fn server_error(payload: &[u8]) -> SqlError {
    match parse(payload) {
        Ok(error) => error,
        Err(malformed) => malformed.into(),
    }
}

fn parse(payload: &[u8]) -> Result<SqlError, Malformed> {
    let mut fields = Fields(payload);
    let (mut is_fatal, mut sqlstate) = (false, *b"XX000");
    let (mut schema, mut routine) = (&b""[..], &b""[..]);
    let (mut message, mut more) = (String::new(), String::new());
    loop {
        let kind = fields.u8()?;
        if kind == 0 {
            break;
        }
        let text = fields.string()?;
        match kind {
            // The severity: the first may be translated, the second is missing from relatives.
            b'S' | b'V' => is_fatal |= matches!(text, b"FATAL" | b"PANIC"),
            b'C' => sqlstate = text.try_into().map_err(|_| Malformed("an SQLSTATE is not one"))?,
            b's' => schema = text,
            b'R' => routine = text,
            b'M' => message = String::from_utf8_lossy(text).into_owned(),
            b'D' | b'H' => {
                more.push_str("; ");
                more.push_str(&String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }
    Ok(errors::from_server(sqlstate, is_fatal, schema, routine, &(message + &more)))
}

#[cfg(test)]
mod tests {
    use contract::ErrorClass;

    use super::*;

    const DEADLOCK: &[u8] = b"SERROR\0VERROR\0C40P01\0Mdeadlock detected\0DProcess 1 waits\0\
        HSee server log for query details.\0Fdeadlock.c\0\0";

    #[test]
    fn an_error_has_its_class_its_sqlstate_and_the_servers_words() {
        let error = server_error(DEADLOCK);
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::Deadlock, "40P01"));
        assert_eq!(
            error.to_string(),
            "deadlock detected; Process 1 waits; See server log for query details. \
             (SQLSTATE 40P01)"
        );
    }

    #[test]
    fn an_error_that_ends_the_connection_says_so() {
        let error = server_error(b"SFATAL\0VFATAL\0C25P03\0Mterminating connection\0\0");
        assert_eq!(error.class(), ErrorClass::ConnectionLost);
        let error = server_error(b"SFATAL\0VFATAL\0C28P01\0Mpassword\0\0");
        assert_eq!(error.class(), ErrorClass::AccessDenied);
    }

    #[test]
    fn a_duplicate_among_the_servers_own_keys_is_what_another_session_has_made() {
        for (schema, expected) in
            [("pg_catalog", ErrorClass::AlreadyExists), ("public", ErrorClass::DuplicateKey)]
        {
            let payload = format!("SERROR\0VERROR\0C23505\0Mduplicate key\0s{schema}\0tx\0\0");
            assert_eq!(server_error(payload.as_bytes()).class(), expected, "{schema}");
        }
    }

    #[test]
    fn what_is_no_error_message_is_malformed() {
        for end in 0..DEADLOCK.len() {
            assert_eq!(server_error(&DEADLOCK[..end]).class(), ErrorClass::Protocol, "{end}");
        }
        assert_eq!(server_error(b"C123\0\0").class(), ErrorClass::Protocol);
    }
}
