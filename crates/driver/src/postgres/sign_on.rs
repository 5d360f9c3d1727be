//! Signs on to a server: encryption, the proof of the password, and what the server says of itself.

use std::sync::Arc;

use bytes::BytesMut;
use contract::{ErrorClass, SqlError};
use postgres_protocol::message::frontend;

use super::authentication::Authentication;
use super::message::{Fields, Malformed, ReplyReader, server_error, tag};
use super::wire::{Postgres, PostgresState};
use crate::network::{Login, LoginError, Privacy, SignedOn, Terms};
use crate::target::{Host, Target, Tls};

/// Signs on to a server that has taken the connection.
pub(super) async fn sign_on(
    mut login: Login<Postgres>,
    terms: &Terms<'_, Postgres>,
) -> Result<SignedOn<Postgres>, LoginError> {
    encrypt(&mut login, &terms.target.tls, terms.host).await?;
    let privacy = Privacy::of(&login.stream, terms.is_local, terms.target);
    let mut authentication = Authentication::new(terms.target, privacy);
    send(&mut login, |out| frontend::startup_message(parameters(terms.target), out))?;
    let (mut version, mut process) = (None, None);
    loop {
        let (tag, payload) = login.receive().await?;
        match tag {
            tag::AUTHENTICATION => {
                let mut out = BytesMut::new();
                authentication.answer(&payload, &mut out)?;
                login.stream.send(&out)?;
            }
            tag::PARAMETER_STATUS => version = server_version(&payload)?.or(version),
            tag::BACKEND_KEY_DATA => process = Some(Fields(&payload).u32()?.into()),
            tag::NOTICE_RESPONSE | tag::NEGOTIATE_PROTOCOL_VERSION => {}
            tag::ERROR_RESPONSE => return Err(server_error(&payload).into()),
            tag::READY_FOR_QUERY => break,
            _ => return Err(Malformed("a message came while signing on that can't").into()),
        }
    }
    let version = version.ok_or(Malformed("the server has no version"))?;
    Ok(SignedOn {
        stream: login.stream,
        reader: ReplyReader::new(),
        server_version: format!("PostgreSQL {version}"),
        state: PostgresState {
            signed_on_with: process,
            backends: Arc::clone(terms.shared),
            target: Arc::clone(terms.target),
            taken: None,
            returns_rows: Vec::new(),
        },
    })
}

/// Asks for encryption, if it is wanted; the server answers with one letter.
async fn encrypt(login: &mut Login<Postgres>, tls: &Tls, host: &Host) -> Result<(), LoginError> {
    let (config, is_required) = match tls {
        Tls::Disabled => return Ok(()),
        Tls::Preferred(config) => (config, false),
        Tls::Required(config) => (config, true),
    };
    send(login, |out| {
        frontend::ssl_request(out);
        Ok(())
    })?;
    let answer = login.stream.receive(login.deadline, |bytes| Some(bytes.to_vec())).await?;
    match answer.as_slice() {
        b"S" => login.start_tls(config, host).await,
        b"N" if is_required => Err(not_encrypted().into()),
        b"N" => Ok(()),
        // More than the letter would be taken for the first encrypted bytes.
        _ => Err(Malformed("the answer to the wish for encryption is not one letter").into()),
    }
}

fn send(
    login: &mut Login<Postgres>,
    write: impl FnOnce(&mut BytesMut) -> std::io::Result<()>,
) -> Result<(), LoginError> {
    let mut out = BytesMut::new();
    // It fails only for texts with a zero byte in them.
    write(&mut out).map_err(|error| {
        let message = format!("user, database or a parameter can't be sent: {error}");
        SqlError::driver(ErrorClass::AccessDenied, message)
    })?;
    Ok(login.stream.send(&out)?)
}

/// The server's version, if that is the parameter of which it tells.
fn server_version(parameter: &[u8]) -> Result<Option<String>, Malformed> {
    let mut fields = Fields(parameter);
    if fields.string()? != b"server_version" {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(fields.string()?).into_owned()))
}

/// What the session is to be like. A backslash in a string has no meaning, whatever the server's
/// default: the text protocol relies on it.
fn parameters(target: &Target) -> impl Iterator<Item = (&str, &str)> {
    let given = &target.at_sign_on;
    let named = given.iter().find(|(name, _)| name == "application_name");
    let database = target.database.as_deref().map(|database| ("database", database));
    [
        ("user", target.user.as_str()),
        ("client_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
    ]
    .into_iter()
    .chain(database)
    .chain(named.is_none().then_some(("application_name", "dbdyno")))
    .chain(given.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn not_encrypted() -> SqlError {
    let message = "the server does not offer encryption; set ssl=on and give it a certificate, or \
                   say ssl_mode=disabled";
    SqlError::driver(ErrorClass::AccessDenied, message)
}
