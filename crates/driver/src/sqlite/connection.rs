//! The contract's [`Connection`]. No future of it ever waits.

use std::rc::Rc;

use contract::{
    Access, BulkMethod, Connection, Dialect, Discard, ErrorClass, Executed, Fact, Isolation,
    RowSink, RowSource, SessionFacts, SqlError, Statement, StatementCount, StatementCounters,
    Value, Verb,
};
use eventloop::Timestamp;

use super::counted::Counted;
use super::database::Database;
use super::ledger::Ledger;
use super::load;
use super::lock_waits;
use super::statement::PreparedStatement;
use super::url::Begin;

/// One client's connection to the file.
pub struct SqliteConnection {
    database: Rc<Database>,
    ledger: Ledger,
    prepared: Vec<Counted>,
    begin_reading: Counted,
    begin_writing: Counted,
    commit: Counted,
    rollback: Counted,
}

impl SqliteConnection {
    pub(super) fn new(database: Rc<Database>, begin: Begin) -> Result<Self, SqlError> {
        let mut ledger = Ledger::new();
        let mut prepare = |sql| Counted::new(&database, &mut ledger, sql);
        let begin_reading = prepare("BEGIN")?;
        let begin_writing = prepare(match begin {
            Begin::Immediate => "BEGIN IMMEDIATE",
            Begin::Deferred => "BEGIN",
        })?;
        let (commit, rollback) = (prepare("COMMIT")?, prepare("ROLLBACK")?);
        let prepared = Vec::new();
        Ok(Self { database, ledger, prepared, begin_reading, begin_writing, commit, rollback })
    }

    fn execute_text<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        let result = PreparedStatement::new(&self.database, sql)
            .and_then(|mut statement| statement.execute(&[], sink));
        // By their verb, as other drivers count what is sent once: these texts may all differ.
        let place = self.ledger.place(&Verb::of(sql, Dialect::Sqlite).name().to_uppercase());
        self.ledger.enter(place, &result);
        result
    }
}

impl Connection for SqliteConnection {
    fn server_version(&self) -> &str {
        rusqlite::version()
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        let prepare =
            |statement: &Statement| Counted::new(&self.database, &mut self.ledger, &statement.sql);
        self.prepared = statements.iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        let count = self.prepared.len();
        match self.prepared.get_mut(statement) {
            Some(prepared) => prepared.execute(&mut self.ledger, parameters, sink),
            None => Err(SqlError::driver(
                ErrorClass::InvalidStatement,
                format!("statement {statement} is not prepared; there are {count}"),
            )),
        }
    }

    async fn query<S: RowSink>(&mut self, sql: &str, sink: &mut S) -> Result<Executed, SqlError> {
        self.execute_text(sql, sink)
    }

    async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        let begin = match access {
            Access::ReadOnly => &mut self.begin_reading,
            Access::ReadWrite => &mut self.begin_writing,
        };
        begin.execute(&mut self.ledger, &[], &mut Discard).map(drop)
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        self.commit.execute(&mut self.ledger, &[], &mut Discard).map(drop)
    }

    async fn rollback(&mut self) -> Result<(), SqlError> {
        if !self.database.in_transaction() {
            return Ok(());
        }
        self.rollback.execute(&mut self.ledger, &[], &mut Discard).map(drop)
    }

    fn in_transaction(&self) -> bool {
        self.database.in_transaction()
    }

    /// There is nothing to ask: transactions that write come one after another, and readers see
    /// what was there when they began.
    async fn describe_session(&mut self) -> Result<SessionFacts, SqlError> {
        Ok(SessionFacts { isolation: Some(Isolation::Serializable), autocommit: true })
    }

    async fn load(
        &mut self,
        source: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        if method == BulkMethod::Native {
            let message = "SQLite has no bulk format of its own; load by insert, or by auto";
            return Err(SqlError::driver(ErrorClass::InvalidStatement, message));
        }
        if self.in_transaction() {
            let loaded = load::insert(&self.database, &mut self.ledger, source);
            return loaded.map(|rows| (rows, BulkMethod::Insert));
        }
        self.begin(Access::ReadWrite).await?;
        let mut loaded = load::insert(&self.database, &mut self.ledger, source);
        if loaded.is_ok() {
            loaded = self.commit().await.and(loaded);
        }
        if loaded.is_err() {
            // The first error is the one that explains; an open transaction ends with the
            // connection, whatever becomes of this.
            let _ = self.rollback().await;
        }
        loaded.map(|rows| (rows, BulkMethod::Insert))
    }

    fn last_arrival(&self) -> Timestamp {
        self.ledger.last_end()
    }

    fn has_kernel_timestamps(&self) -> bool {
        false
    }

    fn take_counters(&mut self) -> StatementCounters {
        self.ledger.take_counters()
    }

    fn take_facts(&mut self) -> Vec<(&'static str, Fact)> {
        let waits = lock_waits::take();
        vec![
            ("sqlite_lock_waits", Fact::Count(waits.count)),
            ("sqlite_lock_wait_us", Fact::Count(waits.waited_ns / 1000)),
        ]
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        self.ledger.take_counts()
    }

    async fn close(self) {}
}
