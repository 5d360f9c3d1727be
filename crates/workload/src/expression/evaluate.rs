//! Computes expressions.

use random::Stream;

use super::Expression;
use super::function::{Function, MOST_ARGUMENTS};
use super::hash;
use super::scalar::Scalar;
use super::spread::Spread;

/// What an expression's value depends on.
pub trait Scope {
    /// The value of a variable.
    fn variable(&self, number: usize) -> Result<Scalar, String>;
    /// Where random numbers come from.
    fn stream(&mut self) -> &mut Stream;
}

impl Expression {
    /// Its value; the error says why there is none.
    pub fn evaluate(&self, scope: &mut impl Scope) -> Result<Scalar, String> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Variable(number) => scope.variable(*number),
            Self::And(sides) => both(sides, false, scope),
            Self::Or(sides) => both(sides, true, scope),
            Self::Case(branches, otherwise) => {
                for (condition, value) in branches {
                    if condition.evaluate(scope)?.is_true() {
                        return value.evaluate(scope);
                    }
                }
                otherwise.evaluate(scope)
            }
            Self::Call(function, arguments) => {
                let mut values = [Scalar::Null; MOST_ARGUMENTS];
                for (value, argument) in values.iter_mut().zip(arguments) {
                    *value = argument.evaluate(scope)?;
                }
                function.apply(&values[..arguments.len()], scope.stream())
            }
        }
    }
}

/// AND and OR: `decisive` is the value of the first side for which the second is not looked at.
/// Otherwise than in SQL, NULL on the first side decides too.
fn both(sides: &[Expression; 2], decisive: bool, scope: &mut impl Scope) -> Result<Scalar, String> {
    let first = sides[0].evaluate(scope)?;
    if first == Scalar::Null {
        return Ok(Scalar::Null);
    }
    if first.bool()? == decisive {
        return Ok(first);
    }
    match sides[1].evaluate(scope)? {
        Scalar::Null => Ok(Scalar::Null),
        second => second.bool().map(Scalar::Bool),
    }
}

impl Function {
    fn apply(self, values: &[Scalar], stream: &mut Stream) -> Result<Scalar, String> {
        if let (Self::Is, [left, right]) = (self, values) {
            return Ok(Scalar::Bool(left == right));
        }
        if values.contains(&Scalar::Null) && self != Self::Debug {
            return Ok(Scalar::Null);
        }
        match *values {
            [] => Ok(Scalar::Double(std::f64::consts::PI)),
            _ if matches!(self, Self::Least | Self::Greatest) => self.extreme(values),
            [value] => self.of_one(value),
            [left, right] => self.of_two(left, right, stream),
            [first, second, third, ..] => self.of_three(first, second, third, stream),
        }
    }

    fn extreme(self, values: &[Scalar]) -> Result<Scalar, String> {
        let is_least = self == Self::Least;
        if values.iter().any(|value| matches!(value, Scalar::Double(_))) {
            let mut extreme = values[0].double()?;
            for value in &values[1..] {
                let value = value.double()?;
                if if is_least { value < extreme } else { value > extreme } {
                    extreme = value;
                }
            }
            return Ok(Scalar::Double(extreme));
        }
        let mut extreme = values[0].int()?;
        for value in &values[1..] {
            let value = value.int()?;
            extreme = if is_least { extreme.min(value) } else { extreme.max(value) };
        }
        Ok(Scalar::Int(extreme))
    }

    fn of_one(self, value: Scalar) -> Result<Scalar, String> {
        Ok(match (self, value) {
            (Self::Debug, _) => {
                eprintln!("debug: {value:?}");
                value
            }
            (Self::Not, _) => Scalar::Bool(!value.bool()?),
            (Self::Abs, Scalar::Int(value)) => Scalar::Int(value.wrapping_abs()),
            (Self::Abs, _) => Scalar::Double(value.double()?.abs()),
            (Self::Int, _) => Scalar::Int(value.int()?),
            (Self::Sqrt, _) => Scalar::Double(value.double()?.sqrt()),
            (Self::Ln, _) => Scalar::Double(value.double()?.ln()),
            (Self::Exp, _) => Scalar::Double(value.double()?.exp()),
            _ => Scalar::Double(value.double()?),
        })
    }

