//! Connects to a server and signs on.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use contract::{ErrorClass, Limits, SqlError};
use eventloop::{Handle, Timestamp};
use postgres_protocol::message::frontend;

use super::authentication::Authentication;
use super::connection::PostgresConnection;
use super::message::{Deframer, Fields, Malformed, server_error, tag};
use super::{PostgresDriver, errors};
use crate::stream::{Address, Stream, StreamError};
use crate::target::{Host, HostSlot, Target, Tls};

/// Connects to whichever host can be reached.
pub(super) async fn connect(
    driver: &PostgresDriver,
    handle: &Handle,
    limits: Limits,
) -> Result<PostgresConnection, SqlError> {
    let connect = async |host: &Host, limit: Duration, slot: HostSlot| {
        let signed_on = sign_on(driver, handle, host, limit).await?;
        let mut connection = PostgresConnection::new(driver, signed_on, slot, limits);
        connection.set_session().await?;
        Ok(connection)
    };
    driver.target.connect_to_any(handle, limits, connect).await
}

/// Signs on at the first of a host's addresses that takes the connection.
async fn sign_on(
    driver: &PostgresDriver,
    handle: &Handle,
    host: &Host,
    limit: Duration,
) -> Result<SignedOn, SqlError> {
    let deadline = handle.turn_time() + limit;
    let wait = |error: &StreamError, address: &Address| {
        let seconds = limit.as_secs_f64();
        errors::from_stream(error, &format!("connection to {address} within {seconds} s"))
    };
    let mut refusal = SqlError::driver(ErrorClass::ConnectionRefused, "the server has no address");
    for address in &host.addresses {
        match Stream::connect(handle, address, driver.kernel_timestamps, deadline).await {
            Err(error @ StreamError::Refused { .. }) => refusal = wait(&error, address),
            Err(error) => return Err(wait(&error, address)),
            Ok(stream) => {
                let is_local = matches!(address, Address::Unix(_));
                let login =
                    Login { stream, deadline, received: Vec::new(), version: None, process: None };
                let signed_on = login.sign_on(&driver.target, host, is_local).await;
                return signed_on.map_err(|failure| match failure {
                    Failure::Server(error) => error,
                    Failure::Stream(error) => wait(&error, address),
                });
            }
        }
    }
    Err(refusal)
}

/// Why signing on failed.
enum Failure {
    Server(SqlError),
    Stream(StreamError),
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        Self::Server(error)
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Self::Server(malformed.into())
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

/// A conversation message by message, before the first statement.
struct Login {
    stream: Stream,
    deadline: Timestamp,
    /// What arrived and was not looked at yet.
    received: Vec<u8>,
    version: Option<String>,
    process: Option<i64>,
}

/// A connection that the server has accepted.
pub(super) struct SignedOn {
    pub stream: Stream,
    pub version: String,
    /// The number of the process that serves it, as the server or a pooler says.
    pub process: Option<i64>,
}

impl Login {
    async fn sign_on(
        mut self,
        target: &Target,
        host: &Host,
        is_local: bool,
    ) -> Result<SignedOn, Failure> {
        self.encrypt(&target.tls, host).await?;
        let is_private = is_local || self.stream.is_encrypted();
        let mut authentication = Authentication::new(target, is_private);
        self.send(|out| frontend::startup_message(parameters(target), out))?;
        loop {
            let (tag, payload) = self.receive().await?;
            match tag {
                tag::AUTHENTICATION => {
                    let mut out = BytesMut::new();
                    authentication.answer(&payload, &mut out)?;
                    self.stream.send(&out)?;
                }
                tag::PARAMETER_STATUS => self.note(&payload)?,
                tag::BACKEND_KEY_DATA => self.process = Some(Fields(&payload).u32()?.into()),
                tag::NOTICE_RESPONSE | tag::NEGOTIATE_PROTOCOL_VERSION => {}
                tag::ERROR_RESPONSE => return Err(server_error(&payload).into()),
                tag::READY_FOR_QUERY => {
                    let version = self.version.ok_or(Malformed("the server has no version"))?;
                    return Ok(SignedOn { stream: self.stream, version, process: self.process });
                }
                _ => return Err(Malformed("a message came while signing on that can't").into()),
            }
        }
    }

    /// Asks for encryption, if it is wanted; the server answers with one letter.
    async fn encrypt(&mut self, tls: &Tls, host: &Host) -> Result<(), Failure> {
        let (config, is_required) = match tls {
            Tls::Disabled => return Ok(()),
            Tls::Preferred(config) => (config, false),
            Tls::Required(config) => (config, true),
        };
        self.send(|out| {
            frontend::ssl_request(out);
            Ok(())
        })?;
        let answer = self.stream.receive(self.deadline, |bytes| Some(bytes.to_vec())).await?;
        match answer.as_slice() {
            b"S" => {
                let (config, server_name) = (Arc::clone(config), host.server_name.clone());
                Ok(self.stream.start_tls(config, server_name, self.deadline).await?)
            }
            b"N" if is_required => Err(not_encrypted().into()),
            b"N" => Ok(()),
            // More than the letter would be taken for the first encrypted bytes.
            _ => Err(Malformed("the answer to the wish for encryption is not one letter").into()),
        }
    }

    /// Takes the next message out of what has arrived.
    async fn receive(&mut self) -> Result<(u8, Vec<u8>), Failure> {
        loop {
            let mut rest = self.received.as_slice();
            if let Some((tag, payload)) = Deframer::new().next(&mut rest)? {
                let message = (tag, payload.to_vec());
                self.received.drain(..self.received.len() - rest.len());
                return Ok(message);
            }
            let Self { stream, received, deadline, .. } = self;
            let more = stream.receive(*deadline, |bytes| {
                received.extend_from_slice(bytes);
                Some(())
            });
            more.await?;
        }
    }

    fn send(
        &mut self,
        write: impl FnOnce(&mut BytesMut) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = BytesMut::new();
        // It fails only for texts with a zero byte in them.
        write(&mut out).map_err(|error| {
            let message = format!("user or database can't be sent: {error}");
            SqlError::driver(ErrorClass::AccessDenied, message)
        })?;
        Ok(self.stream.send(&out)?)
    }

    fn note(&mut self, parameter: &[u8]) -> Result<(), Malformed> {
        let mut fields = Fields(parameter);
        if fields.string()? == b"server_version" {
            let version = String::from_utf8_lossy(fields.string()?).into_owned();
            self.version = Some(version);
        }
        Ok(())
    }
}

/// What the session is to be like. A backslash in a string has no meaning, whatever the server's
/// default: the text protocol relies on it.
fn parameters(target: &Target) -> impl Iterator<Item = (&str, &str)> {
    let database = target.database.as_deref().map(|database| ("database", database));
    [
        ("user", target.user.as_str()),
        ("client_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
        ("application_name", "dbdyno"),
    ]
    .into_iter()
    .chain(database)
}

fn not_encrypted() -> SqlError {
    let message = "the server does not offer encryption; set ssl=on and give it a certificate, or \
                   say ssl_mode=disabled";
    SqlError::driver(ErrorClass::AccessDenied, message)
}
