//! Which amounts a script changes, statement by statement.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::{Account, Asked, Dialect, Executed, Question, Questions};

use super::datum::Datum;
use super::effect::{By, Effect, effect};
use super::program::{Queued, Script, Slot, Step, TextPiece};

/// What a step changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    amount: usize,
    change: RowChange,
    /// The most rows, where that is known before.
    most: Option<i64>,
}

/// What a statement that was sent changes by each row that it affects. The amount by a row is None
/// where it can't be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowEffect {
    amount: usize,
    each: Option<i64>,
}

/// What each row counts that a statement has affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowChange {
    Constant(i64),
    Variable { slot: Slot, sign: i64 },
}

/// The amounts of a script.
#[derive(Debug)]
pub(super) struct Accounting {
    names: Arc<[String]>,
    /// By kind of transaction and step.
    entries: Vec<Vec<Option<Entry>>>,
    pub questions: Questions,
}

/// A statement in its place.
struct Placed {
    program: usize,
    step: usize,
    effect: Effect,
    /// The first parameter.
    parameter: Option<Slot>,
}

impl Accounting {
    /// Reads a script's statements.
    pub fn new(script: &Script, dialect: Dialect) -> Self {
        let mut left_out = Vec::new();
        let mut placed = Vec::new();
        for (program, step, sql, parameter) in statements(script) {
            let effect = effect(&sql, dialect);
            if effect == Effect::Unclear {
                left_out.push(format!("what it changes cannot be counted: {sql}"));
            }
            placed.push(Placed { program, step, effect, parameter });
        }
        let writes = placed.iter().any(|statement| statement.effect != Effect::Nothing);
        if !left_out.is_empty() {
            // It may change the amounts of all others.
            placed.clear();
        }
        let amounts = Amounts::of(&placed);
        left_out.extend(amounts.left_out());
        let mut entries: Vec<Vec<Option<Entry>>> =
            script.programs.iter().map(|program| vec![None; program.steps.len()]).collect();
        for statement in &placed {
            entries[statement.program][statement.step] = amounts.entry(statement);
        }
        let questions = Questions { amounts: amounts.questions(), rows: None, left_out, writes };
        Self { names: amounts.names().collect(), entries, questions }
    }

    pub fn account(&self) -> Account {
        Account::new(Arc::clone(&self.names))
    }

    #[inline]
    pub fn entry(&self, program: usize, step: usize) -> Option<Entry> {
        self.entries[program][step]
    }
}

impl Entry {
    /// The statement is about to be sent.
    pub fn open(self, account: &mut Account) {
        let by = match (self.change, self.most) {
            (RowChange::Constant(each), Some(most)) => each * most,
            (RowChange::Constant(each), None) if each < 0 => i64::MIN,
            (RowChange::Constant(_), None) => i64::MAX,
            (RowChange::Variable { .. }, _) => {
                account.may_change(self.amount, i64::MIN);
                i64::MAX
            }
        };
        account.may_change(self.amount, by);
    }

    /// What it changes by the variables' present values.
    pub fn effect(self, variables: &[Datum]) -> RowEffect {
        let each = match self.change {
            RowChange::Constant(each) => Some(each),
            RowChange::Variable { slot, sign } => match variables[slot] {
                Datum::Int(value) => Some(sign * value),
                _ => None,
            },
        };
        RowEffect { amount: self.amount, each }
    }
}

impl RowEffect {
    /// The statement has succeeded.
    pub fn close(self, account: &mut Account, executed: Executed) {
        let Executed::Affected(rows) = executed else { return };
        match self.each {
            Some(each) => account.has_changed(self.amount, each * rows.cast_signed()),
            None => account.give_up(self.amount),
        }
    }
}

/// All statements that are sent, each with its place, its text and its first parameter.
pub(super) fn statements(script: &Script) -> Vec<(usize, usize, String, Option<Slot>)> {
    let mut found = Vec::new();
    for (number, program) in script.programs.iter().enumerate() {
        for (place, step) in program.steps.iter().enumerate() {
            match step {
                Step::Execute { statement, parameters, .. }
                | Step::Queue(Queued::Execute { statement, parameters, .. }) => {
                    let sql = script.statements[*statement].sql.clone();
                    found.push((number, place, sql, parameters.first().copied()));
                }
                Step::Send { text, .. } => {
                    let parameter = text.iter().find_map(|piece| match piece {
                        TextPiece::Variable(slot) | TextPiece::Embedded(slot) => Some(*slot),
                        TextPiece::Verbatim(_) => None,
                    });
                    found.push((number, place, text.iter().map(in_words).collect(), parameter));
                }
                _ => {}
            }
        }
    }
    found
}

