//! Connects to a server and signs on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use contract::{ErrorClass, Limits, SqlError};
use eventloop::{Handle, Timestamp};
use rustls::ClientConfig;

use super::MysqlDriver;
use super::authentication::{Authentication, Privacy, Step};
use super::connection::MysqlConnection;
use super::errors;
use super::greeting::Greeting;
use super::packet::{Deframer, HEADER_BYTES, Success, finish};
use crate::stream::{Address, Stream, StreamError};
use crate::target::{Host, HostSlot, Protocol, Target, Tls};

/// Connects to whichever host can be reached.
pub(super) async fn connect(
    driver: &MysqlDriver,
    handle: &Handle,
    limits: Limits,
) -> Result<MysqlConnection, SqlError> {
    let connect = async |host: &Host, limit: Duration, slot: HostSlot| {
        let (stream, greeting, success) = sign_on(driver, handle, host, limit).await?;
        ready(driver, limits, stream, slot, &greeting, success).await
    };
    driver.target.connect_to_any(handle, limits, connect).await
}

/// Signs on at the first of a host's addresses that takes the connection.
async fn sign_on(
    driver: &MysqlDriver,
    handle: &Handle,
    host: &Host,
    limit: Duration,
) -> Result<(Stream, Greeting, Success), SqlError> {
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
                let login = Login::new(stream, deadline, driver.protocol);
                let is_local = matches!(address, Address::Unix(_));
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

async fn ready(
    driver: &MysqlDriver,
    limits: Limits,
    stream: Stream,
    slot: HostSlot,
    greeting: &Greeting,
    success: Success,
) -> Result<MysqlConnection, SqlError> {
    let mut connection =
        MysqlConnection::new(driver, limits, stream, slot, greeting, success.status);
    connection.set_session().await?;
    Ok(connection)
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

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

/// A conversation packet by packet, before the first statement.
struct Login {
    stream: Stream,
    deadline: Timestamp,
    deframer: Deframer,
    protocol: Protocol,
    /// Packets that arrived together with the one that was waited for.
    received: VecDeque<Vec<u8>>,
}

impl Login {
    fn new(stream: Stream, deadline: Timestamp, protocol: Protocol) -> Self {
        let mut deframer = Deframer::new();
        deframer.restart(0);
        Self { stream, deadline, deframer, protocol, received: VecDeque::new() }
    }

    async fn sign_on(
        mut self,
        target: &Target,
        host: &Host,
        is_local: bool,
    ) -> Result<(Stream, Greeting, Success), Failure> {
        let mut greeting = Greeting::parse(&self.receive().await?)?;
        if self.protocol == Protocol::Multi {
            greeting.want_batches()?;
        }
        if let Some(config) = encryption(target, &greeting, is_local)? {
            self.send(&greeting.tls_request(target.database.is_some()))?;
            let (config, server_name) = (Arc::clone(config), host.server_name.clone());
            self.stream.start_tls(config, server_name, self.deadline).await?;
        }
        let privacy = match (self.stream.is_encrypted(), is_local) {
            (true, _) => Privacy::Encrypted,
            (false, true) => Privacy::Local,
            (false, false) => Privacy::Open,
        };
        let password = target.password.0.as_str();
        let (mut authentication, proof) =
            Authentication::start(&greeting.plugin(), greeting.nonce(), password, privacy)?;
        let database = target.database.as_deref();
        self.send(&greeting.response(&target.user, database, authentication.plugin(), &proof))?;
        loop {
            match authentication.answer(&self.receive().await?)? {
                Step::Send(payload) => self.send(&payload)?,
                Step::Wait => {}
                Step::Done(success) => return Ok((self.stream, greeting, success)),
            }
        }
    }

    async fn receive(&mut self) -> Result<Vec<u8>, Failure> {
        if let Some(packet) = self.received.pop_front() {
            return Ok(packet);
        }
        let Self { stream, deframer, received, deadline, .. } = self;
        let first = stream.receive(*deadline, |mut bytes| {
            loop {
                match deframer.next(&mut bytes) {
                    Err(malformed) => return Some(Err(malformed)),
                    Ok(None) => return received.pop_front().map(Ok),
                    Ok(Some(packet)) => received.push_back(packet.to_vec()),
                }
            }
        });
        first.await?.map_err(|malformed| SqlError::from(malformed).into())
    }

    fn send(&mut self, payload: &[u8]) -> Result<(), StreamError> {
        let mut packet = vec![0; HEADER_BYTES];
        packet.extend_from_slice(payload);
        let next = finish(&mut packet, self.deframer.sequence());
        self.deframer.restart(next);
        self.stream.send(&packet)
    }
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
