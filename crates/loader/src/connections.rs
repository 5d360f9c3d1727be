//! Work on several connections at once, in one event loop.

use std::cell::RefCell;
use std::time::Duration;

use contract::{BulkMethod, Connection, Driver, Limits};
use eventloop::{EventLoop, Handle, Timestamp};

use crate::load_error::{LoadError, server_error};

/// How often progress is told.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// An index over many rows takes longer than any statement of a load; this only bounds a hang.
const SCHEMA_STATEMENT_LIMIT: Duration = Duration::from_hours(24);

/// How to load.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// Connections that send rows at the same time.
    pub connections: usize,
    /// How rows are sent.
    pub method: BulkMethod,
    /// To connect and log in.
    pub connect_limit: Duration,
}

/// Runs `work` on so many connections of their own at once, telling progress meanwhile. Ends with
/// the first error.
pub(crate) fn in_parallel<D: Driver>(
    driver: &D,
    options: LoadOptions,
    connections: usize,
    progress: &mut dyn FnMut(Timestamp),
    work: &impl AsyncFn(&mut D::Connection, &Handle) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let failure = RefCell::new(None);
    let mut event_loop = EventLoop::new()?;
    for _ in 0..connections {
        let handle = event_loop.handle();
        let failure = &failure;
        event_loop.spawn(async move {
            if let Err(error) = work_on_connection(driver, options, &handle, work).await {
                failure.borrow_mut().get_or_insert(error);
            }
        });
    }
    let mut next_progress = Timestamp::now() + PROGRESS_PERIOD;
    while event_loop.live_tasks() > 0 && failure.borrow().is_none() {
        let now = event_loop.turn(next_progress)?;
        if now >= next_progress {
            next_progress = now + PROGRESS_PERIOD;
            progress(now);
        }
    }
    drop(event_loop);
    failure.into_inner().map_or(Ok(()), Err)
}

async fn work_on_connection<D: Driver>(
    driver: &D,
    options: LoadOptions,
    handle: &Handle,
    work: &impl AsyncFn(&mut D::Connection, &Handle) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let limits = Limits { connect: options.connect_limit, statement: SCHEMA_STATEMENT_LIMIT };
    let mut connection =
        driver.connect(handle, limits).await.map_err(server_error("connecting"))?;
    work(&mut connection, handle).await?;
    connection.close().await;
    Ok(())
}