    fn of_two(self, left: Scalar, right: Scalar, stream: &mut Stream) -> Result<Scalar, String> {
        match self {
            Self::Random => {
                let drawn = Spread::Uniform.draw(left.int()?, right.int()?, stream)?;
                Ok(Scalar::Int(drawn))
            }
            Self::Power => Ok(Scalar::Double(left.double()?.powf(right.double()?))),
            Self::HashFnv1a => Ok(Scalar::Int(hash::fnv1a(left.int()?, right.int()?))),
            Self::HashMurmur2 => Ok(Scalar::Int(hash::murmur2(left.int()?, right.int()?))),
            _ if self.takes_doubles(left, right) => {
                self.of_doubles(left.double()?, right.double()?)
            }
            _ => self.of_ints(left.int()?, right.int()?),
        }
    }

    /// Whether two values are taken for floats: remainders and bits are those of integers.
    fn takes_doubles(self, left: Scalar, right: Scalar) -> bool {
        let is_of_integers = matches!(
            self,
            Self::Modulo
                | Self::BitAnd
                | Self::BitOr
                | Self::BitXor
                | Self::ShiftLeft
                | Self::ShiftRight
        );
        let is_double = |value| matches!(value, Scalar::Double(_));
        !is_of_integers && (is_double(left) || is_double(right))
    }

    #[allow(clippy::float_cmp)] // It is what was asked for.
    fn of_doubles(self, left: f64, right: f64) -> Result<Scalar, String> {
        Ok(match self {
            Self::Add => Scalar::Double(left + right),
            Self::Subtract => Scalar::Double(left - right),
            Self::Multiply => Scalar::Double(left * right),
            Self::Divide => Scalar::Double(left / right),
            Self::Equal => Scalar::Bool(left == right),
            Self::Unequal => Scalar::Bool(left != right),
            Self::Less => Scalar::Bool(left < right),
            Self::LessOrEqual => Scalar::Bool(left <= right),
            other => return Err(format!("{other:?} is not defined for floats")),
        })
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Shifts count to 63.
    fn of_ints(self, left: i64, right: i64) -> Result<Scalar, String> {
        let out_of_range = |what: &str| format!("bigint {what} out of range");
        let value = match self {
            Self::Add => left.checked_add(right).ok_or_else(|| out_of_range("add"))?,
            Self::Subtract => left.checked_sub(right).ok_or_else(|| out_of_range("sub"))?,
            Self::Multiply => left.checked_mul(right).ok_or_else(|| out_of_range("mul"))?,
            Self::Divide | Self::Modulo if right == 0 => return Err("division by zero".to_owned()),
            Self::Divide => left.checked_div(right).ok_or_else(|| out_of_range("div"))?,
            Self::Modulo => left.wrapping_rem(right),
            Self::BitAnd => left & right,
            Self::BitOr => left | right,
            Self::BitXor => left ^ right,
            Self::ShiftLeft => left.wrapping_shl(right as u32),
            Self::ShiftRight => left.wrapping_shr(right as u32),
            Self::Equal => return Ok(Scalar::Bool(left == right)),
            Self::Unequal => return Ok(Scalar::Bool(left != right)),
            Self::Less => return Ok(Scalar::Bool(left < right)),
            Self::LessOrEqual => return Ok(Scalar::Bool(left <= right)),
            other => return Err(format!("{other:?} is not defined for integers")),
        };
        Ok(Scalar::Int(value))
    }

    fn of_three(
        self,
        first: Scalar,
        second: Scalar,
        third: Scalar,
        stream: &mut Stream,
    ) -> Result<Scalar, String> {
        let (first, second) = (first.int()?, second.int()?);
        let spread = match self {
            Self::Permute => {
                if second <= 0 {
                    return Err("permute size parameter must be greater than zero".to_owned());
                }
                return Ok(Scalar::Int(hash::permute(first, second, third.int()?)));
            }
            Self::RandomGaussian => Spread::Gaussian(third.double()?),
            Self::RandomExponential => Spread::Exponential(third.double()?),
            _ => Spread::Zipfian(third.double()?),
        };
        spread.draw(first, second, stream).map(Scalar::Int)
    }
}
