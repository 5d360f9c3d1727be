//! How the statements of one transaction travel: one by one; where the connection pipelines, writes
//! that follow each other without waiting between them; where it sends batches, BEGIN and COMMIT
//! with them.

use contract::{
    Access, Connection, Dialect, Discard, Executed, Isolation, Request, RowSink, SqlError, Value,
};

/// The statements of one transaction on their way.
pub(super) struct Exchange<'a, C> {
    connection: &'a mut C,
    /// Where a transaction's statements stand among all that were prepared.
    first: usize,
    /// The level of this transaction, where it is not the session's.
    isolation: Option<(Isolation, Dialect)>,
    /// BEGIN and COMMIT travel with others.
    together: bool,
    /// Writes travel with others.
    pipelines: bool,
    is_waiting: bool,
    results: &'a mut Vec<Executed>,
}

impl<'a, C: Connection> Exchange<'a, C> {
    pub fn new(
        connection: &'a mut C,
        first: usize,
        isolation: Option<(Isolation, Dialect)>,
        results: &'a mut Vec<Executed>,
    ) -> Self {
        let together = connection.sends_batches();
        let pipelines = together || connection.pipelines();
        Self { connection, first, isolation, together, pipelines, is_waiting: false, results }
    }

    pub async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        match self.isolation {
            None => self.send_begin(access).await,
            // There it is said in the transaction, elsewhere before it.
            Some((level, Dialect::PostgreSql)) => {
                self.send_begin(access).await?;
                self.flush().await?;
                self.set_isolation(level).await
            }
            Some((level, _)) => {
                self.set_isolation(level).await?;
                self.send_begin(access).await
            }
        }
    }

    async fn set_isolation(&mut self, level: Isolation) -> Result<(), SqlError> {
        let sql = format!("SET TRANSACTION ISOLATION LEVEL {}", level.sql());
        self.connection.query(&sql, &mut Discard).await.map(drop)
    }

    async fn send_begin(&mut self, access: Access) -> Result<(), SqlError> {
        if self.together {
            self.is_waiting = true;
            return self.connection.queue(Request::Begin(access));
        }
        self.connection.begin(access).await
    }

    /// A statement whose rows are wanted.
    pub async fn read<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let statement = self.first + statement;
        if !self.is_waiting {
            return self.connection.execute(statement, parameters, sink).await;
        }
        self.is_waiting = false;
        self.connection.execute_behind(statement, parameters, sink).await
    }

    /// A statement of which nothing is wanted but that it succeeds.
    pub async fn write(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
    ) -> Result<(), SqlError> {
        let statement = self.first + statement;
        if self.pipelines {
            self.is_waiting = true;
            return self.connection.queue(Request::Execute { statement, parameters });
        }
        self.connection.execute(statement, parameters, &mut Discard).await.map(drop)
    }

    pub async fn commit(mut self) -> Result<(), SqlError> {
        if self.together {
            self.connection.queue(Request::Commit)?;
            self.is_waiting = true;
            return self.flush().await;
        }
        self.flush().await?;
        self.connection.commit().await
    }

    pub async fn rollback(mut self) -> Result<(), SqlError> {
        self.flush().await?;
        self.connection.rollback().await
    }

    async fn flush(&mut self) -> Result<(), SqlError> {
        if !self.is_waiting {
            return Ok(());
        }
        self.is_waiting = false;
        self.connection.flush(self.results).await
    }
}
