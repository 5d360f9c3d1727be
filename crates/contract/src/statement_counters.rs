//! What statements did, counted as sysbench counts.

use std::collections::HashMap;

use crate::statement::Verb;

/// What a statement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It returned a result set of so many rows.
    Rows(u64),
    /// It returned none, and changed so many rows.
    Affected(u64),
}

/// Statements by what they did, counted as sysbench does: a *read* returned a result set, a *write*
/// changed at least one row, everything else (BEGIN, COMMIT, an UPDATE that found nothing) is
/// *other*. Only statements that succeeded.
///
/// Under that rule an UPDATE that finds nothing is no write, so that a benchmark on an empty table
/// looks like one that commits very often. How many there are of these is counted beside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementCounters {
    /// Returned a result set.
    pub read: u64,
    /// Changed rows.
    pub write: u64,
    /// Did neither.
    pub other: u64,
    /// Of the others, those that might have changed rows.
    pub unchanged: u64,
    /// Times that the answer was waited for: fewer than statements where several travel together.
    pub round_trips: u64,
    /// How long complete answers lay unread, of statements whether or not they succeeded. Known only
    /// where the kernel tells when an answer arrived.
    pub unread_ns: u64,
}

impl StatementCounters {
    /// Counts one statement that succeeded, that reads or changes rows, and that travelled alone.
    #[inline]
    pub fn count(&mut self, executed: Executed) {
        self.round_trips += 1;
        self.count_fellow(executed);
    }

    /// Counts one statement that succeeded, and that travelled with another.
    #[inline]
    pub fn count_fellow(&mut self, executed: Executed) {
        match executed {
            Executed::Rows(_) => self.read += 1,
            Executed::Affected(0) => {
                self.other += 1;
                self.unchanged += 1;
            }
            Executed::Affected(_) => self.write += 1,
        }
    }

    /// Counts one statement that succeeded and may be of another kind than those that read or change
    /// rows: BEGIN has changed nothing because it could not.
    #[inline]
    pub fn count_of(&mut self, verb: Verb, executed: Executed) {
        self.round_trips += 1;
        self.count_fellow_of(verb, executed);
    }

    /// The same for one that travelled with another.
    #[inline]
    pub fn count_fellow_of(&mut self, verb: Verb, executed: Executed) {
        match executed {
            Executed::Affected(0) if !verb.writes() => self.other += 1,
            _ => self.count_fellow(executed),
        }
    }

    /// These without the time that answers lay unread, which no two runs have in common.
    #[must_use]
    pub fn counts(self) -> Self {
        Self { unread_ns: 0, ..self }
    }

    /// Adds the counters of others to these.
    pub fn add(&mut self, other: Self) {
        self.read += other.read;
        self.write += other.write;
        self.other += other.other;
        self.unchanged += other.unchanged;
        self.round_trips += other.round_trips;
        self.unread_ns += other.unread_ns;
    }
}

/// How often one statement was sent over a connection's life, whether or not it succeeded, as
/// servers count it; and the rows of those that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementCount {
    /// The statement's text.
    pub sql: String,
    /// Times sent.
    pub executions: u64,
    /// Rows returned.
    pub rows: u64,
    /// Rows changed.
    pub affected: u64,
    /// Of the executions that succeeded, those that returned no row and changed none.
    pub without_rows: u64,
}

impl StatementCount {
    /// Counts what one execution did.
    #[inline]
    pub fn succeeded(&mut self, executed: Executed) {
        let (Executed::Rows(rows) | Executed::Affected(rows)) = executed;
        self.without_rows += u64::from(rows == 0);
        match executed {
            Executed::Rows(rows) => self.rows += rows,
            Executed::Affected(rows) => self.affected += rows,
        }
    }

    /// Adds what another counts of the same statement.
    pub fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.rows += other.rows;
        self.affected += other.affected;
        self.without_rows += other.without_rows;
    }
}

/// Counts of many statements, added up by their text. A workload may have thousands of statements, and
/// each of a thousand connections hands all of its own over at the end.
#[derive(Debug, Default)]
pub struct StatementTotals {
    counts: Vec<StatementCount>,
    places: HashMap<String, usize>,
}

impl StatementTotals {
    /// Adds what one connection, or one worker, has counted.
    pub fn merge(&mut self, counts: impl IntoIterator<Item = StatementCount>) {
        for count in counts {
            if let Some(place) = self.places.get(&count.sql) {
                self.counts[*place].add(&count);
            } else {
                self.places.insert(count.sql.clone(), self.counts.len());
                self.counts.push(count);
            }
        }
    }

    /// All of them, in the order in which they came first.
    pub fn into_counts(self) -> Vec<StatementCount> {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNCHANGED: Executed = Executed::Affected(0);

    #[test]
    fn a_statement_counts_by_what_it_did() {
        let counts = |executed| {
            let mut counters = StatementCounters::default();
            counters.count(executed);
            (
                counters.read,
                counters.write,
                counters.other,
                counters.unchanged,
                counters.round_trips,
            )
        };
        assert_eq!(counts(Executed::Rows(0)), (1, 0, 0, 0, 1));
        assert_eq!(counts(Executed::Affected(1)), (0, 1, 0, 0, 1));
        // An UPDATE that finds nothing.
        assert_eq!(counts(UNCHANGED), (0, 0, 1, 1, 1));
    }

    #[test]
    fn counts_are_added_up_by_their_text() {
        let of = |sql: &str, executed: &[Executed]| {
            let executions = executed.len() as u64;
            let mut count = StatementCount { sql: sql.into(), executions, ..Default::default() };
            for executed in executed {
                count.succeeded(*executed);
            }
            count
        };
        let mut totals = StatementTotals::default();
        totals.merge([of("b", &[Executed::Rows(3), Executed::Rows(0)]), of("a", &[UNCHANGED])]);
        totals.merge([of("a", &[Executed::Affected(2), UNCHANGED]), of("c", &[])]);
        let count = |sql: &str, executions, rows, affected, without_rows| StatementCount {
            sql: sql.into(),
            executions,
            rows,
            affected,
            without_rows,
        };
        let expected = [count("b", 2, 3, 0, 1), count("a", 3, 0, 2, 2), count("c", 0, 0, 0, 0)];
        assert_eq!(totals.into_counts(), expected);
    }

    #[test]
    fn what_can_not_change_rows_is_not_said_to_have_changed_none() {
        let counts = |verb| {
            let mut counters = StatementCounters::default();
            counters.count_fellow_of(verb, UNCHANGED);
            (counters.other, counters.unchanged, counters.round_trips)
        };
        assert_eq!(counts(Verb::Begin), (1, 0, 0));
        assert_eq!(counts(Verb::Update), (1, 1, 0));
    }
}