fn in_words(piece: &TextPiece) -> &str {
    match piece {
        TextPiece::Verbatim(text) => text,
        TextPiece::Variable(_) | TextPiece::Embedded(_) => "?",
    }
}

/// Amounts by table: its rows, or its columns that only grow by known numbers.
#[derive(Default)]
struct Amounts {
    rows: BTreeSet<String>,
    sums: BTreeSet<(String, String)>,
    /// Columns that get values of which nobody knows what was there before.
    assigned: BTreeMap<String, BTreeSet<String>>,
}

impl Amounts {
    fn of(placed: &[Placed]) -> Self {
        let mut amounts = Self::default();
        for statement in placed {
            match &statement.effect {
                Effect::Inserts { table, .. } | Effect::Deletes { table } => {
                    amounts.rows.insert(table.clone());
                }
                Effect::Adds { table, column, .. } => {
                    amounts.sums.insert((table.clone(), column.clone()));
                }
                Effect::Assigns { table, columns } => {
                    amounts.assigned.entry(table.clone()).or_default().extend(columns.clone());
                }
                Effect::Nothing | Effect::Unclear => {}
            }
        }
        let Self { rows, sums, assigned } = &mut amounts;
        // Rows that come and go take what was in the column with them.
        sums.retain(|(table, column)| {
            let is_assigned = assigned.get(table).is_some_and(|columns| columns.contains(column));
            !rows.contains(table) && !is_assigned
        });
        amounts
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let rows = self.rows.iter().map(|table| format!("rows:{table}"));
        rows.chain(self.sums.iter().map(|(table, column)| format!("sum:{table}.{column}")))
    }

    fn rows_of(&self, table: &str) -> Option<usize> {
        self.rows.iter().position(|known| known == table)
    }

    fn sum_of(&self, table: &str, column: &str) -> Option<usize> {
        let is_it = |known: &(String, String)| known.0 == table && known.1 == column;
        self.sums.iter().position(is_it).map(|place| self.rows.len() + place)
    }

    fn entry(&self, statement: &Placed) -> Option<Entry> {
        let (amount, change, most) = match &statement.effect {
            Effect::Inserts { table, most } => {
                (self.rows_of(table)?, RowChange::Constant(1), *most)
            }
            Effect::Deletes { table } => (self.rows_of(table)?, RowChange::Constant(-1), None),
            Effect::Adds { table, column, by } => {
                let change = match by {
                    By::Constant(each) => RowChange::Constant(*each),
                    By::Parameter { sign } => {
                        RowChange::Variable { slot: statement.parameter?, sign: *sign }
                    }
                };
                (self.sum_of(table, column)?, change, None)
            }
            _ => return None,
        };
        Some(Entry { amount, change, most })
    }

    fn questions(&self) -> Vec<Question> {
        let rows = self.rows.iter().map(|table| {
            let title = format!("rows in {table}, those inserted less those deleted");
            (table, title, "the number of rows".to_owned(), format!("SELECT COUNT(*) FROM {table}"))
        });
        let sums = self.sums.iter().map(|(table, column)| {
            let title = format!("additions to {table}.{column}");
            let query = format!("SELECT COALESCE(SUM({column}), 0) FROM {table}");
            (table, title, "the sum of the column".to_owned(), query)
        });
        let all = self.names().zip(rows.chain(sums));
        all.map(|(name, (table, title, source, query))| Question {
            name,
            title,
            source,
            asked: Asked::Sum(vec![query]),
            reads_whole: vec![table.clone()],
        })
        .collect()
    }

    fn left_out(&self) -> impl Iterator<Item = String> {
        self.assigned.iter().map(|(table, columns)| {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            format!("values that UPDATE gives to {table}: {}", columns.join(", "))
        })
    }
}
