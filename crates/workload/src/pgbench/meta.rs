//! The commands that begin with a backslash.

use crate::script::Length;

/// A backslash command, its parts not yet looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meta<'a> {
    /// `\set name expression`.
    Set { name: &'a str, expression: &'a str },
    /// `\if expression`.
    If(&'a str),
    /// `\elif expression`.
    ElseIf(&'a str),
    /// `\else`.
    Else,
    /// `\endif`.
    EndIf,
    /// `\sleep length [unit]`: a number or a variable's name, and the unit.
    Sleep { length: SleepLength<'a>, unit_ns: u64 },
    /// `\gset [prefix]`.
    GetOne { prefix: &'a str },
    /// `\aset [prefix]`.
    GetAll { prefix: &'a str },
    /// `\startpipeline`.
    StartPipeline,
    /// `\endpipeline`.
    EndPipeline,
}

/// How long a wait is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SleepLength<'a> {
    Number(u64),
    Variable(&'a str),
}

/// Commands of pgbench's that a load generator does not carry out, with the reason.
const REFUSED: [(&str, &str); 3] = [
    ("shell", "starts a program for each transaction, which would be measured instead"),
    ("setshell", "starts a program for each transaction, which would be measured instead"),
    ("syncpipeline", "a pipeline has one Sync, at its end, as in pgbench 14 to 16"),
];

const KNOWN: &str = "set, if, elif, else, endif, sleep, gset, aset, startpipeline, endpipeline";

/// Reads a command; the error says what would be right.
pub(super) fn read<'a>(name: &str, rest: &'a str) -> Result<Meta<'a>, String> {
    let reads_expression = |what: &'static str| {
        if rest.is_empty() { Err(format!("\\{what} needs an expression")) } else { Ok(rest) }
    };
    match name.to_ascii_lowercase().as_str() {
        "set" => read_set(rest),
        "if" => reads_expression("if").map(Meta::If),
        "elif" => reads_expression("elif").map(Meta::ElseIf),
        "else" => nothing_behind("else", rest).map(|()| Meta::Else),
        "endif" => nothing_behind("endif", rest).map(|()| Meta::EndIf),
        "sleep" => read_sleep(rest),
        "gset" => read_prefix("gset", rest).map(|prefix| Meta::GetOne { prefix }),
        "aset" => read_prefix("aset", rest).map(|prefix| Meta::GetAll { prefix }),
        "startpipeline" => nothing_behind("startpipeline", rest).map(|()| Meta::StartPipeline),
        "endpipeline" => nothing_behind("endpipeline", rest).map(|()| Meta::EndPipeline),
        other => Err(match REFUSED.iter().find(|(refused, _)| *refused == other) {
            Some((_, reason)) => format!("\\{other} is refused: {reason}; remove it"),
            None => format!("\\{name} is no command; known: {KNOWN}"),
        }),
    }
}

fn nothing_behind(name: &str, rest: &str) -> Result<(), String> {
    if rest.is_empty() { Ok(()) } else { Err(format!("\\{name} takes nothing behind it: {rest}")) }
}

fn read_set(rest: &str) -> Result<Meta<'_>, String> {
    let (name, expression) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.is_empty() || expression.trim().is_empty() {
        return Err("\\set needs a name and an expression, as in \\set x random(1, 10)".to_owned());
    }
    Ok(Meta::Set { name: check_name(name)?, expression: expression.trim() })
}

/// A variable's name, or what is wrong with it.
pub(super) fn check_name(name: &str) -> Result<&str, String> {
    let is_of_name =
        |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii();
    if name.starts_with(|letter: char| letter.is_ascii_digit()) || !name.chars().all(is_of_name) {
        return Err(format!("{name:?} is not a variable's name; use letters, digits and _"));
    }
    Ok(name)
}

fn read_prefix<'a>(name: &str, rest: &'a str) -> Result<&'a str, String> {
    if rest.split_whitespace().count() > 1 {
        return Err(format!("\\{name} takes one prefix: {rest}"));
    }
    Ok(rest)
}

fn read_sleep(rest: &str) -> Result<Meta<'_>, String> {
    let wrong = || "\\sleep needs a whole number or :variable, and us, ms or s".to_owned();
    let (length, unit) = if let Some(variable) = rest.strip_prefix(':') {
        let (name, unit) = variable.split_once(char::is_whitespace).unwrap_or((variable, ""));
        (SleepLength::Variable(check_name(name)?), unit)
    } else {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().map_err(|_| wrong())?;
        (SleepLength::Number(number), &rest[digits..])
    };
    let unit_ns = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" => 1_000,
        _ => return Err(wrong()),
    };
    Ok(Meta::Sleep { length, unit_ns })
}

impl SleepLength<'_> {
    /// The length with its variable looked up.
    pub fn resolve(
        &self,
        find: impl FnOnce(&str) -> Result<usize, String>,
    ) -> Result<Length, String> {
        Ok(match self {
            Self::Number(number) => Length::Constant(*number),
            Self::Variable(name) => Length::Variable(find(name)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        assert_eq!(read("set", "a 1 + 2"), Ok(Meta::Set { name: "a", expression: "1 + 2" }));
        assert_eq!(read("SET", "a 1"), Ok(Meta::Set { name: "a", expression: "1" }));
        assert_eq!(read("gset", ""), Ok(Meta::GetOne { prefix: "" }));
        assert_eq!(read("aset", "p_"), Ok(Meta::GetAll { prefix: "p_" }));
        for (text, length, unit_ns) in [
            ("5", SleepLength::Number(5), 1_000_000_000),
            ("5ms", SleepLength::Number(5), 1_000_000),
            ("5 US", SleepLength::Number(5), 1_000),
            (":a ms", SleepLength::Variable("a"), 1_000_000),
        ] {
            assert_eq!(read("sleep", text), Ok(Meta::Sleep { length, unit_ns }), "{text}");
        }
    }

    #[test]
    fn what_can_not_be_honoured_is_refused_by_name() {
        for (name, rest, expected) in [
            ("shell", "ls", "\\shell is refused: starts a program"),
            ("setshell", "a ls", "\\setshell is refused: starts a program"),
            ("syncpipeline", "", "\\syncpipeline is refused: a pipeline has one Sync"),
            ("endpipeline", "1", "\\endpipeline takes nothing behind it: 1"),
            ("gsett", "", "\\gsett is no command; known: set, if,"),
            ("", "", "\\ is no command"),
            ("set", "a", "\\set needs a name and an expression"),
            ("set", "1a 2", "\"1a\" is not a variable's name"),
            ("if", "", "\\if needs an expression"),
            ("else", "x", "\\else takes nothing behind it: x"),
            ("sleep", "", "\\sleep needs a whole number"),
            ("sleep", "5 min", "\\sleep needs a whole number"),
            ("gset", "a b", "\\gset takes one prefix: a b"),
        ] {
            let message = read(name, rest).unwrap_err();
            assert!(message.starts_with(expected), "{name} {rest}: {message}");
        }
    }
}
