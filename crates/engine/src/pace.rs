//! Clients with a pace of their own, which think and type before a transaction is due.

use contract::{Client, Due};
use eventloop::Timestamp;

use crate::dispatch::{Dispatcher, Scheduled, Ticket};

/// What a client has chosen that is not yet begun. Empty for one without a pace of its own.
#[derive(Default)]
pub(crate) struct Pace {
    chosen: Option<Scheduled>,
}

impl Pace {
    /// The client's next transaction, once it is due. One that was chosen before the connection was
    /// lost in the wait is still the next.
    pub async fn next<C: Client>(
        &mut self,
        client: &mut C,
        dispatcher: &Dispatcher,
        now: Timestamp,
    ) -> Ticket {
        if dispatcher.is_over() {
            return Ticket::Over;
        }
        let scheduled = *self.chosen.get_or_insert_with(|| {
            let kind = client.choose();
            let time = match client.due(kind, now) {
                Due::Now => now,
                Due::In(wait) => now + wait,
                Due::Since(time) => time.min(now),
            };
            Scheduled { time, kind: Some(kind) }
        });
        let ticket = if scheduled.time <= now {
            Ticket::Transaction(scheduled)
        } else {
            dispatcher.wait_until_due(scheduled).await
        };
        if let Ticket::Transaction(_) = ticket {
            self.chosen = None;
        }
        ticket
    }
}
