//! pgbench's scripts as they are, and the tables that its built-in ones need.
//!
//! Where this differs from pgbench: variables travel as parameters of prepared statements unless they
//! stand in a string or a name; a column that is NULL makes its variable NULL, not an empty text;
//! and a statement that fails fails its transaction, not the client.

mod builtin;
mod columns;
mod compile;
mod conditions;
mod fetches;
mod initialize;
mod lines;
mod meta;
mod names;
mod options;
mod pipeline;
mod queued;
mod sources;

use contract::Dialect;

use crate::expression::{Expression, Scalar, Scope};
use crate::script::{Mistake, ScriptWorkload};

pub use options::{PgbenchOptions, ScriptOptions};

/// Reads scripts for servers of one dialect; the mistake names file and line.
pub fn read(options: &PgbenchOptions, dialect: Dialect) -> Result<ScriptWorkload, Mistake> {
    compile::compile(options, dialect)
}

/// Computes an expression without variables but `:default_seed`, which is 0, and gives its value as
/// it would stand in a statement.
pub fn evaluate(expression: &str) -> Result<String, String> {
    struct Alone(random::Stream);
    impl Scope for Alone {
        fn variable(&self, _: usize) -> Result<Scalar, String> {
            Ok(Scalar::Int(0))
        }
        fn stream(&mut self) -> &mut random::Stream {
            &mut self.0
        }
    }
    let expression = Expression::parse(expression, &mut |name| match name {
        "default_seed" => Ok(0),
        _ => Err(format!("unknown variable :{name}")),
    })?;
    let stream = random::Stream::new(0, random::Purpose::Inputs, 0);
    let value = expression.evaluate(&mut Alone(stream))?;
    Ok(crate::script::in_text(value))
}
