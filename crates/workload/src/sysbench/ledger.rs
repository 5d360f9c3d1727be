//! What a client was told is committed of the rows that it has changed.

use std::sync::{Arc, OnceLock};

use contract::{
    Account, Asked, Ledger, Outcome, Question, Questions, RowKey, RowsAsked, Timestamp, Writes,
};
use random::DistributionKind;

use super::body::Body;
use super::groups::Group;
use super::keys::Place;
use super::options::SysbenchOptions;
use super::schema::table_name;
use super::script::Script;
use super::steps::Step;

/// Rows that are read to see whether updates of the column k and deletes are there: before the load
/// too, where reading more would fill the server's cache.
const WATCHED_ROWS: u64 = 100_000;

const ROWS_INSERTED: usize = 0;
const ROWS_DELETED: usize = 1;
const INDEX_UPDATES: usize = 2;

fn names() -> Arc<[String]> {
    static NAMES: OnceLock<Arc<[String]>> = OnceLock::new();
    let names = ["rows_inserted", "rows_deleted", "index_updates"].map(str::to_owned);
    Arc::clone(NAMES.get_or_init(|| Arc::from(names)))
}

/// What one repetition of a group does to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    None,
    /// k is one more.
    Counts,
    /// c is another.
    Writes,
    Deletes,
    Inserts,
}

impl Effect {
    fn of(group: Group) -> Self {
        match group {
            Group::IndexUpdates => Self::Counts,
            Group::NonIndexUpdates | Group::DeleteInserts => Self::Writes,
            Group::Deletes => Self::Deletes,
            Group::Inserts => Self::Inserts,
            _ => Self::None,
        }
    }
}

/// The ids in each table whose k and whose being there are watched: where accesses are likely.
#[derive(Clone, Copy, Debug)]
struct Watched {
    first: i64,
    last: i64,
}

impl Watched {
    fn of(options: &SysbenchOptions) -> Self {
        let rows = (WATCHED_ROWS / options.tables).clamp(1, options.table_size.max(1));
        // The first rows are the hot ones of these two; the middle is, of the others that have any.
        let is_low =
            matches!(options.distribution, DistributionKind::Pareto | DistributionKind::Zipfian);
        let before = if is_low { 0 } else { options.table_size.saturating_sub(rows) / 2 };
        Self { first: before.cast_signed() + 1, last: (before + rows).cast_signed() }
    }

    fn has(self, id: i64) -> bool {
        (self.first..=self.last).contains(&id)
    }

    fn queries(self, tables: u64, number: &str) -> Vec<String> {
        let Self { first, last } = self;
        (0..tables)
            .map(|table| {
                let name = table_name(table);
                format!("SELECT {number} FROM {name} WHERE id BETWEEN {first} AND {last}")
            })
            .collect()
    }

    fn words(self) -> String {
        format!("of the rows with ids from {} to {}", self.first, self.last)
    }
}

/// The effects of a script's groups.
fn effects(body: &Body) -> impl Iterator<Item = Effect> {
    body.parts.iter().flat_map(|part| std::iter::repeat_n(Effect::of(part.group), part.repetitions))
}

/// What can be asked once such a script has run.
pub(super) fn questions(options: &SysbenchOptions, body: &Body) -> Questions {
    let has = |wanted| effects(body).any(|effect| effect == wanted);
    let watched = Watched::of(options);
    let tables: Vec<String> = (0..options.tables).map(table_name).collect();
    let mut asked = Questions::default();
    let mut ask = |amount: usize, title: &str, source: String, how: Asked, whole: &[String]| {
        asked.amounts.push(Question {
            name: names()[amount].clone(),
            title: title.to_owned(),
            source,
            asked: how,
            reads_whole: whole.to_vec(),
        });
    };
    let is_bulk = options.script == Script::BulkInsert;
    if is_bulk || (has(Effect::Inserts) && !options.auto_inc) {
        let queries = tables.iter().map(|table| format!("SELECT COUNT(*) FROM {table}")).collect();
        let how = Asked::Sum(queries);
        ask(ROWS_INSERTED, "rows inserted", "the number of rows".to_owned(), how, &tables);
    } else if has(Effect::Inserts) {
        let how = Asked::Newer { tables: tables.clone(), key: "id".to_owned() };
        let source = "the rows with new ids".to_owned();
        ask(ROWS_INSERTED, "rows inserted", source, how, &[]);
    }
    if has(Effect::Deletes) {
        let how = Asked::Sum(watched.queries(options.tables, "-COUNT(*)"));
        let source = format!("the number {}", watched.words());
        ask(ROWS_DELETED, "rows deleted", source, how, &[]);
    }
    if counts_updates(body) {
        let how = Asked::Sum(watched.queries(options.tables, "SUM(k)"));
        let source = format!("the sum of k {}", watched.words());
        ask(INDEX_UPDATES, "updates of k", source, how, &[]);
    }
    if remembers_rows(body) {
        let (key, value) = ("id".to_owned(), "c".to_owned());
        asked.rows = Some(RowsAsked { tables, key, value });
    }
    asked.writes = is_bulk || effects(body).any(|effect| effect != Effect::None);
    asked
}

