//! Setting a connection up, and reading back what it runs with.

use contract::{Collect, Connection, ErrorClass, Isolation, SessionFacts, SqlError};

use super::connection::MysqlConnection;

/// Storage engines that know fewer levels than the server does, or none. They take the others
/// without a word, or refuse statements later on.
const LEVELS_OF_ENGINES: &[(&str, &[Isolation])] = &[
    ("ROCKSDB", &[Isolation::ReadCommitted, Isolation::RepeatableRead]),
    ("NDBCLUSTER", &[Isolation::ReadCommitted]),
    ("MYISAM", &[]),
    ("ARIA", &[]),
    ("MEMORY", &[]),
];

const ASK_FOR_ISOLATION: &str = "SHOW SESSION VARIABLES WHERE Variable_name IN \
                                 ('transaction_isolation', 'tx_isolation')";

const ASK_FOR_ENGINES: &str = "SELECT DISTINCT engine FROM information_schema.tables \
                               WHERE table_schema = DATABASE() AND engine IS NOT NULL";

impl MysqlConnection {
    /// Sets what differs from what was asked for: each costs a round trip.
    pub(super) async fn set_session(&mut self) -> Result<(), SqlError> {
        let session = self.session;
        if let Some(isolation) = session.isolation {
            let sql = format!("SET SESSION TRANSACTION ISOLATION LEVEL {}", isolation.sql());
            self.command(&sql).await.map_err(|error| error.while_doing(&sql))?;
        }
        match (session.autocommit, self.status.autocommits()) {
            (true, false) => self.command("SET autocommit=1").await,
            (false, true) => self.command("SET autocommit=0").await,
            _ => Ok(()),
        }
    }

    /// Asks what the session runs with, and refuses what is not as it was asked for.
    pub(super) async fn read_session_back(&mut self) -> Result<SessionFacts, SqlError> {
        let autocommit = self.status.autocommits();
        if autocommit != self.session.autocommit {
            return Err(refusal("the server does not let autocommit be changed"));
        }
        let mut answer = Collect::default();
        self.query(ASK_FOR_ISOLATION, &mut answer).await?;
        let told = answer.rows.first().and_then(|row| row.get(1)?.as_deref());
        let isolation = told.and_then(Isolation::named);
        if let Some(asked) = self.session.isolation {
            if isolation != Some(asked) {
                return Err(refusal(&format!(
                    "isolation {} was asked for, and the server runs {}",
                    asked.name(),
                    told.unwrap_or("what it does not tell"),
                )));
            }
            self.ask_engines(asked).await?;
        }
        Ok(SessionFacts { isolation, autocommit })
    }

    /// Looks whether the tables' engines know the level.
    async fn ask_engines(&mut self, asked: Isolation) -> Result<(), SqlError> {
        let mut answer = Collect::default();
        self.query(ASK_FOR_ENGINES, &mut answer).await?;
        if self.status.in_transaction() {
            // Without autocommit even this question has opened one.
            self.commit().await?;
        }
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
