//! Statements that were sent together, and what each of them counts for.

use contract::{Executed, Tally, Verb};

use super::counts::{Count, CountsByVerb};

/// What a result of a batch belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Queued {
    Command(Verb),
    Statement(usize),
}

/// A statement that one connection executes many times.
pub(crate) trait HasColumns {
    type Column;
    /// The columns of its answers, as far as they are known.
    fn columns(&mut self) -> &mut Vec<Self::Column>;
}

/// Columns alone, where no statement is needed.
#[cfg(test)]
impl<C> HasColumns for Vec<C> {
    type Column = C;

    fn columns(&mut self) -> &mut Vec<C> {
        self
    }
}

/// What was sent together, with the statements of which it is made.
pub(crate) struct Sent<'a, S> {
    pub queued: &'a [Queued],
    pub statements: &'a mut [S],
}

impl<S: HasColumns> Sent<'_, S> {
    /// For the answer in this place, which of the statements it belongs to, and the columns of that
    /// one; None for BEGIN and COMMIT.
    pub fn statement(&mut self, place: usize) -> Option<(usize, &mut Vec<S::Column>)> {
        let Some(Queued::Statement(statement)) = self.queued.get(place) else { return None };
        let is_statement = |queued: &&Queued| matches!(queued, Queued::Statement(_));
        let number = self.queued[..place].iter().filter(is_statement).count();
        Some((number, self.statements[*statement].columns()))
    }
}

/// What was sent together, what of it was carried out, and whether the next one failed.
pub(crate) struct SentBatch<'a> {
    pub queued: &'a [Queued],
    pub executed: &'a [Executed],
    pub failed: bool,
}

impl SentBatch<'_> {
    /// Counts what was carried out, and the statement that failed; what followed that one never came
    /// to be executed. `results` are those of the statements, without BEGIN and COMMIT.
    pub fn count<S>(
        &self,
        statements: &mut [S],
        count_of: impl Fn(&mut S) -> &mut Count,
        counts: &mut CountsByVerb,
        tally: &mut Tally,
        results: &mut Vec<Executed>,
    ) {
        let sent = self.executed.len() + usize::from(self.failed);
        for (index, queued) in self.queued.iter().take(sent).enumerate() {
            let count = match queued {
                Queued::Command(verb) => counts.of(*verb),
                Queued::Statement(statement) => count_of(&mut statements[*statement]),
            };
            count.sent();
            let Some(executed) = self.executed.get(index).copied() else { continue };
            count.succeeded(executed);
            tally.round_trips += u64::from(index == 0);
            match queued {
                Queued::Command(verb) => tally.count_fellow_of(*verb, executed),
                Queued::Statement(_) => {
                    tally.count_fellow(executed);
                    results.push(executed);
                }
            }
        }
    }
}
