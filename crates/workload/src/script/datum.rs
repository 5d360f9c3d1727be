//! What a variable holds, in memory that is used again for its next value.

use std::fmt::Write;

use contract::Value;

use crate::expression::Scalar;

/// A variable's value.
#[derive(Debug, Default, PartialEq)]
pub enum Datum {
    /// It was given none yet.
    #[default]
    Unset,
    /// SQL NULL.
    Null,
    /// Any integer.
    Int(i64),
    /// A float.
    Double(f64),
    /// A truth value.
    Bool(bool),
    /// Text, and exact decimals in text form.
    Text(String),
}

impl Datum {
    /// The value as a statement's parameter; None where there is none. A truth value travels as 0 or
    /// 1, which all servers take for one.
    #[inline]
    pub fn parameter(&self) -> Option<Value<'_>> {
        Some(match self {
            Self::Unset => return None,
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Bool(value) => Value::Int(i64::from(*value)),
            Self::Text(text) => Value::Text(text),
        })
    }

    /// Makes it an empty text, in the memory of the last one where it was a text before.
    #[inline]
    pub fn empty_text(&mut self) -> &mut String {
        if !matches!(self, Self::Text(_)) {
            *self = Self::Text(String::new());
        }
        let Self::Text(text) = self else { unreachable!("it has just been made one") };
        text.clear();
        text
    }

    /// Takes the value of another one over.
    pub fn copy_from(&mut self, other: &Self) {
        match other {
            Self::Unset => *self = Self::Unset,
            Self::Null => *self = Self::Null,
            Self::Int(value) => *self = Self::Int(*value),
            Self::Double(value) => *self = Self::Double(*value),
            Self::Bool(value) => *self = Self::Bool(*value),
            Self::Text(text) => self.empty_text().push_str(text),
        }
    }
}

impl Datum {
    /// Appends the value as it stands in a text; false where there is none.
    pub fn write_text(&self, text: &mut String) -> bool {
        // Writing to memory does not fail.
        let _ = match self {
            Self::Unset => return false,
            Self::Null => write!(text, "NULL"),
            Self::Int(value) => write!(text, "{value}"),
            Self::Double(value) => {
                write_double(*value, text);
                Ok(())
            }
            Self::Bool(value) => write!(text, "{value}"),
            Self::Text(value) => write!(text, "{value}"),
        };
        true
    }
}

impl From<Scalar> for Datum {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool(value) => Self::Bool(value),
            Scalar::Int(value) => Self::Int(value),
            Scalar::Double(value) => Self::Double(value),
        }
    }
}

/// Digits that every float keeps.
const DIGITS: i32 = 15;

/// Fewer zeros than this stand before the first digit; otherwise there is an exponent.
const LOWEST_EXPONENT: i32 = -4;

/// Writes a float with 15 digits, as C's `%.15g` does.
fn write_double(value: f64, text: &mut String) {
    if !value.is_finite() {
        text.push_str(match value {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        });
        return;
    }
    let scientific = format!("{value:.*e}", (DIGITS - 1).unsigned_abs() as usize);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (LOWEST_EXPONENT..DIGITS).contains(&exponent) {
        let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
        text.push_str(without_zeros(&format!("{value:.decimals$}")));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(text, "{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}
