//! What a connection counts.

use std::collections::HashMap;

use contract::{Dialect, Executed, SqlError, StatementCount, StatementCounters, Verb};
use eventloop::Timestamp;

/// Counts of all statements, by their text, and when the last one ended.
pub(super) struct Ledger {
    counts: Vec<StatementCount>,
    /// Where the count of a text is: 10,000 tables have 100,000 texts.
    places: HashMap<String, usize>,
    /// What kinds of statements these are.
    verbs: Vec<Verb>,
    counters: StatementCounters,
    last_end: Timestamp,
}

impl Ledger {
    pub fn new() -> Self {
        Self {
            counts: Vec::new(),
            places: HashMap::new(),
            verbs: Vec::new(),
            counters: StatementCounters::default(),
            last_end: Timestamp::now(),
        }
    }

    /// The place of a statement; the same text has the same place as long as the ledger lives.
    pub fn place(&mut self, sql: &str) -> usize {
        if let Some(place) = self.places.get(sql) {
            return *place;
        }
        let place = self.counts.len();
        self.counts.push(StatementCount { sql: sql.to_owned(), ..StatementCount::default() });
        self.verbs.push(Verb::of(sql, Dialect::Sqlite));
        self.places.insert(sql.to_owned(), place);
        place
    }

    /// Enters one execution, which ends now.
    #[inline]
    pub fn enter(&mut self, place: usize, result: &Result<Executed, SqlError>) {
        self.last_end = Timestamp::now();
        let count = &mut self.counts[place];
        count.executions += 1;
        if let Ok(executed) = *result {
            self.counters.count_of(self.verbs[place], executed);
            count.succeeded(executed);
        }
    }

    /// When the last statement ended; when the connection was made, where there was none yet.
    pub fn last_end(&self) -> Timestamp {
        self.last_end
    }

    pub fn take_counters(&mut self) -> StatementCounters {
        std::mem::take(&mut self.counters)
    }

    /// The statements that were sent since this was last asked.
    pub fn take_counts(&mut self) -> Vec<StatementCount> {
        let mut taken = Vec::new();
        for count in self.counts.iter_mut().filter(|count| count.executions > 0) {
            taken.push(count.clone());
            *count = StatementCount { sql: std::mem::take(&mut count.sql), ..Default::default() };
        }
        taken
    }
}
