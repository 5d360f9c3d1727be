//! Expressions as pgbench's scripts have them: arithmetic, conditions, random numbers, hashes.

mod evaluate;
mod function;
mod hash;
mod parse;
mod scalar;
mod spread;
mod token;

use function::Function;

pub use evaluate::Scope;
pub use scalar::Scalar;

/// An expression over variables, which are known by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Always the same.
    Constant(Scalar),
    /// A variable's value.
    Variable(usize),
    /// The second is not looked at where the first decides.
    And(Box<[Expression; 2]>),
    /// The second is not looked at where the first decides.
    Or(Box<[Expression; 2]>),
    /// Of the first condition that holds, the value; otherwise the last value.
    Case(Vec<(Expression, Expression)>, Box<Expression>),
    /// A function or an operator of values.
    #[allow(private_interfaces)] // Nobody else makes or takes apart expressions.
    Call(Function, Vec<Expression>),
}

impl Expression {
    /// Reads an expression. `find` gives the number of a variable, or says why there is none.
    pub fn parse(
        text: &str,
        find: &mut dyn FnMut(&str) -> Result<usize, String>,
    ) -> Result<Self, String> {
        parse::parse(text, find)
    }
}
