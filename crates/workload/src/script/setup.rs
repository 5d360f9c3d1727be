//! The set-up that somebody wrote: statements, and tables to fill with rows that are drawn.

use std::collections::BTreeMap;

use contract::{Dialect, words};
use serde::Deserialize;

use super::mistake::Mistake;
use super::variable::{Variable, VariableOptions};

const MOST_ROWS: u64 = 1 << 40;

/// One step of the set-up, as it is written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum SetupStep {
    /// A statement.
    Statement {
        /// Its text.
        sql: String,
    },
    /// Rows for a table.
    Fill {
        /// The table.
        fill: String,
        /// How many rows.
        rows: u64,
        /// The columns, each with what it holds.
        columns: BTreeMap<String, VariableOptions>,
    },
}

/// A question to the tables with the one answer that is right, before a trial and after it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// A query with one row.
    pub sql: String,
    /// The row's fields in text form.
    pub equals: Vec<String>,
}

/// Rows for a table.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub table: String,
    pub columns: &'static [&'static str],
    pub values: Vec<Variable>,
    pub rows: u64,
}

/// A set-up that can be carried out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// What the data are, in words: equal for equal data.
    pub name: String,
    /// Statements before the rows.
    pub create: Vec<String>,
    pub fills: Vec<Fill>,
    /// Statements after the rows.
    pub finish: Vec<String>,
    /// The tables that are made.
    pub tables: Vec<String>,
    pub teardown: Vec<String>,
    pub checks: Vec<Check>,
}

impl Setup {
    /// Reads a set-up. Without a tear-down, the tables that were made are dropped, the last first.
    pub fn new(
        steps: &[SetupStep],
        teardown: Option<&[String]>,
        checks: &[Check],
        dialect: Dialect,
    ) -> Result<Self, Mistake> {
        let mut setup = Self { checks: checks.to_vec(), ..Self::default() };
        let last_fill = steps.iter().rposition(|step| matches!(step, SetupStep::Fill { .. }));
        for (index, step) in steps.iter().enumerate() {
            let result = match step {
                SetupStep::Statement { sql } => {
                    setup.statement(sql, last_fill.is_some_and(|last| index < last), dialect)
                }
                SetupStep::Fill { fill, rows, columns } => setup.fill(fill, *rows, columns),
            };
            result.map_err(|mistake| mistake.within(index).within("setup"))?;
        }
        let drop = |table: &String| format!("DROP TABLE IF EXISTS {table}");
        setup.teardown = teardown
            .map_or_else(|| setup.tables.iter().rev().map(drop).collect(), <[String]>::to_vec);
        setup.name = setup.describe(steps);
        Ok(setup)
    }

    fn statement(&mut self, sql: &str, before_fill: bool, dialect: Dialect) -> Result<(), Mistake> {
        if sql.trim().is_empty() {
            return Err(Mistake::new("is empty; write a statement, or remove it"));
        }
        if before_fill && !self.fills.is_empty() {
            return Err(Mistake::new(
                "stands between two fills, which run together; put it before the first or after \
                 the last",
            ));
        }
        self.tables.extend(created_table(sql, dialect));
        let statements = if self.fills.is_empty() { &mut self.create } else { &mut self.finish };
        statements.push(sql.to_owned());
        Ok(())
    }

    fn fill(
        &mut self,
        table: &str,
        rows: u64,
        columns: &BTreeMap<String, VariableOptions>,
    ) -> Result<(), Mistake> {
        if !(1..=MOST_ROWS).contains(&rows) {
            return Err(Mistake::new("must be a whole number from 1 on").within("rows"));
        }
        let build = |(name, options): (&String, &VariableOptions)| {
            options.build().map_err(|mistake| mistake.within(name.as_str()).within("columns"))
        };
        let values = columns.iter().map(build).collect::<Result<Vec<_>, _>>()?;
        if values.is_empty() {
            return Err(Mistake::new("is empty; give at least one column").within("columns"));
        }
        let columns = columns.keys().map(|name| keep(name)).collect::<Vec<_>>().leak();
        self.fills.push(Fill { table: table.to_owned(), columns, values, rows });
        Ok(())
    }

    fn describe(&self, steps: &[SetupStep]) -> String {
        let rows: u64 = self.fills.iter().map(|fill| fill.rows).sum();
        let texts = steps.iter().map(|step| format!("{step:?}")).collect::<Vec<_>>();
        let hash = super::fingerprint::hash(texts.iter().map(String::as_str));
        let statements = self.create.len() + self.finish.len();
        format!("sql statements={statements} rows={rows} hash={hash:016x}")
    }
}

/// A name that lives as long as the process: there are as many as a file has columns, and a process
/// reads one file.
fn keep(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}

/// The table that a statement makes, if it makes one that stays.
fn created_table(sql: &str, dialect: Dialect) -> Option<String> {
    let words: Vec<&str> = words(sql, dialect).collect();
    let is = |index: usize, keyword: &str| {
        words.get(index).is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    };
    let table = 1 + usize::from(is(1, "UNLOGGED"));
    if !is(0, "CREATE") || !is(table, "TABLE") {
        return None;
    }
    let name = if is(table + 1, "IF") { table + 4 } else { table + 1 };
    let mut written = (*words.get(name)?).to_owned();
    // It may be that of its schema.
    for pair in words[name + 1..].chunks(2) {
        let [".", part] = pair else { break };
        written += ".";
        written += part;
    }
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_made_are_known() {
        for (sql, expected) in [
            ("CREATE TABLE a (id int)", Some("a")),
            ("create table if not exists Ab(id int)", Some("Ab")),
            ("CREATE UNLOGGED TABLE s.t AS SELECT 1", Some("s.t")),
            ("-- it\nCREATE TABLE `Q` (x int)", Some("`Q`")),
            ("CREATE TABLE `a b`.`c (d` (x int)", Some("`a b`.`c (d`")),
            ("CREATE TEMPORARY TABLE a (id int)", None),
            ("CREATE INDEX i ON a (id)", None),
            ("INSERT INTO a VALUES (1)", None),
        ] {
            assert_eq!(created_table(sql, Dialect::MySql).as_deref(), expected, "{sql}");
        }
    }
}
