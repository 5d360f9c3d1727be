//! What transactions do, step by step, ready to be carried out.

use std::ops::Range;

use contract::{Access, Dialect, Statement, ends_in_comment, first_word, words};
use random::Stream;

use super::control::Control;
use super::expected::ExpectedErrors;

use super::variable::{Constant, Variable};
use crate::expression::Expression;

/// The number of a variable.
pub(crate) type Slot = usize;

/// One kind of transaction.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its name in results.
    pub name: String,
    /// How often it is chosen, relative to the others.
    pub weight: u64,
    /// The variables that are drawn before it begins.
    pub draws: Vec<Slot>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Errors that are no failure.
    pub expected: ExpectedErrors,
}

/// One step of a transaction.
#[derive(Debug)]
pub(crate) enum Step {
    /// Opens a transaction.
    Begin(Access),
    /// Commits it.
    Commit,
    /// Rolls it back.
    Rollback,
    /// Executes a prepared statement. One that `shares` round trips may be sent together with what
    /// comes after it in its transaction, or before it.
    Execute { statement: usize, parameters: Vec<Slot>, fetch: Option<Fetch>, shares: bool },
    /// Sends a statement as text, or several; what is fetched is in their order.
    Send { text: Vec<TextPiece>, opens: bool, fetches: Vec<Fetch> },
    /// Puts a request behind those that are sent together.
    Queue(Queued),
    /// Sends what was queued, and waits for all answers.
    Flush,
    /// Gives a variable the value of an expression.
    Set { slot: Slot, expression: Expression, place: String },
    /// Goes on elsewhere unless a condition holds.
    JumpUnless { condition: Expression, target: usize, place: String },
    /// Goes on elsewhere.
    Jump { target: usize },
    /// Waits.
    Sleep { length: Length, unit_ns: u64, place: String },
}

impl Step {
    /// Gives a jump its target.
    pub fn aim(&mut self, here: usize) {
        if let Self::Jump { target } | Self::JumpUnless { target, .. } = self {
            *target = here;
        }
    }
}

/// What can be sent before the answers to what stands before it are there.
#[derive(Debug)]
pub(crate) enum Queued {
    /// Opens a transaction.
    Begin(Access),
    /// Executes a prepared statement, which may open a transaction.
    Execute { statement: usize, parameters: Vec<Slot>, opens: bool },
    /// Commits it.
    Commit,
}

/// How long a wait is, in its unit.
#[derive(Debug)]
pub(crate) enum Length {
    /// Always the same.
    Constant(u64),
    /// A variable's value.
    Variable(Slot),
}

/// What a variable holds before the first transaction.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// The same for all clients.
    Constant(Constant),
    /// The client's number, from 0 on.
    ClientId,
    /// The seed of all streams.
    Seed,
    /// A number that follows from the seed, the same for all clients.
    SeedOfHashes,
}

/// A piece of a statement that is sent as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextPiece {
    /// As it is.
    Verbatim(String),
    /// The value of a variable, written as it is.
    Variable(Slot),
    /// The same where it may be no variable at all: without a value it is left as it is written.
    Embedded(Slot),
}

/// What is kept of a statement's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// Which statement's rows, where several travel as one text.
    pub statement: usize,
    /// The columns' variables, in order.
    pub slots: Vec<Slot>,
    /// The columns' names, one for each variable, where only the server knows what columns there are,
    /// and in which order. A variable without a column stays as it is.
    pub names: Option<Vec<String>>,
    /// How many rows there may be, and which one counts.
    pub rows: FetchedRows,
    /// The number of its first column among those of all fetches.
    pub first_column: usize,
}

impl Fetch {
    /// The places of its columns among those of all fetches.
    pub fn columns(&self) -> Range<usize> {
        self.first_column..self.first_column + self.slots.len()
    }
}

/// How many rows a statement may give, and which one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchedRows {
    /// The first of any number.
    First(NoRow),
    /// There must be one.
    ExactlyOne,
    /// The last of any number; without any, the variables stay as they are.
    Last,
}

impl FetchedRows {
    /// Whether a row that comes after the first counts in its place.
    pub fn keeps_last(self) -> bool {
        self == Self::Last
    }
}

/// What it means that there is no row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoRow {
    /// The transaction fails.
    #[default]
    Fail,
    /// The variables are NULL.
    Nulls,
    /// The transaction is rolled back on purpose.
    Rollback,
}

