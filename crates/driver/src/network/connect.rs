//! Connects to a server and signs on.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    Dialect, Driver, ErrorClass, HostCount, Limits, Pipelining, SessionOptions, SqlError,
    StatementCounters,
};
use eventloop::Handle;

use super::batch::Batch;
use super::connection::NetworkConnection;
use super::driver::NetworkDriver;
use super::exchange::Exchange;
use super::login::{Login, LoginError, SignedOn};
use super::protocol::NetworkProtocol;
use crate::sql::ExecutionCountersByVerb;
use crate::stream::{Address, Stream, StreamError};
use crate::target::{Host, HostSlot, Target};

impl<P: NetworkProtocol> Driver for NetworkDriver<P> {
    type Connection = NetworkConnection<P>;

    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        P::DIALECT
    }

    fn hosts(&self) -> Vec<HostCount> {
        self.target.host_counts()
    }

    fn pipelining(&self) -> Pipelining {
        P::pipelining(&self.shared, self.protocol, self.session)
    }

    /// Connects to whichever host can be reached.
    async fn connect(
        &self,
        handle: &Handle,
        limits: Limits,
    ) -> Result<NetworkConnection<P>, SqlError> {
        let connect = async |host: &Host, limit: Duration, slot: HostSlot| {
            let signed_on = sign_on(self, handle, host, limit).await?;
            let mut connection = connection(self, signed_on, slot, limits);
            P::set_session(&mut connection).await?;
            Ok(connection)
        };
        self.target.connect_to_any(handle, limits, connect).await
    }
}

/// Signs on at the first of a host's addresses that takes the connection.
async fn sign_on<P: NetworkProtocol>(
    driver: &NetworkDriver<P>,
    handle: &Handle,
    host: &Host,
    limit: Duration,
) -> Result<SignedOn<P>, SqlError> {
    let deadline = handle.turn_time() + limit;
    let wait = |error: &StreamError, address: &Address| {
        let seconds = limit.as_secs_f64();
        P::stream_error(error, &format!("connection to {address} within {seconds} s"))
    };
    let mut refusal = SqlError::driver(ErrorClass::ConnectionRefused, "the server has no address");
    for address in &host.addresses {
        match Stream::connect(handle, address, driver.kernel_timestamps, deadline).await {
            Err(error @ StreamError::Refused { .. }) => refusal = wait(&error, address),
            Err(error) => return Err(wait(&error, address)),
            Ok(stream) => {
                let is_local = matches!(address, Address::Unix(_));
                let terms = driver.terms(host, is_local);
                let signed_on = P::sign_on(Login::new(stream, deadline), &terms).await;
                return signed_on.map_err(|failure| match failure {
                    LoginError::Server(error) => error,
                    LoginError::Stream(error) => wait(&error, address),
                });
            }
        }
    }
    Err(refusal)
}

/// Makes another connection to the host of one, whose session is left as it is.
pub(crate) async fn connect_beside<P: NetworkProtocol>(
    first: &NetworkConnection<P>,
    target: Arc<Target>,
    shared: P::Shared,
    limit: Duration,
) -> Result<NetworkConnection<P>, SqlError> {
    let (protocol, session) = (first.protocol, SessionOptions::default());
    let driver = NetworkDriver { target, protocol, session, kernel_timestamps: false, shared };
    let (host, handle) = (first.slot.host, first.exchange.stream.handle());
    let signed_on = sign_on(&driver, handle, &driver.target.hosts[host], limit).await?;
    let slot = driver.target.balancer.take_slot(host);
    let limits = Limits { connect: limit, statement: limit };
    Ok(connection(&driver, signed_on, slot, limits))
}

fn connection<P: NetworkProtocol>(
    driver: &NetworkDriver<P>,
    signed_on: SignedOn<P>,
    slot: HostSlot,
    limits: Limits,
) -> NetworkConnection<P> {
    let SignedOn { stream, reader, server_version, state } = signed_on;
    NetworkConnection {
        exchange: Exchange { stream, reader, limits },
        state,
        server_version,
        slot,
        protocol: driver.protocol,
        session: driver.session,
        statements: Vec::new(),
        by_verb: ExecutionCountersByVerb::default(),
        counters: StatementCounters::default(),
        outgoing: Vec::new(),
        columns: Vec::new(),
        batch: Batch::default(),
    }
}
