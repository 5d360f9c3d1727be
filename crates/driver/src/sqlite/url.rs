//! Reads a URL into options; nothing is opened here.

use std::time::Duration;

use thiserror::Error;
use url::form_urlencoded;

use super::pragma::{self, PRAGMAS, Setting, join};

const SCHEME: &str = "sqlite://";

/// What a URL says.
#[derive(Debug)]
pub(super) struct Options {
    pub path: String,
    pub settings: Vec<Setting>,
    pub busy_timeout: Option<Duration>,
    pub begin: Begin,
}

/// How a transaction that may write begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Begin {
    /// With the write lock. A transaction that reads first and asks for the lock when it comes to
    /// write gets `SQLITE_BUSY` at once, without waiting, whenever another wrote or is writing
    /// meanwhile: two such readers would otherwise wait for each other for ever.
    #[default]
    Immediate,
    /// Without any lock.
    Deferred,
}

/// Why a URL was refused. The URL itself is never repeated: it might hold a password.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlError {
    /// Another scheme, a host, or too few slashes.
    #[error(
        "not the URL of a SQLite file; write sqlite:///relative/file.db or \
         sqlite:////absolute/file.db"
    )]
    Form,
    /// Three slashes and no more.
    #[error("the URL names no file; write sqlite:///file.db")]
    NoFile,
    /// An option that does not exist.
    #[error("SQLite has no option {name:?}; {}the options are {known}",
        nearest.map(|nearest| format!("did you mean {nearest}? ")).unwrap_or_default())]
    UnknownOption {
        /// As written.
        name: String,
        /// The option that is spelt most like it, if any is at all.
        nearest: Option<&'static str>,
        /// All options.
        known: String,
    },
    /// An option that is there twice.
    #[error("{name} is in the URL twice; give it once")]
    Repeated {
        /// The option.
        name: String,
    },
    /// A value that the option can't take.
    #[error("{name}={value} is not possible; {name} is one of: {allowed}")]
    Value {
        /// The option.
        name: String,
        /// The value as written.
        value: String,
        /// What would be right.
        allowed: String,
    },
}

impl Options {
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let rest = text.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix('/'));
        let (path, query) = rest.map(split_query).ok_or(UrlError::Form)?;
        if path.trim_matches('/').is_empty() {
            return Err(UrlError::NoFile);
        }
        let mut options = Self {
            path: path.to_owned(),
            settings: Vec::new(),
            busy_timeout: None,
            begin: Begin::default(),
        };
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if seen.contains(&name) {
                return Err(UrlError::Repeated { name: name.into_owned() });
            }
            options.set(&name, &value)?;
            seen.push(name);
        }
        pragma::sort(&mut options.settings);
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), UrlError> {
        let refusal = |allowed: String| UrlError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
            allowed,
        };
        match name {
            "begin" => self.begin = begin(value).map_err(refusal)?,
            "busy_timeout" => self.busy_timeout = Some(milliseconds(value).map_err(refusal)?),
            _ => {
                let pragma = PRAGMAS.iter().find(|pragma| pragma.name == name);
                let pragma = pragma.ok_or_else(|| unknown_option(name))?;
                self.settings.push(pragma.setting(value).map_err(refusal)?);
            }
        }
        Ok(())
    }
}

fn split_query(text: &str) -> (&str, &str) {
    text.split_once('?').unwrap_or((text, ""))
}

fn begin(value: &str) -> Result<Begin, String> {
    match value {
        "immediate" => Ok(Begin::Immediate),
        "deferred" => Ok(Begin::Deferred),
        _ => Err("immediate, deferred".to_owned()),
    }
}

fn milliseconds(value: &str) -> Result<Duration, String> {
    // SQLite takes a C integer; more would be cut off in silence.
    let milliseconds = value.parse::<u32>().ok().filter(|number| i32::try_from(*number).is_ok());
    let allowed = || format!("whole milliseconds from 0 to {}", i32::MAX);
    milliseconds.map(|number| Duration::from_millis(number.into())).ok_or_else(allowed)
}

fn unknown_option(name: &str) -> UrlError {
    let known = || ["begin", "busy_timeout"].into_iter().chain(PRAGMAS.iter().map(|p| p.name));
    let nearest = known()
        .map(|option| (edits(name, option), option))
        .min()
        .filter(|(distance, option)| *distance <= option.len() / 3)
        .map(|(_, option)| option);
    UrlError::UnknownOption { name: name.to_owned(), nearest, known: join(known()) }
}

/// Levenshtein's distance: how many letters to insert, remove or replace.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, have) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, want) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(have != want);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> String {
        Options::parse(url).unwrap_err().to_string()
    }

    #[test]
    fn three_slashes_are_relative_and_four_absolute() {
        let path = |url: &str| Options::parse(url).unwrap().path;
        assert_eq!(path("sqlite:///data/bench.db"), "data/bench.db");
        assert_eq!(path("sqlite:////srv/my file.db?begin=deferred"), "/srv/my file.db");
        assert_eq!(path("sqlite:///../up.db"), "../up.db");
        assert_eq!(path("sqlite:///:memory:"), ":memory:");
    }

    #[test]
    fn options_are_read_and_put_in_order() {
        let url = "sqlite:///a.db?busy_timeout=250&journal_mode=WAL&begin=deferred&page_size=8192";
        let options = Options::parse(url).unwrap();
        assert_eq!(options.busy_timeout, Some(Duration::from_millis(250)));
        assert_eq!(options.begin, Begin::Deferred);
        let settings = format!("{:?}", options.settings);
        assert!(settings.find("page_size") < settings.find("journal_mode"), "{settings}");
    }

    #[test]
    fn every_wrong_url_gets_its_message() {
        let form = "not the URL of a SQLite file; write sqlite:///relative/file.db or \
                    sqlite:////absolute/file.db";
        let options = "the options are begin, busy_timeout, page_size, locking_mode, \
                       journal_mode, synchronous, cache_size, mmap_size, temp_store, \
                       wal_autocheckpoint, foreign_keys";
        let table = [
            ("mysql://h/d", form.to_owned()),
            ("sqlite://user:secret@host/a.db", form.to_owned()),
            ("sqlite:a.db", form.to_owned()),
            ("sqlite:///", "the URL names no file; write sqlite:///file.db".to_owned()),
            ("sqlite:///?begin=deferred", "the URL names no file; write sqlite:///file.db".into()),
            (
                "sqlite:///a?jurnal_mode=wal",
                format!(
                    "SQLite has no option \"jurnal_mode\"; did you mean journal_mode? {options}"
                ),
            ),
            ("sqlite:///a?zzz=1", format!("SQLite has no option \"zzz\"; {options}")),
            (
                "sqlite:///a?begin=deferred&begin=immediate",
                "begin is in the URL twice; give it once".to_owned(),
            ),
            (
                "sqlite:///a?begin=later",
                "begin=later is not possible; begin is one of: immediate, deferred".to_owned(),
            ),
            (
                "sqlite:///a?journal_mode=wall",
                "journal_mode=wall is not possible; journal_mode is one of: delete, truncate, \
                 persist, memory, wal, off"
                    .to_owned(),
            ),
            (
                "sqlite:///a?busy_timeout=5s",
                "busy_timeout=5s is not possible; busy_timeout is one of: whole milliseconds from \
                 0 to 2147483647"
                    .to_owned(),
            ),
        ];
        for (url, message) in table {
            assert_eq!(refusal(url), message, "{url}");
        }
    }
}
