//! Setting a connection up, and reading back what it runs with.

use contract::{Collect, Connection, Discard, ErrorClass, Isolation, SessionFacts, SqlError};

use super::MysqlConnection;

/// Storage engines that know fewer levels than the server does, or none. They take the others
/// without a word, or refuse statements later on.
const LEVELS_OF_ENGINES: &[(&str, &[Isolation])] = &[
    ("ROCKSDB", &[Isolation::ReadCommitted, Isolation::RepeatableRead]),
    ("NDBCLUSTER", &[Isolation::ReadCommitted]),
    ("MYISAM", &[]),
    ("ARIA", &[]),
    ("MEMORY", &[]),
];

const ASK_FOR_SETTINGS: &str = "SHOW SESSION VARIABLES WHERE Variable_name IN \
                                ('transaction_isolation', 'tx_isolation', 'autocommit', \
                                'completion_type')";

/// By itself: a limit of one row would leave one row of several settings.
const ASK_FOR_LIMIT_OF_ROWS: &str = "SHOW SESSION VARIABLES LIKE 'sql_select_limit'";

/// No limit of rows, or more rows than any table has: servers write one of several numbers there.
const NO_LIMIT_OF_ROWS: u64 = i64::MAX as u64;

const ASK_FOR_ENGINES: &str = "SELECT DISTINCT engine FROM information_schema.tables \
                               WHERE table_schema = DATABASE() AND engine IS NOT NULL";

impl MysqlConnection {
    /// Executes a statement of fixed text that returns no rows.
    pub(super) async fn command(&mut self, sql: &str) -> Result<(), SqlError> {
        self.query(sql, &mut Discard).await.map(drop)
    }

    /// Sets what differs from what was asked for: each costs a round trip.
    pub(super) async fn set_session(&mut self) -> Result<(), SqlError> {
        let session = self.session;
        if let Some(isolation) = session.isolation {
            let sql = format!("SET SESSION TRANSACTION ISOLATION LEVEL {}", isolation.sql());
            self.command(&sql).await.map_err(|error| error.while_doing(&sql))?;
        }
        let showed = self.state.transaction.status().autocommits();
        if session.autocommit && showed {
            return Ok(());
        }
        self.command(if session.autocommit { "SET autocommit=1" } else { "SET autocommit=0" })
            .await?;
        self.confirm_autocommit(showed).await
    }

    /// Asks unless the flag has changed to what was set: a layer may obey and not say so, or say so
    /// only with its next answer, or obey for one transaction and commit each statement after it.
    /// `showed` is the flag before.
    async fn confirm_autocommit(&mut self, showed: bool) -> Result<(), SqlError> {
        if self.flag_changed(showed) || self.ask_autocommit(showed).await? {
            return Ok(());
        }
        if self.session.autocommit {
            return Ok(());
        }
        self.command("COMMIT").await?;
        self.ask_autocommit(showed).await?;
        self.command("COMMIT").await
    }

    /// Whether the flag shows what was set, and did not before.
    fn flag_changed(&self, showed: bool) -> bool {
        let asked = self.session.autocommit;
        showed != asked && self.state.transaction.status().autocommits() == asked
    }

    /// Whether the flag has now changed to what was set. An error where neither it nor the server's
    /// answer says that this is in effect.
    async fn ask_autocommit(&mut self, showed: bool) -> Result<bool, SqlError> {
        let asked = self.session.autocommit;
        let mut answer = Collect::default();
        self.query("SELECT @@autocommit", &mut answer).await?;
        if self.flag_changed(showed) {
            return Ok(true);
        }
        let told = answer.rows.first().and_then(|row| row.first()?.as_deref());
        if matches!((asked, told), (true, Some("1" | "ON")) | (false, Some("0" | "OFF"))) {
            return Ok(false);
        }
        Err(refusal(&format!(
            "the server does not keep autocommit={}: it answers {} to SELECT @@autocommit; use {}",
            u8::from(asked),
            told.unwrap_or("nothing"),
            if asked {
                "--autocommit off (session: {autocommit: false})"
            } else {
                "--autocommit on (session: {autocommit: true})"
            },
        )))
    }

