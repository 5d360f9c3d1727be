//! The pragmas that a URL may set: set at connect, then read back, because `SQLite` answers most
//! values that it does not accept with silence.

use std::rc::Rc;

use contract::{Collect, ErrorClass, SqlError};

use super::database::Database;
use super::statement::PreparedStatement;

/// A pragma that a URL may set.
#[derive(Debug)]
pub(super) struct Pragma {
    pub name: &'static str,
    values: Values,
}

/// What may be written.
#[derive(Debug)]
enum Values {
    /// Words, each with what `SQLite` answers when asked; that may be written as well.
    Words(&'static [(&'static str, &'static str)]),
    /// Any integer.
    Number,
}

const SWITCH: Values = Values::Words(&[("off", "0"), ("on", "1")]);

/// In the order in which they are set: the page size is fixed by the first write, which changing
/// the journal mode may be, and the locking mode decides how a write-ahead log is opened.
pub(super) const PRAGMAS: [Pragma; 9] = [
    Pragma { name: "page_size", values: Values::Number },
    Pragma {
        name: "locking_mode",
        values: Values::Words(&[("normal", "normal"), ("exclusive", "exclusive")]),
    },
    Pragma {
        name: "journal_mode",
        values: Values::Words(&[
            ("delete", "delete"),
            ("truncate", "truncate"),
            ("persist", "persist"),
            ("memory", "memory"),
            ("wal", "wal"),
            ("off", "off"),
        ]),
    },
    Pragma {
        name: "synchronous",
        values: Values::Words(&[("off", "0"), ("normal", "1"), ("full", "2"), ("extra", "3")]),
    },
    Pragma { name: "cache_size", values: Values::Number },
    Pragma { name: "mmap_size", values: Values::Number },
    Pragma {
        name: "temp_store",
        values: Values::Words(&[("default", "0"), ("file", "1"), ("memory", "2")]),
    },
    Pragma { name: "wal_autocheckpoint", values: Values::Number },
    Pragma { name: "foreign_keys", values: SWITCH },
];

/// A pragma with a value that it may take.
#[derive(Debug)]
pub(super) struct Setting {
    pragma: &'static Pragma,
    asked: String,
    answer: String,
}

impl Pragma {
    /// A setting from a value as it is written in a URL; the error is what would be right.
    pub fn setting(&'static self, asked: &str) -> Result<Setting, String> {
        let written = asked.to_ascii_lowercase();
        let answer = match self.values {
            Values::Words(words) => words
                .iter()
                .find(|(word, answer)| written == *word || written == *answer)
                .map(|(_, answer)| (*answer).to_owned())
                .ok_or_else(|| join(words.iter().map(|(word, _)| *word)))?,
            Values::Number => {
                written.parse::<i64>().map_err(|_| "an integer".to_owned())?.to_string()
            }
        };
        Ok(Setting { pragma: self, asked: written, answer })
    }
}

/// Words in a row, for messages.
pub(super) fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Puts settings into the order in which they must be made.
pub(super) fn sort(settings: &mut [Setting]) {
    settings.sort_by_key(|setting| {
        PRAGMAS.iter().position(|pragma| pragma.name == setting.pragma.name)
    });
}

/// Makes all settings, each proved by what `SQLite` answers, and finds out whether the file is a
/// database at all.
pub(super) fn apply(database: &Rc<Database>, settings: &[Setting]) -> Result<(), SqlError> {
    for setting in settings {
        setting.make(database)?;
        setting.verify(database)?;
    }
    // Opening does not read the file, and settings may not either.
    ask(database, "PRAGMA schema_version").map(drop)
}

impl Setting {
    fn make(&self, database: &Rc<Database>) -> Result<(), SqlError> {
        let Self { pragma: Pragma { name, .. }, asked, answer } = self;
        let result = ask(database, &format!("PRAGMA {name} = {answer}")).map(drop);
        result.map_err(|error| {
            // A journal mode changes only where no other connection has the file open.
            let alone = match error.class() {
                ErrorClass::LockWaitTimeout => " while another connection uses the file",
                _ => "",
            };
            Database::error_during(&format!("can't set {name}={asked}{alone}"), &error)
        })
    }

    fn verify(&self, database: &Rc<Database>) -> Result<(), SqlError> {
        let Self { pragma: Pragma { name, .. }, asked, answer } = self;
        let answered = ask(database, &format!("PRAGMA {name}"))?;
        if answered.as_ref() == Some(answer) {
            return Ok(());
        }
        let answered = answered.as_deref().unwrap_or("nothing");
        let message = format!(
            "{name}={asked} did not take: asked for {name}, SQLite answers {answered}; change it \
             in the URL, or use a file that allows it"
        );
        Err(SqlError::driver(ErrorClass::InvalidStatement, message))
    }
}

/// The first field of the answer's first row.
fn ask(database: &Rc<Database>, sql: &str) -> Result<Option<String>, SqlError> {
    let mut answer = Collect::default();
    PreparedStatement::new(database, sql)?.execute(&[], &mut answer)?;
    Ok(answer.rows.pop().and_then(|row| row.into_iter().next()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma(name: &str) -> &'static Pragma {
        PRAGMAS.iter().find(|pragma| pragma.name == name).unwrap()
    }

    #[test]
    fn a_word_and_the_number_that_it_stands_for_are_the_same() {
        for written in ["normal", "NORMAL", "1"] {
            assert_eq!(pragma("synchronous").setting(written).unwrap().answer, "1");
        }
        assert_eq!(pragma("cache_size").setting("-2000").unwrap().answer, "-2000");
    }

    #[test]
    fn what_a_pragma_does_not_know_is_refused_with_what_it_does() {
        let refused = |name: &str, value: &str| pragma(name).setting(value).unwrap_err();
        assert_eq!(refused("synchronous", "sometimes"), "off, normal, full, extra");
        assert_eq!(refused("cache_size", "2MB"), "an integer");
        assert_eq!(refused("cache_size", "1; DROP TABLE t"), "an integer");
    }
}
