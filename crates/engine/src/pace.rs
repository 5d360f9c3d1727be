//! Clients with a pace of their own, which think and type before a transaction is due.

use contract::{Client, Due};
use eventloop::Timestamp;

use crate::dispatch::{Dispatcher, Ticket};

/// What a client has drawn that is not yet begun. Empty for one without a pace of its own, which
/// draws when it begins.
#[derive(Default)]
pub(crate) struct Pace {
    drawn: Option<Drawn>,
}

#[derive(Clone, Copy)]
struct Drawn {
    kind: usize,
    scheduled: Timestamp,
}

impl Pace {
    /// The client's next transaction, once it is due. One that was drawn before the connection was
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
        let Drawn { scheduled, .. } = *self.drawn.get_or_insert_with(|| {
            let kind = client.draw();
            let scheduled = match client.due(now) {
                Due::Now => now,
                Due::In(wait) => now + wait,
                Due::Since(time) => time.min(now),
            };
            Drawn { kind, scheduled }
        });
        if scheduled <= now {
            return Ticket::Transaction(scheduled);
        }
        dispatcher.wait_until_due(scheduled).await
    }

    /// The kind of the transaction that begins: drawn here, unless it was before.
    #[inline]
    pub fn draw<C: Client>(&mut self, client: &mut C) -> usize {
        if C::PACED
            && let Some(drawn) = self.drawn.take()
        {
            drawn.kind
        } else {
            client.draw()
        }
    }
}