/// All kinds of transactions of a workload, and what they share.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The kinds.
    pub programs: Vec<Program>,
    /// The variables' names, and what is drawn for those that are.
    pub variables: Vec<(String, Option<Variable>)>,
    /// The statements that every connection prepares, each once.
    pub statements: Vec<Statement>,
    /// The columns of all fetches.
    pub fetched_columns: usize,
    /// Variables with a value from the beginning.
    pub initial: Vec<(Slot, Initial)>,
    /// Whether what a transaction does changes what the same one does when it is retried, unless
    /// variables and random numbers are put back before.
    pub keeps_state: bool,
}

impl Script {
    /// Chooses one of the kinds by their weights.
    pub fn choose(&self, stream: &mut Stream) -> usize {
        if self.programs.len() == 1 {
            return 0;
        }
        let mut point = stream.below(self.programs.iter().map(|program| program.weight).sum());
        let chosen = self.programs.iter().position(|program| {
            let is_chosen = point < program.weight;
            point = point.saturating_sub(program.weight);
            is_chosen
        });
        chosen.unwrap_or_else(|| unreachable!("the point is below the sum of the weights"))
    }
}

impl Script {
    /// The number of a prepared statement, which is added where it is new.
    pub fn statement(&mut self, sql: String) -> usize {
        let known = self.statements.iter().position(|statement| statement.sql == sql);
        known.unwrap_or_else(|| {
            self.statements.push(Statement { sql });
            self.statements.len() - 1
        })
    }

    /// A new variable's number.
    pub fn variable(&mut self, name: &str, variable: Option<Variable>) -> Slot {
        self.variables.push((name.to_owned(), variable));
        self.variables.len() - 1
    }

    /// What is kept of a statement's rows, its columns in the variables' order.
    pub fn fetch(&mut self, slots: Vec<Slot>, rows: FetchedRows) -> Fetch {
        let first_column = self.fetched_columns;
        self.fetched_columns += slots.len();
        Fetch { statement: 0, slots, names: None, rows, first_column }
    }
}

/// Whether a transaction with these statements writes, as far as it can be told; some servers give
/// one that only reads more freedom.
pub(crate) fn access<'a>(
    statements: impl IntoIterator<Item = &'a str>,
    dialect: Dialect,
) -> Access {
    let only_reads = statements.into_iter().all(|sql| {
        let changes = |word: &str| ["FOR", "INTO"].iter().any(|it| it.eq_ignore_ascii_case(word));
        Control::of(sql, dialect) != Control::None
            || (is_first_word_of(sql, dialect, &["SELECT"]) && !words(sql, dialect).any(changes))
    });
    if only_reads { Access::ReadOnly } else { Access::ReadWrite }
}

/// Statements about rows, each of which gives one answer.
const ABOUT_ROWS: [&str; 8] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE", "VALUES", "MERGE"];

/// Whether a prepared statement may share a round trip with others. What has a procedure carried out, or a
/// block of statements, may give more than one answer; and where a comment has no end, what follows would
/// be a part of it.
pub(crate) fn shares_round_trips(sql: &str, dialect: Dialect) -> bool {
    is_first_word_of(sql, dialect, &ABOUT_ROWS) && !ends_in_comment(sql, dialect)
}

/// Whether a statement without parameters is prepared: not all servers can prepare everything else.
pub(crate) fn is_prepared(sql: &str, dialect: Dialect) -> bool {
    is_first_word_of(sql, dialect, &ABOUT_ROWS) || is_first_word_of(sql, dialect, &["CALL"])
}

fn is_first_word_of(sql: &str, dialect: Dialect, words: &[&str]) -> bool {
    let first = first_word(sql, dialect);
    words.iter().any(|word| word.eq_ignore_ascii_case(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_give_several_answers_is_sent_by_itself() {
        for (sql, expected) in [
            ("SELECT k FROM t WHERE id = ?", true),
            ("/* x */ update t SET k = ?", true),
            ("SELECT k FROM t WHERE id = ? -- x", false),
            ("CALL p(?)", false),
            ("SET STATEMENT max_statement_time=1 FOR CALL p(?)", false),
            ("EXECUTE IMMEDIATE CONCAT('CALL p(', ?, ')')", false),
            ("BEGIN NOT ATOMIC SELECT ?; SELECT 2; END", false),
            ("IF ? THEN SELECT 1; SELECT 2; END IF", false),
        ] {
            assert_eq!(shares_round_trips(sql, Dialect::MySql), expected, "{sql}");
        }
    }
}
