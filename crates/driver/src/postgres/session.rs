//! Setting a connection up, and reading back what it runs with.

use contract::{Collect, ErrorClass, Isolation, SessionFacts, SqlError, Verb};

use super::PostgresConnection;

impl PostgresConnection {
    /// Sets what differs from the server's default: one round trip, and one more where a pooler is not
    /// known to be absent.
    pub(super) async fn set_session(&mut self) -> Result<(), SqlError> {
        let Some(isolation) = self.session.isolation else { return Ok(()) };
        let sql = format!(
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}",
            isolation.sql()
        );
        // Where it would not last, it would be left behind for other clients of the pooler's.
        self.refuse_pool_of_transactions().await?;
        let set = self.ask(Verb::Other, sql.as_bytes(), &mut contract::Discard).await;
        set.map(drop).map_err(|error| error.while_doing(&sql))
    }

    /// Asks what a transaction would run with. The server knows READ UNCOMMITTED by name and runs
    /// READ COMMITTED; what is told here is what it runs.
    pub(super) async fn read_session_back(&mut self) -> Result<SessionFacts, SqlError> {
        let mut answer = Collect::default();
        self.ask(Verb::Other, b"SHOW transaction_isolation", &mut answer).await?;
        let told = answer.rows.first().and_then(|row| row.first()?.as_deref());
        let isolation = told.and_then(Isolation::named);
        if let Some(asked) = self.session.isolation.filter(|asked| isolation != Some(*asked)) {
            let message = format!(
                "isolation {} was asked for, and the server runs {}",
                asked.name(),
                told.unwrap_or("what it does not tell"),
            );
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        if self.session.isolation.is_some() {
            self.refuse_pool_of_transactions().await?;
        }
        self.refuse_mixed_statements().await?;
        let runs = match isolation {
            Some(Isolation::ReadUncommitted) => Some(Isolation::ReadCommitted),
            other => other,
        };
        Ok(SessionFacts { isolation: runs, autocommit: self.session.autocommit })
    }
}
