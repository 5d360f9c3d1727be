//! What is read of rows: integers, and exact decimals.

use contract::{ErrorClass, Row, SqlError};

/// An integer that can't be NULL.
pub(super) fn int(row: &dyn Row, column: usize) -> Result<i64, SqlError> {
    row.int(column)?.ok_or_else(|| unexpected(format!("column {column} is NULL")))
}

/// A decimal, in units of its last digit: `decimal(row, 0, 2, …)` of 12.5 is 1250.
pub(super) fn decimal(
    row: &dyn Row,
    column: usize,
    digits: u32,
    text: &mut String,
) -> Result<i64, SqlError> {
    text.clear();
    row.text(column, text)?;
    parse_decimal(text, digits)
        .ok_or_else(|| unexpected(format!("column {column} is {text:?}, not a number")))
}

/// The number in a text, in units of its last digit; what is behind that digit is rounded.
fn parse_decimal(text: &str, digits: u32) -> Option<i64> {
    let (sign, unsigned) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) {
        // SQLite writes very small and very large numbers with an exponent.
        let number: f64 = text.parse().ok()?;
        #[allow(clippy::cast_possible_truncation, reason = "far below the largest integer")]
        return Some((number * f64::from(10_u32.pow(digits))).round() as i64);
    }
    let mut units: i64 = whole.parse().ok()?;
    let mut fraction = fraction.bytes().map(|byte| i64::from(byte - b'0'));
    for _ in 0..digits {
        units = units.checked_mul(10)?.checked_add(fraction.next().unwrap_or(0))?;
    }
    let rounding = i64::from(fraction.next().is_some_and(|digit| digit >= 5));
    Some(sign * (units + rounding))
}

/// Something is not there, or not as it should be.
#[cold]
pub(super) fn unexpected(message: impl Into<String>) -> SqlError {
    SqlError::driver(ErrorClass::InvalidStatement, message)
}

/// A row is not there that every population of this size has.
#[cold]
pub(super) fn missing(what: &str) -> SqlError {
    unexpected(format!(
        "there is no {what}: the tables hold fewer warehouses than the workload says, or were not \
         loaded to the end"
    ))
}

#[cfg(test)]
mod tests {
    use super::parse_decimal;

    #[test]
    fn decimals_are_read_exactly() {
        for (text, digits, expected) in [
            ("12.34", 2, 1234),
            ("12", 2, 1200),
            ("-10.5", 2, -1050),
            ("0.1999", 4, 1999),
            ("0.125", 2, 13),
            ("-0.05", 2, -5),
            ("5e-05", 4, 1),
            ("1e3", 0, 1000),
        ] {
            assert_eq!(parse_decimal(text, digits), Some(expected), "{text}");
        }
        assert_eq!(parse_decimal("twelve", 2), None);
        assert_eq!(parse_decimal("", 2), None);
    }
}
