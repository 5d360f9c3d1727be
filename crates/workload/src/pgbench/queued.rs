//! The statements of a pipeline.

use super::compile::{Body, Compiler};
use crate::script::{Control, Queued, Step, cut};

impl Compiler<'_> {
    /// A statement of a pipeline.
    pub fn queued(&mut self, statements: &[String], body: &mut Body) -> Result<(), String> {
        let [sql] = statements else {
            return Err("a statement of a pipeline is prepared, and can't be several that \\; \
                        joins; end each with ; instead"
                .to_owned());
        };
        let control = Control::of(sql, self.dialect);
        let queued = match control {
            Control::Begin => Queued::Begin(body.access),
            Control::Commit => Queued::Commit,
            Control::Rollback => {
                return Err("ROLLBACK can't stand in a pipeline here; write it behind \
                            \\endpipeline"
                    .to_owned());
            }
            Control::None | Control::BeginWithOptions => {
                let pieces = cut(sql, self.dialect);
                if self.is_text(&pieces) {
                    return Err("a statement of a pipeline is prepared, and its variables can't \
                                stand in a string or inside a name; write :name alone"
                        .to_owned());
                }
                let (statement, parameters) = self.prepared(&pieces)?;
                let opens = control == Control::BeginWithOptions;
                Queued::Execute { statement, parameters, opens }
            }
        };
        body.steps.push(Step::Queue(queued));
        Ok(())
    }
}
