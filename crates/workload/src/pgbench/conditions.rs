//! `\if`, `\elif`, `\else` and `\endif` as jumps.

use crate::expression::Expression;
use crate::script::Step;

/// The conditions that are open at some place in a script, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    open: Vec<Condition>,
    /// How many branches have begun.
    branches: usize,
}

#[derive(Debug)]
struct Condition {
    place: String,
    /// The number of the present branch among all of the script.
    branch: usize,
    /// The jump over the present branch; None behind `\else`.
    over_branch: Option<usize>,
    /// The jumps from the ends of earlier branches to the end of all.
    to_end: Vec<usize>,
}

impl Conditions {
    /// `\if`.
    pub fn begin(&mut self, condition: Expression, place: String, steps: &mut Vec<Step>) {
        let over_branch = Some(steps.len());
        let branch = self.next_branch();
        let to_end = Vec::new();
        self.open.push(Condition { place: place.clone(), branch, over_branch, to_end });
        steps.push(Step::JumpUnless { condition, target: 0, place });
    }

    /// `\elif`.
    pub fn otherwise_if(
        &mut self,
        condition: Expression,
        place: String,
        steps: &mut Vec<Step>,
    ) -> Result<(), String> {
        self.otherwise(steps)?;
        if let Some(innermost) = self.open.last_mut() {
            innermost.over_branch = Some(steps.len());
        }
        steps.push(Step::JumpUnless { condition, target: 0, place });
        Ok(())
    }

    /// `\else`.
    pub fn otherwise(&mut self, steps: &mut Vec<Step>) -> Result<(), String> {
        let branch = self.next_branch();
        let innermost = self.open.last_mut().ok_or("there is no \\if before it")?;
        innermost.branch = branch;
        let over_branch = innermost.over_branch.take().ok_or("it can't follow \\else")?;
        innermost.to_end.push(steps.len());
        steps.push(Step::Jump { target: 0 });
        let here = steps.len();
        steps[over_branch].aim(here);
        Ok(())
    }

    /// `\endif`.
    pub fn end(&mut self, steps: &mut [Step]) -> Result<(), String> {
        let innermost = self.open.pop().ok_or("there is no \\if before it")?;
        for jump in innermost.over_branch.into_iter().chain(innermost.to_end) {
            let here = steps.len();
            steps[jump].aim(here);
        }
        Ok(())
    }

    /// The branch that the next command stands in: 0 outside of all conditions.
    pub fn branch(&self) -> usize {
        self.open.last().map_or(0, |innermost| innermost.branch)
    }

    fn next_branch(&mut self) -> usize {
        self.branches += 1;
        self.branches
    }

    /// The end of the script.
    pub fn finish(&self) -> Result<(), String> {
        match self.open.last() {
            None => Ok(()),
            Some(open) => Err(format!("\\endif is missing for \\if at {}", open.place)),
        }
    }
}
