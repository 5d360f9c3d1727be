//! What is wrong with a workload that somebody wrote, and where.

use std::fmt;

/// A part of the way from the workload's top to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A field, or an entry by its name.
    Name(String),
    /// An entry of a list.
    Index(usize),
}

impl From<&str> for Part {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<usize> for Part {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A mistake in a workload: the message says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The way to the value.
    pub path: Vec<Part>,
    /// What is wrong with it.
    pub message: String,
}

impl Mistake {
    /// A mistake at the place where it is found; callers put what is around it before that.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into() }
    }

    /// The same, one level further out.
    #[must_use]
    pub fn within(mut self, part: impl Into<Part>) -> Self {
        self.path.insert(0, part.into());
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("workload")?;
        for part in &self.path {
            match part {
                Part::Name(name) => write!(formatter, ".{name}")?,
                Part::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for Mistake {}
