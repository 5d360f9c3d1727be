//! Proves to a server who we are, by the method that it asks for.

use bytes::BytesMut;
use contract::{ErrorClass, SqlError};
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::frontend;

use super::message::{Fields, Malformed};
use crate::target::Target;

/// The methods by the numbers of the protocol.
const OK: u32 = 0;
const CLEARTEXT_PASSWORD: u32 = 3;
const MD5_PASSWORD: u32 = 5;
const SASL: u32 = 10;
const SASL_CONTINUE: u32 = 11;
const SASL_FINAL: u32 = 12;

/// A proof in progress.
pub(super) struct Authentication<'a> {
    target: &'a Target,
    /// Whether nobody can listen on the way.
    is_private: bool,
    scram: Option<ScramSha256>,
}

impl<'a> Authentication<'a> {
    pub fn new(target: &'a Target, is_private: bool) -> Self {
        Self { target, is_private, scram: None }
    }

    /// Answers one request of the server's; what is appended is to be sent.
    pub fn answer(&mut self, request: &[u8], out: &mut BytesMut) -> Result<(), SqlError> {
        let mut fields = Fields(request);
        let written = match fields.u32()? {
            OK | SASL_FINAL if self.scram.is_some() => self.finish(request),
            OK => Ok(()),
            CLEARTEXT_PASSWORD if !self.is_private => return Err(would_reveal_password()),
            CLEARTEXT_PASSWORD => frontend::password_message(self.password()?.as_bytes(), out),
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

fn out_of_order() -> std::io::Error {
    std::io::Error::other("the server left out a step of SCRAM-SHA-256")
}

fn refused(reason: &str) -> SqlError {
    let message = format!("the server's authentication can't be answered: {reason}");
    SqlError::server(ErrorClass::AccessDenied, 0, *b"28000", message)
}

fn would_reveal_password() -> SqlError {
    refused(
        "it wants the password itself, which anybody on the way could read; encrypt the \
         connection (ssl_mode=required), or set scram-sha-256 in the server's pg_hba.conf",
    )
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
