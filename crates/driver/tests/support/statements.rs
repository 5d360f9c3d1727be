//! Connections, and statements that must succeed or must fail.

use std::rc::Rc;
use std::time::Duration;

use contract::{Collect, Connection, Discard, Driver, Limits, SqlError, Statement};
use eventloop::Handle;

use super::run;

/// The rows of an answer as text.
pub type Rows = Vec<Vec<Option<String>>>;

pub const LIMITS: Limits =
    Limits { connect: Duration::from_secs(20), statement: Duration::from_secs(20) };

/// Connects, which must succeed.
pub async fn connect<D: Driver>(driver: &D, handle: &Handle) -> D::Connection {
    driver.connect(handle, LIMITS).await.unwrap()
}

/// The error of a connection that must be refused.
pub fn refusal<D: Driver>(driver: D) -> SqlError {
    run(|handle| async move {
        match driver.connect(&handle, LIMITS).await {
            Ok(_) => panic!("the connection was not refused"),
            Err(error) => error,
        }
    })
}

/// Executes statements that must succeed.
pub async fn execute_all<C: Connection>(connection: &mut C, statements: &[&str]) {
    for sql in statements {
        connection.query(sql, &mut Discard).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
}

/// All rows of a query.
pub async fn rows<C: Connection>(connection: &mut C, sql: &str) -> Rows {
    let mut rows = Collect::default();
    connection.query(sql, &mut rows).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.rows
}

/// The first field of a query's first row.
pub async fn value<C: Connection>(connection: &mut C, sql: &str) -> String {
    rows(connection, sql).await[0][0].clone().unwrap()
}

/// The error of a query that must fail.
pub async fn query_error<C: Connection>(connection: &mut C, sql: &str) -> SqlError {
    connection.query(sql, &mut Discard).await.expect_err(sql)
}

/// Statements to prepare.
pub fn statements(texts: &[&str]) -> Rc<[Statement]> {
    texts.iter().map(|sql| Statement { sql: (*sql).to_owned() }).collect()
}
