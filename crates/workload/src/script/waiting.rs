//! What waits to be sent.

use super::ledger::RowEffect;

/// Statements that were queued, and what is to be done when they are answered.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// For each statement, what it changes by the variables' values when it was queued.
    pub effects: Vec<Option<RowEffect>>,
    /// Whether the pipeline has a COMMIT.
    pub commits: bool,
}

impl Waiting {
    pub fn forget(&mut self) {
        self.effects.clear();
        self.commits = false;
    }
}
