//! Errors that a workload expects: they are counted, and are no failure.

use contract::{Dialect, ErrorClass, ErrorSet, SqlError};
use serde::Deserialize;

/// An error as a file names it: by its class, the server's number, or its SQLSTATE.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum WrittenError {
    /// The server's number.
    Number(i32),
    /// A class, or an SQLSTATE.
    Name(String),
}

/// The errors that one kind of transaction expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExpectedErrors(ErrorSet);

impl ExpectedErrors {
    /// Adds one; the error says what would be right.
    pub fn add(&mut self, written: &WrittenError, dialect: Dialect) -> Result<(), String> {
        match written {
            // This server has no numbers; an SQLSTATE without letters looks like one in YAML.
            WrittenError::Number(number) if dialect == Dialect::PostgreSql => {
                self.add_name(&format!("{number:05}"))
            }
            WrittenError::Number(number) => {
                self.0.add_code(*number);
                Ok(())
            }
            WrittenError::Name(name) => self.add_name(name),
        }
    }

    fn add_name(&mut self, name: &str) -> Result<(), String> {
        let ends_connection = |class: &ErrorClass| class.name() == name && class.ends_connection();
        if name == "all" || ErrorClass::ALL.iter().any(ends_connection) {
            return Err(not_an_error(name));
        }
        self.0.add(name).map_err(|_| not_an_error(name))
    }

    /// Whether an error is among them. One that ended the connection never is.
    pub fn has(&self, error: &SqlError) -> bool {
        !error.class().ends_connection() && self.0.contains(error)
    }
}

fn not_an_error(name: &str) -> String {
    let classes = ErrorClass::ALL.into_iter().filter(|class| !class.ends_connection());
    let names: Vec<&str> = classes.map(ErrorClass::name).collect();
    format!(
        "{name:?} is no error: give a server's number (1062), an SQLSTATE (\"23505\") or one of {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_by_class_number_and_sqlstate() {
        let duplicate =
            SqlError::server(ErrorClass::DuplicateKey, 1062, *b"23000", "Duplicate entry");
        let lost = SqlError::server(ErrorClass::ConnectionLost, 1062, *b"23000", "gone");
        let name = |name: &str| WrittenError::Name(name.to_owned());
        for (written, is_expected) in [
            (name("duplicate_key"), true),
            (name("deadlock"), false),
            (name("23000"), true),
            (name("23505"), false),
            (WrittenError::Number(1062), true),
            (WrittenError::Number(1063), false),
        ] {
            let mut errors = ExpectedErrors::default();
            errors.add(&written, Dialect::MySql).unwrap();
            assert_eq!(errors.has(&duplicate), is_expected, "{written:?}");
            assert!(!errors.has(&lost));
        }
        let mut errors = ExpectedErrors::default();
        errors.add(&WrittenError::Number(23505), Dialect::PostgreSql).unwrap();
        let violation = SqlError::server(ErrorClass::DuplicateKey, 0, *b"23505", "duplicate");
        assert!(errors.has(&violation));
    }

    #[test]
    fn what_is_no_error_is_refused() {
        for wrong in ["duplicate", "2350x", "23505x", "connection_lost", "timeout"] {
            let written = WrittenError::Name(wrong.to_owned());
            let message = ExpectedErrors::default().add(&written, Dialect::MySql).unwrap_err();
            assert!(message.starts_with(&format!("{wrong:?} is no error: give")), "{message}");
        }
    }
}
