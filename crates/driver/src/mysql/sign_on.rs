//! Signs on to a server: its greeting, encryption, and the proof of the password.

use std::sync::Arc;

use contract::{ErrorClass, SqlError};
use rustls::ClientConfig;

use super::authentication::{Authentication, Step};
use super::greeting::Greeting;
use super::packet::{HEADER_BYTES, PipelineReplies, ReplyReader, ServerStatus, finish};
use super::state::SessionState;
use super::wire::{Mysql, MysqlState};
use crate::network::{Login, LoginError, Privacy, SignedOn, Terms};
use crate::stream::{Stream, StreamError};
use crate::target::{Protocol, Target, Tls};

/// Signs on to a server that has taken the connection.
pub(super) async fn sign_on(
    mut login: Login<Mysql>,
    terms: &Terms<'_, Mysql>,
) -> Result<SignedOn<Mysql>, LoginError> {
    let Terms { target, host, is_local, protocol, .. } = *terms;
    let mut greeting = Greeting::parse(&login.receive().await?)?;
    if protocol == Protocol::Multi {
        greeting.want_batches()?;
    }
    if let Some(config) = encryption(target, &greeting, is_local)? {
        send(&mut login, &greeting.tls_request(target.database.is_some()))?;
        login.start_tls(config, host).await?;
    }
    let privacy = Privacy::of(&login.stream, is_local, target);
    let password = target.password.0.as_str();
    let (mut authentication, proof) = Authentication::start(
        &greeting.plugin(),
        greeting.nonce(),
        password,
        privacy,
        target.consent,
    )?;
    let database = target.database.as_deref();
    send(&mut login, &greeting.response(&target.user, database, authentication.plugin(), &proof))?;
    loop {
        match authentication.answer(&login.receive().await?)? {
            Step::Send(payload) => send(&mut login, &payload)?,
            Step::Wait => {}
            Step::Done(success) => {
                return Ok(signed_on(login.stream, &greeting, success.status, terms));
            }
        }
    }
}

fn signed_on(
    stream: Stream,
    greeting: &Greeting,
    status: ServerStatus,
    terms: &Terms<'_, Mysql>,
) -> SignedOn<Mysql> {
    SignedOn {
        stream,
        reader: ReplyReader::new(greeting.agreed()),
        server_version: greeting.server_version(),
        state: MysqlState {
            takes_local_files: greeting.takes_local_files(),
            bulk_refusal: None,
            transaction: SessionState::new(status),
            replies: PipelineReplies::default(),
            pipelining: Arc::clone(terms.shared),
        },
    }
}

fn send(login: &mut Login<Mysql>, payload: &[u8]) -> Result<(), StreamError> {
    let mut packet = vec![0; HEADER_BYTES];
    packet.extend_from_slice(payload);
    let next = finish(&mut packet, login.deframer.sequence());
    login.deframer.restart(next);
    login.stream.send(&packet)
}

/// How to encrypt, if at all. What does not leave the machine is encrypted on demand only.
fn encryption<'a>(
    target: &'a Target,
    greeting: &Greeting,
    is_local: bool,
) -> Result<Option<&'a Arc<ClientConfig>>, SqlError> {
    match &target.tls {
        Tls::Disabled => Ok(None),
        Tls::Preferred(config) => Ok((greeting.offers_tls() && !is_local).then_some(config)),
        Tls::Required(config) if greeting.offers_tls() => Ok(Some(config)),
        Tls::Required(_) => {
            let message = "the server does not offer encryption; give it a certificate (ssl_cert, \
                           ssl_key), or say ssl_mode=disabled";
            Err(SqlError::driver(ErrorClass::AccessDenied, message))
        }
    }
}
