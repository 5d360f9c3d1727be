//! Proves to a server who we are, by the method that it asks for.

use bytes::BytesMut;
use contract::{ErrorClass, SqlError};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::frontend;

use super::message::{Fields, Malformed};
use crate::network::Privacy;
use crate::target::Target;

/// The methods by the numbers of the protocol.
const OK: u32 = 0;
const CLEARTEXT_PASSWORD: u32 = 3;
const MD5_PASSWORD: u32 = 5;
const SASL: u32 = 10;
const SASL_CONTINUE: u32 = 11;
const SASL_FINAL: u32 = 12;

/// A server names how often the password is hashed, and so how long signing on takes: this many take
/// a second. `PostgreSQL` wants 4096 unless it is told otherwise.
const MOST_ITERATIONS: u64 = 2_000_000;

/// A proof in progress.
pub(super) struct Authentication<'a> {
    target: &'a Target,
    privacy: Privacy,
    scram: Option<ScramSha256>,
}

impl<'a> Authentication<'a> {
    pub fn new(target: &'a Target, privacy: Privacy) -> Self {
        Self { target, privacy, scram: None }
    }

    /// Answers one request of the server's; what is appended is to be sent.
    pub fn answer(&mut self, request: &[u8], out: &mut BytesMut) -> Result<(), SqlError> {
        let mut fields = Fields(request);
        let written = match fields.u32()? {
            OK | SASL_FINAL if self.scram.is_some() => self.finish(request),
            OK => Ok(()),
            CLEARTEXT_PASSWORD => {
                let is_allowed = self.target.consent.clear_text;
                self.privacy.check_clear_text(is_allowed).map_err(would_reveal_password)?;
                frontend::password_message(self.password()?.as_bytes(), out)
            }
            MD5_PASSWORD => {
                let salt = fields.bytes(4)?.try_into().map_err(|_| Malformed("a salt is short"))?;
                let (user, password) = (self.target.user.as_bytes(), self.password()?.as_bytes());
                frontend::password_message(md5_hash(user, password, salt).as_bytes(), out)
            }
            SASL => return self.start_scram(fields, out),
            SASL_CONTINUE => self.go_on(fields.0, out),
            method => return Err(unknown_method(method)),
        };
        written.map_err(|error| refused(&error.to_string()))
    }

    fn password(&self) -> Result<&str, SqlError> {
        let password = self.target.password.0.as_str();
        if password.is_empty() {
            let message = format!(
                "the server wants a password for the user {}, and none is given",
                self.target.user
            );
            return Err(SqlError::server(ErrorClass::AccessDenied, 0, *b"28P01", message));
        }
        Ok(password)
    }

    fn start_scram(&mut self, mut methods: Fields<'_>, out: &mut BytesMut) -> Result<(), SqlError> {
        let mut offered = Vec::new();
        while methods.0.first().is_some_and(|byte| *byte != 0) {
            offered.push(String::from_utf8_lossy(methods.string()?).into_owned());
        }
        if !offered.iter().any(|method| method == SCRAM_SHA_256) {
            return Err(refused(&format!("the server offers only {}", offered.join(", "))));
        }
        let scram = ScramSha256::new(self.password()?.as_bytes(), ChannelBinding::unsupported());
        let written = frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out);
        self.scram = Some(scram);
        written.map_err(|error| refused(&error.to_string()))
    }

    fn go_on(&mut self, challenge: &[u8], out: &mut BytesMut) -> std::io::Result<()> {
        let Some(scram) = &mut self.scram else { return Err(out_of_order()) };
        if iterations(challenge) > MOST_ITERATIONS {
            return Err(std::io::Error::other("it wants more work than a password is worth"));
        }
        scram.update(challenge)?;
        frontend::sasl_response(scram.message(), out)
    }

    /// The server, too, must prove that it knows the password.
    fn finish(&mut self, request: &[u8]) -> std::io::Result<()> {
        let mut fields = Fields(request);
        let is_final = fields.u32().is_ok_and(|method| method == SASL_FINAL);
        match self.scram.take() {
            Some(mut scram) if is_final => scram.finish(fields.0),
            _ => Err(out_of_order()),
        }
    }
}

