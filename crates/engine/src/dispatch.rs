//! Who does what when, within one worker: clients that wait for a transaction, and the end.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, ready};

use eventloop::{Handle, Sleep, TaskId, Timestamp};

use crate::arrivals::Arrival;
use crate::claims::Claims;

/// A transaction that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    pub time: Timestamp,
    /// Its kind, where it has been chosen: by the open loop, or by a client before a wait.
    pub kind: Option<usize>,
}

/// What an idle client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ticket {
    /// Carry out this one.
    Transaction(Scheduled),
    /// There are no more.
    Over,
    /// Nothing was due, but the client was polled: its socket is readable although nothing was
    /// asked, and stays so. The server has closed the connection.
    ConnectionClosed,
}

/// Hands out transactions. In a closed loop a client that asks gets one at once; in an open loop it
/// claims the next of the schedule and waits until that is due.
pub(crate) struct Dispatcher {
    handle: Handle,
    /// The schedule of an open loop, from the start of the load on.
    claims: OnceCell<Arc<Claims>>,
    over: Cell<bool>,
    /// What clients hold that wait for it to be due, or for the end of the load.
    held: RefCell<BTreeMap<TaskId, Option<Arrival>>>,
}

impl Dispatcher {
    pub fn new(handle: Handle) -> Self {
        Self { handle, claims: OnceCell::new(), over: Cell::new(false), held: RefCell::default() }
    }

    /// Says that this is an open loop, before the load begins.
    pub fn follow(&self, claims: Arc<Claims>) {
        let _ = self.claims.set(claims);
    }

    /// The next transaction for the calling client, where it need not wait for it. In a closed loop
    /// it never does, and the transaction is scheduled `now`.
    #[inline]
    pub fn next_at_once(&self, now: Timestamp) -> Option<Ticket> {
        if self.claims.get().is_some() {
            return None;
        }
        let scheduled = Scheduled { time: now, kind: None };
        Some(if self.over.get() { Ticket::Over } else { Ticket::Transaction(scheduled) })
    }

    /// The next transaction of an open loop for the calling client.
    pub async fn next(&self, now: Timestamp) -> Ticket {
        let claims =
            self.claims.get().unwrap_or_else(|| unreachable!("an open loop has a schedule"));
        loop {
            let claim = claims.claim();
            let begun = match claim {
                Some(arrival) if arrival.time <= now => claims.begin(arrival).then_some(arrival),
                None if self.over.get() => return Ticket::Over,
                _ => match self.unless_connection_closed(self.wait_for(claims, claim)).await {
                    Some(arrival) => arrival,
                    None => return Ticket::ConnectionClosed,
                },
            };
            if let Some(Arrival { time, kind }) = begun {
                return Ticket::Transaction(Scheduled { time, kind: Some(kind) });
            }
        }
    }

    /// Waits until what the calling client has claimed is due, or what it was given in exchange; None
    /// where that will not be, and where it has claimed nothing and the load is over.
    async fn wait_for(&self, claims: &Claims, claim: Option<Arrival>) -> Option<Arrival> {
        self.handle.clear_deadline();
        let held = Held::new(self, claims, claim);
        let mut sleep: Option<(Arrival, Sleep)> = None;
        poll_fn(|context| {
            let Some(arrival) = held.get().filter(|arrival| arrival.time < claims.end()) else {
                return if self.over.get() { Poll::Ready(None) } else { Poll::Pending };
            };
            if sleep.as_ref().is_none_or(|(until, _)| *until != arrival) {
                sleep = Some((arrival, self.handle.sleep_until(arrival.time)));
            }
            if let Some((_, sleep)) = &mut sleep {
                ready!(pin!(sleep).poll(context));
            }
            held.take();
            Poll::Ready(claims.begin(arrival).then_some(arrival))
        })
        .await
    }

    /// Sees that what was handed back is begun in time: clients that hold a later arrival, or none,
    /// take it instead. The last ones do, for they would wait longest.
    #[inline]
    pub fn take_what_was_handed_back(&self) {
        if let Some(claims) = self.claims.get()
            && claims.has_returned()
        {
            self.exchange(claims);
        }
    }

    #[cold]
    fn exchange(&self, claims: &Claims) {
        let mut held = self.held.borrow_mut();
        let wait = |arrival: &Option<Arrival>| arrival.map_or(Timestamp(u64::MAX), |a| a.time);
        while let Some((task, last)) = held.iter_mut().max_by_key(|(_, held)| wait(held))
            && let Some(earlier) = claims.exchange(*last)
        {
            *last = Some(earlier);
            self.handle.wake(*task);
        }
    }

    /// Waits until the calling client's next transaction is due, which is then scheduled for that
    /// very time. Ends early when there are to be no more.
    pub async fn wait_until_due(&self, due: Scheduled) -> Ticket {
        self.handle.clear_deadline();
        let sleep = self.handle.sleep_until(due.time);
        match self.until_over(self.unless_connection_closed(sleep)).await {
            Some(Some(())) => Ticket::Transaction(due),
            Some(None) => Ticket::ConnectionClosed,
            None => Ticket::Over,
        }
    }

    /// Does something that takes time, but only until there are to be no more transactions: then it
    /// is given up where it stands.
    pub async fn until_over<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| {
            if self.over.get() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }

    /// Waits for something other than the client's socket; None where that turns out to be readable
    /// meanwhile.
    async fn unless_connection_closed<T>(&self, waiting: impl Future<Output = T>) -> Option<T> {
        let mut waiting = pin!(waiting);
        let mut was_parked = false;
        poll_fn(|context| {
            let parked_before = std::mem::replace(&mut was_parked, true);
            match waiting.as_mut().poll(context) {
                Poll::Ready(value) => Poll::Ready(Some(value)),
                Poll::Pending if parked_before && self.handle.is_polled_for_socket() => {
                    Poll::Ready(None)
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Whether clients are to end rather than go on.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Nothing more will be scheduled; what waits is still carried out. Everybody is woken to learn of
    /// it, whatever they wait for.
    pub fn end(&self) {
        if !self.over.replace(true) {
            self.handle.wake_all();
        }
    }
}

/// A place among the clients that wait. What is still held when it is left is handed back.
struct Held<'a> {
    dispatcher: &'a Dispatcher,
    claims: &'a Claims,
    task: TaskId,
}

impl<'a> Held<'a> {
    fn new(dispatcher: &'a Dispatcher, claims: &'a Claims, claim: Option<Arrival>) -> Self {
        let task = dispatcher.handle.current_task();
        dispatcher.held.borrow_mut().insert(task, claim);
        Self { dispatcher, claims, task }
    }

    fn get(&self) -> Option<Arrival> {
        self.dispatcher.held.borrow().get(&self.task).copied().flatten()
    }

    fn take(&self) -> Option<Arrival> {
        self.dispatcher.held.borrow_mut().insert(self.task, None).flatten()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let held = self.dispatcher.held.borrow_mut().remove(&self.task).flatten();
        if let Some(arrival) = held {
            self.claims.hand_back(arrival);
        }
    }
}
