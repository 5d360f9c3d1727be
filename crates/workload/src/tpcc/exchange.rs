//! How the statements of one transaction travel: one by one; where the connection pipelines, those
//! that need nothing of each other without waiting between them; where it sends batches, BEGIN and
//! COMMIT with them.

use contract::{
    Access, Connection, Dialect, Discard, Executed, Isolation, Request, Row, RowSink, SqlError,
    Value,
};

use super::reading::{Each, EachOf};

/// A statement whose rows are wanted, and its parameters.
pub(super) type Read<'a> = (usize, &'a [Value<'a>]);

/// The statements of one transaction on their way.
pub(super) struct Exchange<'a, C> {
    connection: &'a mut C,
    /// Where a transaction's statements stand among all that were prepared.
    first: usize,
    /// The level of this transaction, where it is not the session's.
    isolation: Option<(Isolation, Dialect)>,
    /// BEGIN and COMMIT travel with others.
    together: bool,
    /// Statements travel with others.
    pipelines: bool,
    is_waiting: bool,
    /// Of those that wait to be sent, the ones that are neither BEGIN nor COMMIT.
    statements_waiting: usize,
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
        Self {
            connection,
            first,
            isolation,
            together,
            pipelines,
            is_waiting: false,
            statements_waiting: 0,
            results,
        }
    }

    pub async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        match self.isolation {
            None => self.send_begin(access).await,
            // There it is said in the transaction, elsewhere before it.
            Some((level, Dialect::PostgreSql)) => {
                self.send_begin(access).await?;
                self.flush(&mut Discard).await?;
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
    ) -> Result<(), SqlError> {
        if self.is_waiting {
            return self.read_all(&[(statement, parameters)], |_, row| sink.row(row)).await;
        }
        let statement = self.first + statement;
        self.connection.execute(statement, parameters, sink).await.map(drop)
    }

    /// Statements whose rows are wanted, and that need nothing of each other. `take` is given each row
    /// with the place of its statement among them.
    pub async fn read_all(
        &mut self,
        reads: &[Read<'_>],
        mut take: impl FnMut(usize, &dyn Row) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        if !self.pipelines {
            for (place, (statement, parameters)) in reads.iter().enumerate() {
                let mut sink = Each(|row: &dyn Row| take(place, row));
                let statement = self.first + statement;
                self.connection.execute(statement, parameters, &mut sink).await?;
            }
            return Ok(());
        }
        let before = self.statements_waiting;
        for (statement, parameters) in reads {
            self.queue(*statement, parameters)?;
        }
        self.flush(&mut EachOf::new(before, take)).await
    }

    /// A statement of which nothing is wanted but that it succeeds.
    pub async fn write(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
    ) -> Result<(), SqlError> {
        if self.pipelines {
            return self.queue(statement, parameters);
        }
        let statement = self.first + statement;
        self.connection.execute(statement, parameters, &mut Discard).await.map(drop)
    }

    fn queue(&mut self, statement: usize, parameters: &[Value<'_>]) -> Result<(), SqlError> {
        let statement = self.first + statement;
        self.is_waiting = true;
        self.statements_waiting += 1;
        self.connection.queue(Request::Execute { statement, parameters })
    }

    pub async fn commit(mut self) -> Result<(), SqlError> {
        if self.together {
            self.connection.queue(Request::Commit)?;
            self.is_waiting = true;
            return self.flush(&mut Discard).await;
        }
        self.flush(&mut Discard).await?;
        self.connection.commit().await
    }

    pub async fn rollback(mut self) -> Result<(), SqlError> {
        self.flush(&mut Discard).await?;
        self.connection.rollback().await
    }

    async fn flush<S: RowSink>(&mut self, sink: &mut S) -> Result<(), SqlError> {
        if !self.is_waiting {
            return Ok(());
        }
        self.is_waiting = false;
        self.statements_waiting = 0;
        self.connection.flush(sink, self.results).await
    }
}