    /// Asks what the session runs with, and refuses what is not as it was asked for, or would change what
    /// statements return.
    pub(super) async fn read_session_back(&mut self) -> Result<SessionFacts, SqlError> {
        let mut answer = Collect::default();
        self.query(ASK_FOR_LIMIT_OF_ROWS, &mut answer).await?;
        check_limit_of_rows(setting(&answer, &["sql_select_limit"]))?;
        self.query(ASK_FOR_SETTINGS, &mut answer).await?;
        check_completion(setting(&answer, &["completion_type"]))?;
        self.commit_question().await?;
        // A layer may show the flag of autocommit whatever the server behind it does.
        let has_autocommit = setting(&answer, &["autocommit"]).is_some_and(|value| value == "ON");
        if self.session.autocommit && !has_autocommit {
            self.ask_autocommit(true).await?;
        }
        let level = setting(&answer, &["transaction_isolation", "tx_isolation"]);
        let isolation = level.and_then(Isolation::named);
        if let Some(asked) = self.session.isolation {
            if isolation != Some(asked) {
                return Err(refusal(&format!(
                    "isolation {} was asked for, and the server runs {}",
                    asked.name(),
                    level.unwrap_or("what it does not tell"),
                )));
            }
            self.ask_engines(asked).await?;
        }
        Ok(SessionFacts { isolation, autocommit: self.session.autocommit })
    }

    /// Looks whether the tables' engines know the level.
    async fn ask_engines(&mut self, asked: Isolation) -> Result<(), SqlError> {
        let mut answer = Collect::default();
        self.query(ASK_FOR_ENGINES, &mut answer).await?;
        self.commit_question().await?;
        for engine in answer.rows.iter().filter_map(|row| row.first()?.as_deref()) {
            let known =
                LEVELS_OF_ENGINES.iter().find(|(name, _)| engine.eq_ignore_ascii_case(name));
            let Some((_, levels)) = known else { continue };
            if !levels.contains(&asked) {
                return Err(refusal(&missing(asked, engine, levels)));
            }
        }
        Ok(())
    }

    /// Without autocommit even a question of ours opens a transaction.
    async fn commit_question(&mut self) -> Result<(), SqlError> {
        if self.state.transaction.in_transaction() { self.commit().await } else { Ok(()) }
    }
}

/// The value of a setting that goes by one of these names.
fn setting<'a>(answer: &'a Collect, names: &[&str]) -> Option<&'a str> {
    let is_named = |row: &&Vec<Option<String>>| {
        let name = row.first().and_then(Option::as_deref);
        name.is_some_and(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
    };
    answer.rows.iter().find(is_named).and_then(|row| row.get(1)?.as_deref())
}

/// Fewer rows than a statement asks for would be less work than is counted.
fn check_limit_of_rows(written: Option<&str>) -> Result<(), SqlError> {
    match written.and_then(|limit| limit.parse::<u64>().ok()) {
        Some(rows) if rows < NO_LIMIT_OF_ROWS => Err(refusal(&format!(
            "the server ends each SELECT after {rows} rows (sql_select_limit={rows}), so that statements \
             return less than they ask for: set it back with SET GLOBAL sql_select_limit=DEFAULT, and \
             remove it from the server's configuration and from init_connect"
        ))),
        _ => Ok(()),
    }
}

/// Refuses other values than `NO_CHAIN`: with CHAIN, COMMIT opens the next transaction, and with RELEASE it
/// ends the connection.
fn check_completion(written: Option<&str>) -> Result<(), SqlError> {
    match written {
        None | Some("NO_CHAIN" | "0") => Ok(()),
        Some(completion) => Err(refusal(&format!(
            "the server does more at COMMIT than to commit (completion_type={completion}): set it back \
             with SET GLOBAL completion_type=NO_CHAIN, and remove it from the server's configuration and \
             from init_connect"
        ))),
    }
}

fn missing(asked: Isolation, engine: &str, levels: &[Isolation]) -> String {
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    let has = match names.as_slice() {
        [] => "has no transactions".to_owned(),
        names => format!("has only {}", names.join(" and ")),
    };
    format!(
        "isolation {} was asked for, and there are tables with ENGINE={engine}, which {has}",
        asked.name()
    )
}

fn refusal(message: &str) -> SqlError {
    SqlError::driver(ErrorClass::InvalidStatement, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_lacks_is_said() {
        let (engine, levels) = LEVELS_OF_ENGINES[0];
        assert_eq!(
            missing(Isolation::Serializable, engine, levels),
            "isolation serializable was asked for, and there are tables with ENGINE=ROCKSDB, which \
             has only read_committed and repeatable_read"
        );
        assert!(missing(Isolation::Serializable, "MYISAM", &[]).ends_with("has no transactions"));
    }
}
