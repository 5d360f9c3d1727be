//! Values in expressions, and what they are taken for.

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A float.
    Double(f64),
}

/// The smallest float that is beyond all integers.
const BEYOND_INT: f64 = 9_223_372_036_854_775_808.0;

impl Scalar {
    fn kind(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "int",
            Self::Double(_) => "double",
        }
    }

    /// As an integer: floats are rounded, halves to the even side.
    #[allow(clippy::cast_possible_truncation)] // It was checked to fit.
    pub fn int(self) -> Result<i64, String> {
        match self {
            Self::Int(value) => Ok(value),
            Self::Double(value) => {
                let rounded = value.round_ties_even();
                if (-BEYOND_INT..BEYOND_INT).contains(&rounded) {
                    Ok(rounded as i64)
                } else {
                    Err(format!("double to int overflow for {value}"))
                }
            }
            other => Err(format!("cannot coerce {} to int", other.kind())),
        }
    }

    /// As a float.
    pub fn double(self) -> Result<f64, String> {
        match self {
            Self::Int(value) => Ok(value as f64),
            Self::Double(value) => Ok(value),
            other => Err(format!("cannot coerce {} to double", other.kind())),
        }
    }

    /// As a truth value: only what is one.
    pub fn bool(self) -> Result<bool, String> {
        match self {
            Self::Bool(value) => Ok(value),
            other => Err(format!("cannot coerce {} to boolean", other.kind())),
        }
    }

    /// Whether a condition holds: a number that is not 0 does, NULL does not.
    pub fn is_true(self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => value,
            Self::Int(value) => value != 0,
            Self::Double(value) => value != 0.0,
        }
    }

    /// What the text of a variable means: a truth value by its beginning, or a number.
    pub fn of_text(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let begins = |word: &str| !lower.is_empty() && word.starts_with(&lower);
        if lower == "null" {
            Ok(Self::Null)
        } else if begins("true") || begins("yes") || lower == "on" {
            Ok(Self::Bool(true))
        } else if begins("false") || begins("no") || lower == "off" || lower == "of" {
            Ok(Self::Bool(false))
        } else if is_integer(text) {
            let value = text.trim_start().parse().map_err(|_| overflow(text))?;
            Ok(Self::Int(value))
        } else {
            let value = text.parse().map_err(|_| malformed(text))?;
            Ok(Self::Double(value))
        }
    }
}

fn is_integer(text: &str) -> bool {
    let text = text.trim_start();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn overflow(text: &str) -> String {
    format!("value \"{text}\" is out of range for type bigint")
}

fn malformed(text: &str) -> String {
    format!("malformed variable value: \"{text}\"")
}