/// Where rows are put in place of others, k is whatever they have.
fn counts_updates(body: &Body) -> bool {
    effects(body).any(|effect| effect == Effect::Counts)
        && !body.parts.iter().any(|part| part.group == Group::DeleteInserts)
}

fn remembers_rows(body: &Body) -> bool {
    effects(body).any(|effect| matches!(effect, Effect::Writes | Effect::Deletes))
}

/// One client's ledger.
#[derive(Clone, Debug)]
pub(super) struct RowLedger {
    account: Account,
    writes: Option<Writes>,
    /// The numbers of the steps of which something is kept, and what they do.
    effects: Vec<(usize, Effect)>,
    /// What the last statement of each step has changed, where its answer is there.
    affected: Vec<Option<u64>>,
    /// Whether there is anything to keep.
    is_kept: bool,
    watched: Watched,
    statements_per_table: usize,
    is_open: bool,
    /// Each statement is a transaction of its own: those before an error stay.
    is_split: bool,
}

impl RowLedger {
    pub fn new(options: &SysbenchOptions, body: &Body, place: Place) -> Self {
        let steps = effects(body).count();
        let counts_updates = counts_updates(body);
        let is_kept = |effect| match effect {
            Effect::None => false,
            Effect::Counts => counts_updates,
            _ => true,
        };
        let effects: Vec<(usize, Effect)> =
            effects(body).enumerate().filter(|(_, effect)| is_kept(*effect)).collect();
        Self {
            account: Account::new(names()),
            writes: remembers_rows(body).then(|| Writes::new(place.clients)),
            affected: vec![None; steps],
            is_kept: options.script == Script::BulkInsert || !effects.is_empty(),
            is_split: body.transaction.is_none() && steps > 1,
            effects,
            watched: Watched::of(options),
            statements_per_table: body.statements_per_table,
            is_open: false,
        }
    }

    /// Begins an attempt.
    #[inline]
    pub fn open(&mut self) {
        if self.is_kept {
            self.account.open();
            self.affected.fill(None);
            self.is_open = true;
        }
    }

    /// The attempt is about to insert so many rows in one statement.
    pub fn inserts(&mut self, rows: u64) {
        self.account.changes(ROWS_INSERTED, rows.cast_signed());
    }

    /// The last statement of a step is answered.
    #[inline]
    pub fn answered(&mut self, step: usize, affected: u64) {
        self.affected[step] = Some(affected);
    }

    /// Ends an attempt at these steps, if there is one.
    #[inline]
    pub fn settle(&mut self, steps: &[Step], outcome: Outcome, times: (Timestamp, Timestamp)) {
        if std::mem::take(&mut self.is_open) {
            self.close(steps, outcome, times);
        }
    }

    fn close(&mut self, steps: &[Step], outcome: Outcome, times: (Timestamp, Timestamp)) {
        let is_split = self.is_split && outcome == Outcome::Undone;
        let outcome = if is_split { Outcome::Unknown } else { outcome };
        if outcome != Outcome::Undone {
            for index in 0..self.effects.len() {
                let (number, effect) = self.effects[index];
                self.enter(effect, self.affected[number], &steps[number], outcome, times);
            }
        }
        self.account.settle(outcome);
    }

    fn enter(
        &mut self,
        effect: Effect,
        affected: Option<u64>,
        step: &Step,
        outcome: Outcome,
        times: (Timestamp, Timestamp),
    ) {
        let Some((id, c)) = step.row() else { return };
        let is_watched = self.watched.has(id);
        let amount = match effect {
            Effect::Counts if is_watched => Some(INDEX_UPDATES),
            Effect::Deletes if is_watched => Some(ROWS_DELETED),
            Effect::Inserts => Some(ROWS_INSERTED),
            _ => None,
        };
        if let Some(amount) = amount {
            self.account.may_change(amount, 1);
            self.account.has_changed(amount, affected.unwrap_or(0).cast_signed());
        }
        // An update that found no row has written none.
        let is_written = effect == Effect::Writes && affected != Some(0);
        if let Some(writes) = &mut self.writes
            && (is_written || effect == Effect::Deletes)
        {
            let table = (step.statement / self.statements_per_table) as u64;
            writes.remember(RowKey { table, id }, c, outcome, times);
        }
    }

    /// What is known by now; what is under way is of unknown outcome.
    pub fn ledger(&self, steps: &[Step]) -> Ledger {
        let mut known = self.clone();
        known.settle(steps, Outcome::Unknown, (Timestamp::default(), Timestamp::default()));
        Ledger { writes: known.writes.map(Writes::known), ..known.account.ledger() }
    }
}
