//! `\gset` and `\aset`: which columns of a statement become variables.

use contract::Dialect;

use super::columns::column_names;
use super::compile::Compiler;
use super::lines::Content;
use super::meta::{Meta, check_name, read};
use crate::script::{Fetch, FetchedRows, Slot};

impl Compiler<'_> {
    /// What is kept of the rows of statements that travel as one text: `\gset` keeps the last
    /// statement's, `\aset` those of all.
    pub fn fetches(
        &mut self,
        statements: &[String],
        next: Option<&Content<'_>>,
    ) -> Result<Vec<Fetch>, String> {
        let Some(Content::Meta { name, rest }) = next else { return Ok(Vec::new()) };
        let (rows, prefix, first) = match read(name, rest) {
            Ok(Meta::GetOne { prefix }) => {
                (FetchedRows::ExactlyOne, prefix, statements.len().saturating_sub(1))
            }
            Ok(Meta::GetAll { prefix }) => (FetchedRows::Last, prefix, 0),
            _ => return Ok(Vec::new()),
        };
        let mut fetches = Vec::new();
        for (index, sql) in statements.iter().enumerate().skip(first) {
            let fetch = match column_names(sql) {
                Ok(columns) => self.fetch_in_order(&columns, prefix, rows)?,
                // Whatever the server calls them: it says so with each answer.
                Err(_) if self.dialect == Dialect::PostgreSql => self.fetch_by_name(prefix, rows),
                Err(message) => return Err(format!("\\{name}: {message}")),
            };
            fetches.push(Fetch { statement: index, ..fetch });
        }
        Ok(fetches)
    }

    fn fetch_in_order(
        &mut self,
        columns: &[String],
        prefix: &str,
        rows: FetchedRows,
    ) -> Result<Fetch, String> {
        let mut slots = Vec::new();
        for column in columns {
            slots.push(self.slot(check_name(&format!("{prefix}{column}"))?));
        }
        Ok(self.script.fetch(slots, rows))
    }

    /// Every variable with this prefix may be one of the columns.
    fn fetch_by_name(&mut self, prefix: &str, rows: FetchedRows) -> Fetch {
        let (names, slots): (Vec<String>, Vec<Slot>) = self
            .slots
            .iter()
            .filter_map(|(name, slot)| Some((name.strip_prefix(prefix)?.to_owned(), *slot)))
            .unzip();
        Fetch { names: Some(names), ..self.script.fetch(slots, rows) }
    }
}
