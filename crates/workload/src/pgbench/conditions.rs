//! `\if`, `\elif`, `\else` and `\endif` as jumps.

use crate::expression::Expression;
use crate::script::Step;

/// The conditions that are open at some place in a script, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Conditions(Vec<Condition>);

#[derive(Debug)]
struct Condition {
    place: String,
    /// The jump over the present branch; None behind `\else`.
    over_branch: Option<usize>,
    /// The jumps from the ends of earlier branches to the end of all.
    to_end: Vec<usize>,
}

impl Conditions {
    /// `\if`.
    pub fn begin(&mut self, condition: Expression, place: String, steps: &mut Vec<Step>) {
        let over_branch = Some(steps.len());
        self.0.push(Condition { place: place.clone(), over_branch, to_end: Vec::new() });
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
        if let Some(innermost) = self.0.last_mut() {
            innermost.over_branch = Some(steps.len());
        }
        steps.push(Step::JumpUnless { condition, target: 0, place });
        Ok(())
    }

    /// `\else`.
    pub fn otherwise(&mut self, steps: &mut Vec<Step>) -> Result<(), String> {
        let innermost = self.0.last_mut().ok_or("there is no \\if before it")?;
        let over_branch = innermost.over_branch.take().ok_or("it can't follow \\else")?;
        innermost.to_end.push(steps.len());
        steps.push(Step::Jump { target: 0 });
        let here = steps.len();
        steps[over_branch].aim(here);
        Ok(())
    }

    /// `\endif`.
    pub fn end(&mut self, steps: &mut [Step]) -> Result<(), String> {
        let innermost = self.0.pop().ok_or("there is no \\if before it")?;
        for jump in innermost.over_branch.into_iter().chain(innermost.to_end) {
            let here = steps.len();
            steps[jump].aim(here);
        }
        Ok(())
    }

    /// How many are open.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// The end of the script.
    pub fn finish(&self) -> Result<(), String> {
        match self.0.last() {
            None => Ok(()),
            Some(open) => Err(format!("\\endif is missing for \\if at {}", open.place)),
        }
    }
}
