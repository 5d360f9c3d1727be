//! The things that a task may wait for, besides its socket.

use std::cmp::Reverse;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::clock::Timestamp;
use crate::handle::Handle;

/// Waits until a time; made by [`Handle::sleep_until`].
pub struct Sleep {
    handle: Handle,
    until: Timestamp,
    armed: bool,
}

impl Sleep {
    pub(crate) fn new(handle: Handle, until: Timestamp) -> Self {
        Self { handle, until, armed: false }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.handle.turn_time() >= self.until {
            return Poll::Ready(());
        }
        if !self.armed {
            self.armed = true;
            let timer = Reverse((self.until, self.handle.current_task()));
            self.handle.0.timers.borrow_mut().push(timer);
        }
        Poll::Pending
    }
}

/// Gives way once; made by [`Handle::yield_now`].
pub struct Yield {
    handle: Handle,
    yielded: bool,
}

impl Yield {
    pub(crate) fn new(handle: Handle) -> Self {
        Self { handle, yielded: false }
    }
}

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        self.handle.wake(self.handle.current_task());
        Poll::Pending
    }
}

/// Waits for a condition; made by [`Handle::park_until`].
pub struct Park<F> {
    condition: F,
}

impl<F> Park<F> {
    pub(crate) fn new(condition: F) -> Self {
        Self { condition }
    }
}

impl<T, F: FnMut() -> Option<T> + Unpin> Future for Park<F> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        (self.condition)().map_or(Poll::Pending, Poll::Ready)
    }
}
