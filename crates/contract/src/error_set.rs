//! Which errors are meant: by what they mean, or by what a server calls them.

use crate::error::{ErrorClass, SqlError};

/// A set of errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorSet {
    all: bool,
    classes: Vec<ErrorClass>,
    codes: Vec<i32>,
    sqlstates: Vec<String>,
}

impl ErrorSet {
    /// Those that the same transaction, sent again, may well survive.
    pub fn retryable() -> Self {
        let classes = ErrorClass::ALL.into_iter().filter(|class| class.is_retryable()).collect();
        Self { classes, ..Self::default() }
    }

    /// Reads names: each is a class, a server's number, an SQLSTATE (five characters) or `all`. The
    /// error is the name that is none of these.
    pub fn parse<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, String> {
        let mut set = Self::default();
        for name in names {
            set.add(name.as_ref())?;
        }
        Ok(set)
    }

    /// Adds the errors of one name.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        let is_sqlstate =
            name.len() == 5 && name.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        if name == "all" {
            self.all = true;
        } else if let Some(class) = ErrorClass::ALL.into_iter().find(|class| class.name() == name) {
            self.classes.push(class);
        } else if is_sqlstate {
            self.sqlstates.push(name.to_owned());
        } else {
            self.codes.push(name.parse().map_err(|_| name.to_owned())?);
        }
        Ok(())
    }

    /// Adds the error with a server's number.
    pub fn add_code(&mut self, code: i32) {
        self.codes.push(code);
    }

    /// Whether an error is one of them.
    pub fn contains(&self, error: &SqlError) -> bool {
        self.all
            || self.classes.contains(&error.class())
            || self.codes.contains(&error.code())
            || self.sqlstates.iter().any(|sqlstate| sqlstate == error.sqlstate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(class: ErrorClass, code: i32, sqlstate: [u8; 5]) -> SqlError {
        SqlError::server(class, code, sqlstate, "words")
    }

    #[test]
    fn an_error_is_known_by_any_of_its_names() {
        let deadlock = error(ErrorClass::Deadlock, 1213, *b"40001");
        let duplicate = error(ErrorClass::DuplicateKey, 1062, *b"23000");
        for (names, expected) in [
            (vec!["deadlock"], [true, false]),
            (vec!["1062"], [false, true]),
            (vec!["40001", "1020"], [true, false]),
            (vec!["all"], [true, true]),
            (vec![], [false, false]),
        ] {
            let set = ErrorSet::parse(&names).unwrap();
            assert_eq!([&deadlock, &duplicate].map(|e| set.contains(e)), expected, "{names:?}");
        }
        assert_eq!(ErrorSet::parse(["1213", "dedlock"]), Err("dedlock".to_owned()));
    }

    #[test]
    fn what_is_retried_unless_somebody_says_otherwise() {
        let set = ErrorSet::retryable();
        let of = |class| set.contains(&error(class, 7, *b"HY000"));
        assert!(of(ErrorClass::Deadlock) && of(ErrorClass::SerializationFailure));
        assert!(!of(ErrorClass::DuplicateKey) && !of(ErrorClass::ConnectionLost));
    }
}
