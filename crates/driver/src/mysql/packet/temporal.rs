//! Dates and times of the binary protocol, written as the text protocol writes them.

use std::fmt::Write;

use super::column::{Column, Kind};
use super::{Fields, Malformed};

/// Writes a value of a DATE, DATETIME, TIMESTAMP or TIME column.
pub(super) fn write(column: Column, value: &[u8], text: &mut String) -> Result<(), Malformed> {
    let mut fields = Fields(value);
    if column.kind == Kind::Time {
        return write_time(column, &mut fields, text);
    }
    // Trailing zero parts are left out on the wire.
    let (year, month, day) =
        if value.is_empty() { (0, 0, 0) } else { (fields.u16()?, fields.u8()?, fields.u8()?) };
    let _ = write!(text, "{year:04}-{month:02}-{day:02}");
    if column.kind == Kind::Date {
        return Ok(());
    }
    let (hour, minute, second) =
        if fields.0.is_empty() { (0, 0, 0) } else { (fields.u8()?, fields.u8()?, fields.u8()?) };
    let _ = write!(text, " {hour:02}:{minute:02}:{second:02}");
    write_fraction(column, &mut fields, text)
}

fn write_time(column: Column, fields: &mut Fields, text: &mut String) -> Result<(), Malformed> {
    let (mut hours, mut minute, mut second) = (0, 0, 0);
    if !fields.0.is_empty() {
        if fields.u8()? != 0 {
            text.push('-');
        }
        let days = u64::from(fields.u32()?);
        hours = days * 24 + u64::from(fields.u8()?);
        (minute, second) = (fields.u8()?, fields.u8()?);
    }
    let _ = write!(text, "{hours:02}:{minute:02}:{second:02}");
    write_fraction(column, fields, text)
}

fn write_fraction(column: Column, fields: &mut Fields, text: &mut String) -> Result<(), Malformed> {
    let microseconds = if fields.0.is_empty() { 0 } else { fields.u32()? };
    let digits = match column.decimals {
        digits @ 0..=6 => usize::from(digits),
        _ if microseconds == 0 => 0,
        _ => 6,
    };
    if digits > 0 {
        let fraction = format!("{microseconds:06}");
        text.push('.');
        text.push_str(&fraction[..digits]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_read_as_in_the_text_protocol() {
        let full = [0xea, 7, 2, 3, 4, 5, 6, 0x40, 0xe2, 1, 0];
        let negative = [1, 2, 0, 0, 0, 3, 4, 5, 0x40, 0xe2, 1, 0];
        let cases: &[(Kind, u8, &[u8], &str)] = &[
            (Kind::Date, 0, &full[..4], "2026-02-03"),
            (Kind::Date, 0, &[], "0000-00-00"),
            (Kind::DateTime, 0, &full[..4], "2026-02-03 00:00:00"),
            (Kind::DateTime, 0, &full[..7], "2026-02-03 04:05:06"),
            (Kind::DateTime, 3, &full[..7], "2026-02-03 04:05:06.000"),
            (Kind::DateTime, 6, &full, "2026-02-03 04:05:06.123456"),
            (Kind::DateTime, 2, &full, "2026-02-03 04:05:06.12"),
            (Kind::Time, 0, &[], "00:00:00"),
            (Kind::Time, 0, &negative[..8], "-51:04:05"),
            (Kind::Time, 31, &negative, "-51:04:05.123456"),
            (Kind::Time, 31, &negative[..8], "-51:04:05"),
        ];
        for (kind, decimals, value, expected) in cases {
            let column =
                Column { kind: *kind, is_unsigned: false, is_year: false, decimals: *decimals };
            let mut text = String::new();
            write(column, value, &mut text).unwrap();
            assert_eq!(text, *expected);
        }
    }

    #[test]
    fn a_value_that_ends_too_early_is_refused() {
        let column =
            Column { kind: Kind::DateTime, is_unsigned: false, is_year: false, decimals: 6 };
        for end in [1, 2, 3, 5, 6, 8, 9, 10] {
            let value = &[0xea, 7, 2, 3, 4, 5, 6, 0x40, 0xe2, 1, 0][..end];
            assert!(write(column, value, &mut String::new()).is_err(), "{end} bytes");
        }
    }
}
