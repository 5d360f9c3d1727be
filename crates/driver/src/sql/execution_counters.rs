//! Counts statements as servers do, in a few additions each.

use contract::{Executed, StatementCount, Verb};

/// The executions of one statement: how many there were, and what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExecutionCounters {
    executions: u64,
    rows: u64,
    affected: u64,
    without_rows: u64,
}

impl ExecutionCounters {
    /// It is being sent.
    #[inline]
    pub fn sent(&mut self) {
        self.executions += 1;
    }

    /// How often it was sent since that was last [taken](Self::take).
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// It succeeded.
    #[inline]
    pub fn succeeded(&mut self, executed: Executed) {
        let (Executed::Rows(found) | Executed::Affected(found)) = executed;
        self.without_rows += u64::from(found == 0);
        match executed {
            Executed::Rows(rows) => self.rows += rows,
            Executed::Affected(affected) => self.affected += affected,
        }
    }

    /// Adds the counters of another to these.
    pub fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.rows += other.rows;
        self.affected += other.affected;
        self.without_rows += other.without_rows;
    }

    /// What was counted so far, from which on counting starts anew; None where nothing was.
    pub fn take(&mut self, sql: &str) -> Option<StatementCount> {
        let Self { executions, rows, affected, without_rows } = std::mem::take(self);
        if executions == 0 {
            return None;
        }
        Some(StatementCount { sql: sql.to_owned(), executions, rows, affected, without_rows })
    }
}

/// Those with a name of their own. Verbs behind the last are counted as the last.
const VERBS: [Verb; 8] = [
    Verb::Select,
    Verb::Insert,
    Verb::Update,
    Verb::Delete,
    Verb::Begin,
    Verb::Commit,
    Verb::Rollback,
    Verb::Other,
];

/// Counts of statements that were sent as text once, by their verb: their texts may all differ.
#[derive(Debug, Default)]
pub(crate) struct ExecutionCountersByVerb([ExecutionCounters; VERBS.len()]);

impl ExecutionCountersByVerb {
    /// The counters of one verb.
    #[inline]
    pub fn of(&mut self, verb: Verb) -> &mut ExecutionCounters {
        &mut self.0[(verb as usize).min(Verb::Other as usize)]
    }

    /// What was counted so far, each under its verb.
    pub fn take(&mut self) -> impl Iterator<Item = StatementCount> {
        let counts = std::mem::take(&mut self.0);
        VERBS
            .into_iter()
            .filter_map(move |verb| counts[verb as usize].clone().take(&verb.name().to_uppercase()))
    }
}

#[cfg(test)]
mod tests {
    use contract::Dialect;

    use super::*;

    #[test]
    fn every_verb_has_its_own_place() {
        for (index, verb) in VERBS.into_iter().enumerate() {
            assert_eq!(verb as usize, index);
            let mut counts = ExecutionCountersByVerb::default();
            counts.of(verb).sent();
            counts.of(verb).succeeded(Executed::Affected(3));
            let taken: Vec<_> = counts.take().collect();
            assert_eq!(taken.len(), 1);
            assert_eq!(Verb::of(&taken[0].sql, Dialect::MySql), verb);
            assert_eq!((taken[0].executions, taken[0].affected), (1, 3));
            assert_eq!(counts.take().count(), 0);
        }
    }
}