/// What follows `i=` (RFC 5802, 5.1); what can't be read is left to the library.
fn iterations(challenge: &[u8]) -> u64 {
    let mut parts = challenge.split(|byte| *byte == b',');
    let number = parts.find_map(|part| part.strip_prefix(b"i="));
    number.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or(0)
}

fn out_of_order() -> std::io::Error {
    std::io::Error::other("the server left out a step of SCRAM-SHA-256")
}

fn refused(reason: &str) -> SqlError {
    let message = format!("the server's authentication can't be answered: {reason}");
    SqlError::server(ErrorClass::AccessDenied, 0, *b"28000", message)
}

fn would_reveal_password(reason: &str) -> SqlError {
    let message = format!("{reason}; or set scram-sha-256 in the server's pg_hba.conf");
    SqlError::server(ErrorClass::AccessDenied, 0, *b"28000", message)
}

fn unknown_method(method: u32) -> SqlError {
    let name = match method {
        2 => "Kerberos",
        7 | 8 => "GSSAPI",
        9 => "SSPI",
        _ => "one that is not known",
    };
    refused(&format!(
        "its method is {name} ({method}); use a user for whom pg_hba.conf says scram-sha-256, md5 \
         or trust"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::NetworkProtocol;
    use crate::postgres::Postgres;
    use crate::test_tools::damage::damaged_messages_do_no_harm;

    fn target() -> Target {
        Target::parse(&Postgres::FAMILY, "postgresql://user:secret@127.0.0.1/db", None).unwrap()
    }

    #[test]
    fn damaged_requests_do_no_harm() {
        let target = target();
        let requests: [&[u8]; 5] = [
            b"\0\0\0\0",
            b"\0\0\0\x05salt",
            b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0",
            b"\0\0\0\x0br=nonce,s=c2FsdA==,i=4096",
            b"\0\0\0\x0cv=c2FsdA==",
        ];
        damaged_messages_do_no_harm(b"\0\x03\x05\x0a\x0b\x0c,=", &requests, |request| {
            let mut authentication = Authentication::new(&target, Privacy::Open);
            let mut out = BytesMut::new();
            authentication.answer(request, &mut out)?;
            // The step after it may be any, too.
            authentication.answer(requests[3], &mut out).map(drop).or(Ok(()))
        });
    }

    #[test]
    fn the_password_itself_goes_only_to_a_server_that_was_verified_or_where_it_is_allowed() {
        let allowing = "postgresql://user:secret@127.0.0.1/db?enable_cleartext_plugin=true";
        let allowing = Target::parse(&Postgres::FAMILY, allowing, None).unwrap();
        for (target, privacy, is_sent) in [
            (&target(), Privacy::Open, false),
            (&allowing, Privacy::Open, false),
            (&target(), Privacy::Encrypted, false),
            (&allowing, Privacy::Encrypted, true),
            (&target(), Privacy::Verified, true),
            (&target(), Privacy::Local, true),
        ] {
            let mut out = BytesMut::new();
            let answered = Authentication::new(target, privacy).answer(b"\0\0\0\x03", &mut out);
            assert_eq!(out.ends_with(b"secret\0"), is_sent, "{privacy:?}");
            let refusal = answered.err().map_or(String::new(), |error| error.message().to_owned());
            assert_eq!(refusal.contains("enable_cleartext_plugin=true"), !is_sent, "{refusal}");
        }
    }

    #[test]
    fn no_server_has_us_hash_for_ever() {
        let target = target();
        let mut authentication = Authentication::new(&target, Privacy::Open);
        let mut out = BytesMut::new();
        authentication.answer(b"\0\0\0\x0aSCRAM-SHA-256\0\0", &mut out).unwrap();
        let nonce = String::from_utf8_lossy(authentication.scram.as_ref().unwrap().message())
            .rsplit_once("r=")
            .map(|(_, nonce)| nonce.to_owned())
            .unwrap();
        let challenge = format!("\0\0\0\x0br={nonce}more,s=c2FsdA==,i=4000000000");
        let error = authentication.answer(challenge.as_bytes(), &mut out).unwrap_err();
        assert!(error.message().contains("more work than a password is worth"), "{error}");
    }
}
