//! Statements that were sent together, and what each of them counts for.

use contract::{Executed, StatementCounters, Verb};

use super::execution_counters::{ExecutionCounters, ExecutionCountersByVerb};

/// What a result of a batch belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Queued {
    Command(Verb),
    Statement(usize),
}

/// A statement that one connection executes many times.
pub(crate) trait Repeated {
    type Column;
    /// The columns of its answers, as far as they are known.
    fn columns(&mut self) -> &mut Vec<Self::Column>;
    fn count(&mut self) -> &mut ExecutionCounters;
    /// Whether it calls a procedure, which may return several result sets.
    fn is_call(&self) -> bool;
}

/// What was sent together, with the statements of which it is made.
pub(crate) struct Sent<'a, S> {
    pub queued: &'a [Queued],
    pub statements: &'a mut [S],
}

impl<S: Repeated> Sent<'_, S> {
    /// For the answer in this place, which of the statements it belongs to, and the columns of that
    /// one; None for BEGIN and COMMIT.
    pub fn statement(&mut self, place: usize) -> Option<(usize, &mut Vec<S::Column>)> {
        let Some(Queued::Statement(statement)) = self.queued.get(place) else { return None };
        let is_statement = |queued: &&Queued| matches!(queued, Queued::Statement(_));
        let number = self.queued[..place].iter().filter(is_statement).count();
        Some((number, self.statements[*statement].columns()))
    }

    /// Whether the answer in this place is that of a procedure.
    pub fn is_call(&self, place: usize) -> bool {
        let Some(Queued::Statement(statement)) = self.queued.get(place) else { return false };
        self.statements[*statement].is_call()
    }

    /// Counts what the server was to carry out: `outcomes` has what each did, None where it failed,
    /// and ends where the server did. `results` are those of the statements that succeeded, without
    /// BEGIN and COMMIT.
    pub fn count(
        &mut self,
        outcomes: impl Iterator<Item = Option<Executed>>,
        by_verb: &mut ExecutionCountersByVerb,
        counters: &mut StatementCounters,
        results: &mut Vec<Executed>,
    ) {
        let mut has_succeeded = false;
        for (queued, outcome) in self.queued.iter().zip(outcomes) {
            let count = match queued {
                Queued::Command(verb) => by_verb.of(*verb),
                Queued::Statement(statement) => self.statements[*statement].count(),
            };
            count.sent();
            let Some(executed) = outcome else { continue };
            count.succeeded(executed);
            has_succeeded = true;
            match queued {
                Queued::Command(verb) => counters.count_fellow_of(*verb, executed),
                Queued::Statement(_) => {
                    counters.count_fellow(executed);
                    results.push(executed);
                }
            }
        }
        counters.round_trips += u64::from(has_succeeded);
    }
}

/// What was carried out before the first that failed, if one did, and that one.
pub(crate) fn up_to_failure(
    executed: &[Executed],
    failed: bool,
) -> impl Iterator<Item = Option<Executed>> {
    executed.iter().copied().map(Some).chain(failed.then_some(None))
}

/// What is known of a statement's answers, where no statement is needed.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Answers<C> {
    columns: Vec<C>,
    count: ExecutionCounters,
    pub is_call: bool,
}

#[cfg(test)]
impl<C> Default for Answers<C> {
    fn default() -> Self {
        Self { columns: Vec::new(), count: ExecutionCounters::default(), is_call: false }
    }
}

#[cfg(test)]
impl<C> Repeated for Answers<C> {
    type Column = C;

    fn columns(&mut self) -> &mut Vec<C> {
        &mut self.columns
    }

    fn count(&mut self) -> &mut ExecutionCounters {
        &mut self.count
    }

    fn is_call(&self) -> bool {
        self.is_call
    }
}
