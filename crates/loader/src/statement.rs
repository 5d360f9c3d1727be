//! Statements that make, finish and drop tables: some are sent again, and some a server may refuse.

use std::rc::Rc;

use contract::{
    Access, Connection, Dialect, Discard, Driver, ErrorClass, Lexeme, SqlError, Statement,
    first_lexeme, first_word,
};

use crate::connections::{LoadOptions, in_parallel};
use crate::load_error::{LoadError, server_error};

/// How often anything is sent that others have kept from being done.
pub(crate) const MOST_ATTEMPTS: u32 = 20;

/// Runs a statement. Where a load before this one may have run it, it does no harm that what it
/// makes is there.
pub(crate) async fn run_statement<C: Connection>(
    connection: &mut C,
    sql: &str,
    is_resumed: bool,
) -> Result<(), LoadError> {
    let mut attempt = 1;
    loop {
        let Err(error) = connection.query(sql, &mut Discard).await else { return Ok(()) };
        match error.class() {
            ErrorClass::AlreadyExists if is_resumed => return Ok(()),
            // Those that run beside one another may lock the same tables in different order: a
            // foreign key has MySQL lock both of its tables. Within a transaction more than this
            // statement has been undone.
            ErrorClass::Deadlock if attempt < MOST_ATTEMPTS && !connection.in_transaction() => {
                attempt += 1;
            }
            _ => return Err(server_error(shortened(sql))(error)),
        }
    }
}

/// Long statements are cut in messages.
pub(crate) fn shortened(sql: &str) -> String {
    match sql.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &sql[..end]),
        None => sql.to_owned(),
    }
}

/// The server's words where it does not know such a statement; the load then does without.
pub(crate) fn refusal_of(outcome: Result<(), LoadError>) -> Result<Option<String>, LoadError> {
    match outcome {
        Err(error) if error.is_unknown_statement() => Ok(Some(error.to_string())),
        outcome => outcome.map(|()| None),
    }
}

/// Statements, or the rows of small tables, that share a transaction on `SQLite`: it forces the file to
/// the disk at the end of each, which takes longer than to make a table. Elsewhere, and around what may
/// not stand in a transaction, nothing is opened.
pub(crate) struct Together {
    is_used: bool,
    open: usize,
}

/// So many share one transaction.
const MOST_TOGETHER: usize = 1000;

impl Together {
    pub fn new(dialect: Dialect) -> Self {
        Self { is_used: dialect == Dialect::Sqlite, open: 0 }
    }

    /// Makes ready for a statement: only those about tables and indexes share a transaction.
    pub async fn before<C: Connection>(
        &mut self,
        connection: &mut C,
        sql: &str,
    ) -> Result<(), LoadError> {
        let verb = first_word(sql, Dialect::Sqlite).to_ascii_uppercase();
        if matches!(verb.as_str(), "CREATE" | "DROP" | "ANALYZE") {
            return self.join(connection).await.map(drop);
        }
        self.end(connection).await
    }

    /// Makes ready for one more; true where it shares a transaction.
    pub async fn join<C: Connection>(&mut self, connection: &mut C) -> Result<bool, LoadError> {
        if self.open == MOST_TOGETHER {
            self.end(connection).await?;
        }
        if self.is_used && self.open == 0 {
            let begun = connection.begin(Access::ReadWrite).await;
            begun.map_err(server_error("beginning a transaction"))?;
        }
        self.open += usize::from(self.is_used);
        Ok(self.is_used)
    }

    /// Commits what is open.
    pub async fn end<C: Connection>(&mut self, connection: &mut C) -> Result<(), LoadError> {
        if std::mem::take(&mut self.open) > 0 {
            connection.commit().await.map_err(server_error("committing"))?;
        }
        Ok(())
    }
}

/// Has the server prepare statements, one after the other, over one connection of a driver that prepares.
/// Those that are going to be sent `as_text` are only refused where their text would be, too.
pub fn prepare<D: Driver>(
    driver: &D,
    statements: &[Statement],
    as_text: bool,
    options: LoadOptions,
) -> Result<(), LoadError> {
    let dialect = driver.dialect();
    in_parallel(driver, options, 1, &mut |_| {}, &async |work, _| {
        for Statement { sql } in statements {
            let prepared = if as_text { with_literals(sql, dialect) } else { sql.clone() };
            let prepared = work.prepare(&Rc::from([Statement { sql: prepared }])).await;
            let Err(error) = prepared else { continue };
            if !as_text || is_of_text(&error, dialect) || error.class().ends_connection() {
                let is_named = error.message().contains(sql);
                let doing = if is_named { "a statement of the workload" } else { sql };
                return Err(server_error(shortened(doing))(error));
            }
        }
        Ok(())
    })
}

/// A statement with texts in place of its parameters, where the server looks for their types: it takes a
/// text for a value of any type, as it would take the one that is written there.
fn with_literals(sql: &str, dialect: Dialect) -> String {
    if dialect != Dialect::PostgreSql {
        return sql.to_owned();
    }
    let mut text = String::new();
    let mut rest = sql;
    while !rest.is_empty() {
        let (lexeme, length) = first_lexeme(rest, dialect);
        let (piece, behind) = rest.split_at(length);
        text.push_str(if (lexeme, piece) == (Lexeme::Code, "?") { "''" } else { piece });
        rest = behind;
    }
    text
}

/// Errors of a statement's text, whatever its parameters are: of what it says, or of a table, column or
/// function that is not there.
const OF_TEXT_CODES: [i32; 6] = [1054, 1064, 1109, 1136, 1146, 1305];
/// The same by SQLSTATE, in `PostgreSQL`.
const OF_TEXT_STATES: [&str; 4] = ["42601", "42703", "42883", "42P01"];

fn is_of_text(error: &SqlError, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Sqlite => true,
        Dialect::MySql => OF_TEXT_CODES.contains(&error.code()),
        Dialect::PostgreSql => OF_TEXT_STATES.contains(&error.sqlstate()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_texts_where_a_server_looks_for_types() {
        let of = |sql| with_literals(sql, Dialect::PostgreSql);
        assert_eq!(of("SELECT ? - ?, '?', $f$?$f$ -- ?"), "SELECT '' - '', '?', $f$?$f$ -- ?");
        assert_eq!(with_literals("SELECT ?", Dialect::MySql), "SELECT ?");
    }
}
