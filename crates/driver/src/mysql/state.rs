//! Whether a transaction is open: what the server says with each answer, and where that is silent,
//! what follows from the commands.

use super::packet::ServerStatus;
use crate::sql::Backslash;

/// The state of a connection's session.
///
/// A layer in front of servers may answer with the same flags whatever the session does. A flag that
/// is set is believed; one that is missing proves nothing. So a transaction counts as open from BEGIN,
/// and without autocommit from any statement, until COMMIT or ROLLBACK was answered. Where the server
/// has ended it earlier (a deadlock, an implicit commit), that costs one round trip and changes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionState {
    status: ServerStatus,
    /// Whether no transaction is open behind COMMIT until the next BEGIN.
    ends: bool,
    /// Whether COMMIT may open the next transaction.
    chains: bool,
    /// What is added to the flags of each answer.
    assumed: ServerStatus,
}

impl SessionState {
    /// As the server said when the client signed on.
    pub fn new(status: ServerStatus) -> Self {
        Self { status, ends: true, chains: false, assumed: ServerStatus::default() }
    }

    /// The flags of the last answer.
    pub fn status(self) -> ServerStatus {
        self.status
    }

    /// Whether a transaction is open.
    #[inline]
    pub fn in_transaction(self) -> bool {
        self.status.in_transaction()
    }

    /// How strings are to be escaped at present.
    pub fn backslash(self) -> Backslash {
        if self.status.takes_backslashes_literally() {
            Backslash::Literal
        } else {
            Backslash::Escapes
        }
    }

    /// A statement was answered.
    #[inline]
    pub fn answered(&mut self, status: ServerStatus) {
        self.status = status.and(self.assumed);
    }

    /// A statement failed, and no flags came. Without autocommit even such a statement may have opened
    /// a transaction.
    #[cold]
    pub fn failed(&mut self) {
        self.status = self.status.and(self.assumed);
    }

    /// BEGIN was answered.
    pub fn began(&mut self, status: ServerStatus) {
        self.assumed = ServerStatus::IN_TRANSACTION;
        self.answered(status);
    }

    /// COMMIT or ROLLBACK was answered.
    pub fn ended(&mut self, status: ServerStatus) {
        if self.ends {
            self.assumed = ServerStatus::default();
        }
        self.status = status;
    }

    /// Autocommit was set. Without it, every statement from now on leaves a transaction open.
    pub fn set_autocommit(&mut self, is_on: bool, status: ServerStatus) {
        self.ends = is_on && !self.chains;
        if !is_on {
            self.assumed = ServerStatus::IN_TRANSACTION;
        }
        self.ended(status);
    }

    /// It was set that COMMIT opens the next transaction.
    pub fn set_chaining(&mut self, status: ServerStatus) {
        (self.chains, self.ends) = (true, false);
        self.answered(status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTOCOMMIT: ServerStatus = ServerStatus(2);
    const OPEN: ServerStatus = ServerStatus(3);
    const SILENT: ServerStatus = ServerStatus(0);

    #[test]
    fn a_transaction_lasts_from_begin_to_its_end_whatever_flags_say() {
        for told in [AUTOCOMMIT, OPEN, SILENT] {
            let mut state = SessionState::new(AUTOCOMMIT);
            state.answered(AUTOCOMMIT);
            assert!(!state.in_transaction());
            state.began(told);
            state.failed();
            assert!(state.in_transaction());
            state.answered(AUTOCOMMIT);
            assert!(state.in_transaction());
            state.ended(AUTOCOMMIT);
            assert!(!state.in_transaction());
            state.answered(AUTOCOMMIT);
            state.failed();
            assert!(!state.in_transaction());
        }
    }

    #[test]
    fn without_autocommit_each_statement_opens_a_transaction() {
        for told in [AUTOCOMMIT, SILENT] {
            let mut state = SessionState::new(told);
            state.set_autocommit(false, told);
            assert!(!state.in_transaction());
            for _ in 0..2 {
                state.answered(told);
                assert!(state.in_transaction());
                state.ended(told);
                assert!(!state.in_transaction());
                state.failed();
                assert!(state.in_transaction());
                state.ended(told);
            }
        }
    }
}
