//! Futures for what seldom happens on a path that is taken all the time.

use std::future::Future;
use std::pin::Pin;

/// Puts a future that is seldom waited for into memory of its own, to be polled from afar. In place
/// it would make the future around it larger, and too long to be compiled into one piece.
#[cold]
#[inline(never)]
pub fn box_cold_future<'a, T>(
    future: impl Future<Output = T> + 'a,
) -> Pin<Box<dyn Future<Output = T> + 'a>> {
    Box::pin(future)
}
