//! Making one connection, to whichever host can be reached.

use std::sync::Arc;
use std::time::Duration;

use contract::{ErrorClass, Limits, SqlError};
use eventloop::{Handle, Timestamp};

use super::{Host, HostSlot, Target};

/// Whether another host may do what one did not. None of them is up, reachable and free at once for
/// ever; what a server says of the user, the database or the statement, another will say too, and
/// trying it there would only hide it.
fn fails_over(class: ErrorClass) -> bool {
    matches!(
        class,
        ErrorClass::ConnectionRefused
            | ErrorClass::ConnectionLost
            | ErrorClass::Timeout
            | ErrorClass::TooManyConnections
    )
}

impl Target {
    /// Connects by `connect` to the host that is due, or else to the others in turn. All together
    /// may take as long as one alone; a host that does not answer leaves the rest of the time,
    /// evenly shared, to those after it.
    pub async fn connect_to_any<C>(
        self: &Arc<Self>,
        handle: &Handle,
        limits: Limits,
        connect: impl AsyncFn(&Host, Duration, HostSlot) -> Result<C, SqlError>,
    ) -> Result<C, SqlError> {
        let deadline = handle.turn_time() + limits.connect;
        let order = self.balancer.order(handle.turn_time());
        let mut refusal = SqlError::driver(ErrorClass::ConnectionRefused, "there is no host");
        for (tried, host) in order.iter().copied().enumerate() {
            let share = time_left(deadline, handle.turn_time(), order.len() - tried);
            let slot = self.balancer.take_slot(host);
            match connect(&self.hosts[host], share, slot).await {
                Ok(connection) => {
                    self.balancer.reached(host);
                    return Ok(connection);
                }
                Err(error) => {
                    self.balancer.failed(host, &error, handle.turn_time());
                    refusal = error;
                    if !fails_over(refusal.class()) {
                        break;
                    }
                }
            }
        }
        Err(refusal)
    }
}

fn time_left(deadline: Timestamp, now: Timestamp, hosts: usize) -> Duration {
    Duration::from_nanos(deadline.since(now) / hosts.max(1) as u64)
}
