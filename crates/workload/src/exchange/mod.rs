//! How the statements of one transaction travel to the server: each answered before the next is sent;
//! several in one round trip, where none of them needs another's answer; or BEGIN and COMMIT with them.

mod sinks;

use contract::{
    Access, Connection, Dialect, Discard, Executed, Isolation, Request, Row, RowSink, SqlError,
    Value,
};

use sinks::{EachOf, RowsFrom};

pub(crate) use sinks::Each;

/// A statement whose rows are wanted, and its parameters.
pub(crate) type Read<'a> = (usize, &'a [Value<'a>]);

/// Which statements share a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// None.
    OneByOne,
    /// Statements do; BEGIN and COMMIT take round trips of their own, for what follows an error may be
    /// carried out all the same.
    Pipelined,
    /// BEGIN and COMMIT do too: nothing is carried out behind an error.
    Together,
}

impl Sharing {
    /// What the connection was asked for.
    #[inline]
    pub fn as_asked<C: Connection>(connection: &C) -> Self {
        if connection.sends_batches() { Self::Together } else { Self::OneByOne }
    }

    /// The same, and a pipeline where nobody asked and the connection can.
    pub fn as_possible<C: Connection>(connection: &C) -> Self {
        match Self::as_asked(connection) {
            Self::OneByOne if connection.pipelines() => Self::Pipelined,
            asked => asked,
        }
    }
}

/// The statements of one transaction on their way.
pub(crate) struct Exchange<'a, C> {
    connection: &'a mut C,
    sharing: Sharing,
    /// Where a transaction's statements stand among all that were prepared.
    first_statement: usize,
    /// The level of this transaction, where it is not the session's.
    isolation: Option<(Isolation, Dialect)>,
    is_waiting: bool,
    /// Of those that wait to be sent, the ones that are neither BEGIN nor COMMIT.
    statements_waiting: usize,
    results: &'a mut Vec<Executed>,
}

impl<'a, C: Connection> Exchange<'a, C> {
    /// `results` is memory for what statements did that travelled together.
    #[inline]
    pub fn new(connection: &'a mut C, sharing: Sharing, results: &'a mut Vec<Executed>) -> Self {
        Self {
            connection,
            sharing,
            first_statement: 0,
            isolation: None,
            is_waiting: false,
            statements_waiting: 0,
            results,
        }
    }

    /// Counts the transaction's statements from this one on among all that were prepared.
    pub fn of_statements_from(self, first_statement: usize) -> Self {
        Self { first_statement, ..self }
    }

    /// Gives the transaction a level of its own.
    pub fn at(self, isolation: Option<(Isolation, Dialect)>) -> Self {
        Self { isolation, ..self }
    }

    /// Whether a transaction is open, as far as the server has said.
    #[inline]
    pub fn in_transaction(&self) -> bool {
        self.connection.in_transaction()
    }

    /// Whether anything waits to be sent.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Whether requests can wait for others, be it that nobody asked for it.
    pub fn can_queue(&self) -> bool {
        self.connection.sends_batches() || self.connection.pipelines()
    }

    /// Whether a whole transaction shares round trips.
    #[inline]
    pub fn sends_together(&self) -> bool {
        self.sharing == Sharing::Together
    }

    /// Opens the transaction.
    #[inline]
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
        if self.sharing == Sharing::Together {
            return self.queue(Request::Begin(access));
        }
        self.connection.begin(access).await
    }

    /// A statement whose answer is waited for. What waits to be sent goes with it, and is answered in
    /// [`results`](Self::results).
    #[inline]
    pub async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        if !self.is_waiting {
            let statement = self.first_statement + statement;
            return self.connection.execute(statement, parameters, sink).await;
        }
        let before = self.statements_waiting;
        self.queue(Request::Execute { statement, parameters })?;
        self.flush_into(&mut RowsFrom::new(before, sink)).await?;
        Ok(self.results.get(before).copied().unwrap_or(Executed::Affected(0)))
    }

    /// A statement of whose answer nothing is needed before the next: what it did, where it was waited
    /// for all the same. `sink` is given its rows only then.
    #[inline]
    pub async fn send<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Option<Executed>, SqlError> {
        if self.sharing == Sharing::OneByOne {
            let statement = self.first_statement + statement;
            return self.connection.execute(statement, parameters, sink).await.map(Some);
        }
        self.queue(Request::Execute { statement, parameters })?;
        Ok(None)
    }

    /// A statement of which nothing is wanted but that it succeeds.
    pub async fn write(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
    ) -> Result<(), SqlError> {
        self.send(statement, parameters, &mut Discard).await.map(drop)
    }

    /// Statements whose rows are wanted, and that need nothing of each other. `take` is given each row
    /// with the place of its statement among them.
    pub async fn read_all(
        &mut self,
        reads: &[Read<'_>],
        mut take: impl FnMut(usize, &dyn Row) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        if self.sharing == Sharing::OneByOne {
            for (place, (statement, parameters)) in reads.iter().enumerate() {
                let mut sink = Each(|row: &dyn Row| take(place, row));
                let statement = self.first_statement + statement;
                self.connection.execute(statement, parameters, &mut sink).await?;
            }
            return Ok(());
        }
        let before = self.statements_waiting;
        for (statement, parameters) in reads {
            self.queue(Request::Execute { statement: *statement, parameters })?;
        }
        self.flush_into(&mut RowsFrom::new(before, &mut EachOf::new(take))).await
    }

    /// A statement that is sent as text, behind what waits.
    pub async fn query<S: RowSink>(
        &mut self,
        sql: &str,
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        self.flush().await?;
        self.connection.query(sql, sink).await
    }

    /// Puts a request behind those that wait to be sent.
    pub fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        let request = match request {
            Request::Execute { statement, parameters } => {
                self.statements_waiting += 1;
                Request::Execute { statement: self.first_statement + statement, parameters }
            }
            command => command,
        };
        self.is_waiting = true;
        self.connection.queue(request)
    }

    /// Commits, with what waits to be sent, or behind it.
    pub async fn commit(&mut self) -> Result<(), SqlError> {
        if self.sharing == Sharing::Together {
            self.queue(Request::Commit)?;
            return self.flush().await;
        }
        self.flush().await?;
        self.connection.commit().await
    }

    /// Rolls back, behind what waits to be sent.
    pub async fn rollback(&mut self) -> Result<(), SqlError> {
        self.flush().await?;
        self.connection.rollback().await
    }

    /// Sends what waits, if anything does, and waits for all answers.
    pub async fn flush(&mut self) -> Result<(), SqlError> {
        if !self.is_waiting {
            return Ok(());
        }
        self.flush_into(&mut Discard).await
    }

    async fn flush_into<S: RowSink>(&mut self, sink: &mut S) -> Result<(), SqlError> {
        self.is_waiting = false;
        self.statements_waiting = 0;
        self.connection.flush(sink, self.results).await
    }

    /// What each statement did of those that travelled together last; BEGIN and COMMIT are left out.
    pub fn results(&self) -> &[Executed] {
        self.results
    }
}
