//! Which variables a script gives values to, before it is compiled. What is wrong with a script is
//! found when it is.

use std::collections::BTreeSet;

use contract::Dialect;

use super::columns::column_names;
use super::lines::{Command, Content, commands};
use super::meta::{Meta, read};
use crate::script::{Piece, cut};

/// The variables of some scripts.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Those that are given a value.
    pub set: BTreeSet<String>,
    /// Those that stand somewhere as `:name`.
    used: BTreeSet<String>,
    /// The prefixes of the columns that only the server knows.
    prefixes: BTreeSet<String>,
}

impl Names {
    /// Adds those of a script.
    pub fn add(&mut self, text: &str) {
        let mut statements = Vec::new();
        for Command { content, .. } in commands(text) {
            match content {
                Content::Sql(next) => {
                    for sql in &next {
                        self.add_used(sql);
                    }
                    statements = next;
                }
                Content::Meta { name, rest } => {
                    self.add_used(&rest);
                    match read(name, &rest) {
                        Ok(Meta::Set { name, .. }) => drop(self.set.insert(name.to_owned())),
                        Ok(Meta::GetOne { prefix }) => {
                            self.add_columns(statements.last().into_iter(), prefix);
                        }
                        Ok(Meta::GetAll { prefix }) => self.add_columns(statements.iter(), prefix),
                        _ => {}
                    }
                    statements.clear();
                }
            }
        }
    }

    fn add_used(&mut self, text: &str) {
        for piece in cut(text, Dialect::PostgreSql) {
            if let Piece::Variable(name) | Piece::Embedded(name) = piece {
                self.used.insert(name.to_owned());
            }
        }
    }

    fn add_columns<'a>(&mut self, statements: impl Iterator<Item = &'a String>, prefix: &str) {
        for sql in statements {
            match column_names(sql) {
                Ok(columns) => {
                    self.set.extend(columns.iter().map(|column| format!("{prefix}{column}")));
                }
                Err(_) => drop(self.prefixes.insert(prefix.to_owned())),
            }
        }
    }

    /// Those that nothing gives a value to but, perhaps, a column that only the server knows.
    pub fn perhaps_set(&self) -> impl Iterator<Item = &str> {
        let may_be_column =
            |name: &&String| self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
        self.used.iter().filter(may_be_column).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_only_the_server_knows_may_be_any_that_is_used() {
        let mut names = Names::default();
        names.add(
            "\\set a 1 + :seed\nSELECT * FROM t WHERE a = :a \\gset t_\n\
             SELECT 1 AS one\\; SELECT 2 AS two \\aset\nUPDATE t SET b = :t_b, c = ':t_c' || :one;",
        );
        let set: Vec<&str> = names.set.iter().map(String::as_str).collect();
        assert_eq!(set, ["a", "one", "two"]);
        assert_eq!(names.perhaps_set().collect::<Vec<_>>(), ["t_b", "t_c"]);
    }
}
