//! Whether a transaction is open: what the server says with each answer, and where that is silent,
//! what follows from the commands.

use super::packet::ServerStatus;
use crate::sql::Backslash;

/// The state of a connection's session.
///
/// A layer in front of servers may answer with the same flags whatever the session does. It is
/// found out where the flags must change, at `SET autocommit=0` or BEGIN, and from there to the end of
/// the transaction they are not believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionState {
    status: ServerStatus,
    autocommit: bool,
    /// What is added to the flags of each answer.
    assumed: ServerStatus,
}

impl SessionState {
    /// As it was told when the client signed on; `autocommit` is what will be set.
    pub fn new(status: ServerStatus, autocommit: bool) -> Self {
        Self { status, autocommit, assumed: ServerStatus::default() }
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
        if !self.autocommit {
            self.status = self.status.and(ServerStatus::IN_TRANSACTION);
        }
    }

    /// BEGIN was answered.
    pub fn began(&mut self, status: ServerStatus) {
        if !status.in_transaction() {
            self.assumed = ServerStatus::IN_TRANSACTION;
        }
        self.answered(status);
    }

    /// COMMIT or ROLLBACK was answered.
    pub fn ended(&mut self, status: ServerStatus) {
        if self.autocommit {
            self.assumed = ServerStatus::default();
        }
        self.status = status;
    }

    /// The server obeyed `SET autocommit=0`, and its flags do not tell: every statement leaves a
    /// transaction open.
    pub fn assume_transactions(&mut self) {
        self.assumed = ServerStatus::IN_TRANSACTION;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTOCOMMIT: ServerStatus = ServerStatus(2);
    const OPEN: ServerStatus = ServerStatus(3);

    #[test]
    fn a_server_that_tells_is_believed() {
        let mut state = SessionState::new(AUTOCOMMIT, true);
        state.began(OPEN);
        state.failed();
        assert!(state.in_transaction());
        // A deadlock may have ended it, which the next answer tells.
        state.answered(AUTOCOMMIT);
        assert!(!state.in_transaction());
    }

    #[test]
    fn a_layer_that_does_not_tell_of_begin_is_not_believed() {
        let mut state = SessionState::new(AUTOCOMMIT, true);
        state.began(AUTOCOMMIT);
        state.answered(AUTOCOMMIT);
        assert!(state.in_transaction());
        state.ended(AUTOCOMMIT);
        assert!(!state.in_transaction());
        state.answered(AUTOCOMMIT);
        assert!(!state.in_transaction());
    }

    #[test]
    fn without_autocommit_each_statement_opens_a_transaction() {
        let mut state = SessionState::new(AUTOCOMMIT, false);
        state.assume_transactions();
        assert!(!state.in_transaction());
        for _ in 0..2 {
            state.answered(AUTOCOMMIT);
            assert!(state.in_transaction());
            state.ended(AUTOCOMMIT);
            assert!(!state.in_transaction());
            state.failed();
            assert!(state.in_transaction());
            state.ended(AUTOCOMMIT);
        }
    }
}
