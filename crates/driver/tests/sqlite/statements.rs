//! Statements, their parameters, rows and counts.

use std::rc::Rc;

use contract::{
    Access, Collect, Connection, Discard, ErrorClass, Executed, Row, RowSink, SqlError, Statement,
    StatementCount, StatementCounters, Value,
};
use driver::sqlite::SqliteConnection;
use eventloop::Timestamp;

use crate::support::{Folder, field, now, query, rows, run};

const INSERT: usize = 0;
const SELECT: usize = 1;
const UPDATE: usize = 2;

fn prepared(folder: &Folder) -> SqliteConnection {
    let mut connection = folder.connect("");
    run(&mut connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, number, name)");
    let sql = [
        "INSERT INTO t (id, number, name) VALUES (?, ?, ?)",
        "SELECT number, name FROM t WHERE id = ?",
        "UPDATE t SET name = ? WHERE id = ?",
    ];
    let statements: Rc<[Statement]> =
        sql.iter().map(|sql| Statement { sql: (*sql).to_owned() }).collect();
    now(connection.prepare(&statements)).unwrap();
    connection
}

fn execute(
    connection: &mut SqliteConnection,
    statement: usize,
    parameters: &[Value<'_>],
) -> Result<Executed, SqlError> {
    now(connection.execute(statement, parameters, &mut Discard))
}

#[test]
fn values_come_back_as_they_went_in() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    let values = [
        (Value::Null, None),
        (Value::Int(i64::MIN), Some("-9223372036854775808")),
        (Value::Double(0.5), Some("0.5")),
        (Value::Text(""), Some("")),
        (Value::Text("zwölf\0Boxkämpfer"), Some("zwölf\0Boxkämpfer")),
    ];
    for (id, (value, text)) in (1..).zip(values) {
        let inserted = execute(&mut connection, INSERT, &[Value::Int(id), value, Value::Text("n")]);
        assert_eq!(inserted.unwrap(), Executed::Affected(1));
        let mut answer = Collect::default();
        let selected = now(connection.execute(SELECT, &[Value::Int(id)], &mut answer));
        assert_eq!(selected.unwrap(), Executed::Rows(1));
        assert_eq!(answer.rows, [[text.map(str::to_owned), Some("n".to_owned())]]);
    }
}

/// Reads integers from the first column, and refuses a row that is too large.
struct Integers(Vec<Option<i64>>);

impl RowSink for Integers {
    const READS: bool = true;

    fn row(&mut self, row: &dyn Row) -> Result<(), SqlError> {
        let value = row.int(0)?;
        if value == Some(99) {
            return Err(row.int(1).unwrap_err());
        }
        self.0.push(value);
        Ok(())
    }
}

#[test]
fn integers_are_read_as_such_and_nothing_else_is() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    let mut sink = Integers(Vec::new());
    now(connection.query("VALUES (1), (NULL), (-3)", &mut sink)).unwrap();
    assert_eq!(sink.0, [Some(1), None, Some(-3)]);
    for (sql, message) in [
        ("SELECT '1'", "column 0 is not an integer"),
        ("SELECT 1.0", "column 0 is not an integer"),
        ("SELECT 99", "there is no column 1; the row has 1"),
    ] {
        let error = now(connection.query(sql, &mut sink)).unwrap_err();
        assert_eq!(error.message(), message);
    }
    let error = query(&mut connection, "SELECT x'FF'").unwrap_err();
    assert_eq!(error.message(), "column 0 is not UTF-8 text");
}

#[test]
fn a_statement_works_again_after_its_sink_refused_a_row() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    run(&mut connection, "INSERT INTO t VALUES (1, 'no integer', 'n'), (2, 7, 'n')");
    let mut sink = Integers(Vec::new());
    assert!(now(connection.execute(SELECT, &[Value::Int(1)], &mut sink)).is_err());
    now(connection.execute(SELECT, &[Value::Int(2)], &mut sink)).unwrap();
    assert_eq!(sink.0, [Some(7)]);
    // Had the refused answer stayed open, it would hold a snapshot, and this would find it.
    run(&mut connection, "PRAGMA journal_mode = wal");
}

#[test]
fn a_wrong_number_of_parameters_is_refused() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    let error = execute(&mut connection, SELECT, &[]).unwrap_err();
    assert_eq!(error.class(), ErrorClass::InvalidStatement);
    assert_eq!(error.message(), "the statement takes 1 parameters, not 0");
    let error = execute(&mut connection, 3, &[]).unwrap_err();
    assert_eq!(error.message(), "statement 3 is not prepared; there are 3");
}

#[test]
fn text_must_be_exactly_one_statement() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    assert_eq!(query(&mut connection, "SELECT 1; ").unwrap(), Executed::Rows(1));
    for (sql, message) in [
        (" -- nothing", "there is no statement"),
        ("SELECT 1; DROP TABLE t", "more than one statement; send this by itself: DROP TABLE t"),
    ] {
        let error = query(&mut connection, sql).unwrap_err();
        assert_eq!((error.class(), error.message()), (ErrorClass::InvalidStatement, message));
    }
}

#[test]
fn only_statements_that_changed_something_say_so() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    let mut affected = |sql: &str| query(&mut connection, sql).unwrap();
    assert_eq!(affected("CREATE TABLE t (id INTEGER PRIMARY KEY)"), Executed::Affected(0));
    assert_eq!(affected("INSERT INTO t VALUES (1), (2), (3)"), Executed::Affected(3));
    assert_eq!(affected("CREATE INDEX t_id ON t (id)"), Executed::Affected(0));
    assert_eq!(affected("BEGIN IMMEDIATE"), Executed::Affected(0));
    assert_eq!(affected("DELETE FROM t WHERE id = 7"), Executed::Affected(0));
    assert_eq!(affected("UPDATE t SET id = id + 10"), Executed::Affected(3));
    assert_eq!(affected("COMMIT"), Executed::Affected(0));
    assert_eq!(affected("SELECT id FROM t WHERE id < 13"), Executed::Rows(2));
    assert_eq!(affected("DELETE FROM t"), Executed::Affected(3));
}

/// `rows` are those returned, those changed, and the executions without either.
fn count(sql: &str, executions: u64, rows: [u64; 3]) -> StatementCount {
    let [rows, affected, without_rows] = rows;
    StatementCount { sql: sql.to_owned(), executions, rows, affected, without_rows }
}

#[test]
fn statements_are_counted_when_sent_and_tallied_when_they_succeed() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    connection.take_counters();
    connection.take_statement_counts();
    now(connection.begin(Access::ReadWrite)).unwrap();
    let row = [Value::Int(1), Value::Int(2), Value::Text("a")];
    execute(&mut connection, INSERT, &row).unwrap();
    assert!(execute(&mut connection, INSERT, &row).is_err());
    execute(&mut connection, UPDATE, &[Value::Text("b"), Value::Int(1)]).unwrap();
    execute(&mut connection, UPDATE, &[Value::Text("b"), Value::Int(2)]).unwrap();
    execute(&mut connection, SELECT, &[Value::Int(1)]).unwrap();
    execute(&mut connection, SELECT, &[Value::Int(2)]).unwrap();
    now(connection.commit()).unwrap();
    assert!(query(&mut connection, "SELECT nonsense").is_err());

    let expected = StatementCounters {
        read: 2,
        write: 2,
        other: 3,
        unchanged: 1,
        round_trips: 7,
        unread_ns: 0,
    };
    assert_eq!(connection.take_counters(), expected);
    let mut counts = connection.take_statement_counts();
    counts.sort_by(|a, b| a.sql.cmp(&b.sql));
    let expected = [
        count("BEGIN IMMEDIATE", 1, [0, 0, 1]),
        count("COMMIT", 1, [0, 0, 1]),
        count("INSERT INTO t (id, number, name) VALUES (?, ?, ?)", 2, [0, 1, 0]),
        count("SELECT", 1, [0, 0, 0]),
        count("SELECT number, name FROM t WHERE id = ?", 2, [1, 0, 1]),
        count("UPDATE t SET name = ? WHERE id = ?", 2, [0, 1, 1]),
    ];
    assert_eq!(counts, expected);

    assert_eq!(connection.take_counters(), StatementCounters::default());
    assert_eq!(connection.take_statement_counts(), []);
    execute(&mut connection, SELECT, &[Value::Int(1)]).unwrap();
    let counts = connection.take_statement_counts();
    assert_eq!(counts, [count("SELECT number, name FROM t WHERE id = ?", 1, [1, 0, 0])]);
}

#[test]
fn rollback_undoes_and_does_nothing_where_nothing_is_open() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    now(connection.begin(Access::ReadWrite)).unwrap();
    run(&mut connection, "INSERT INTO t VALUES (1, 1, 'a')");
    now(connection.rollback()).unwrap();
    assert_eq!(field(&mut connection, "SELECT count(*) FROM t"), "0");
    connection.take_statement_counts();
    now(connection.rollback()).unwrap();
    assert_eq!(connection.take_statement_counts(), []);
    now(connection.close());
}

#[test]
fn preparing_again_takes_the_place_of_what_was_prepared() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    let statements: Rc<[Statement]> = Rc::new([Statement { sql: "SELECT ? + 1".to_owned() }]);
    now(connection.prepare(&statements)).unwrap();
    let mut sink = Integers(Vec::new());
    now(connection.execute(0, &[Value::Int(41)], &mut sink)).unwrap();
    assert_eq!(sink.0, [Some(42)]);
    assert!(execute(&mut connection, 1, &[]).is_err());
}

#[test]
fn a_prepared_statement_survives_a_change_of_the_schema() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    run(&mut folder.connect(""), "ALTER TABLE t ADD COLUMN more");
    let row = [Value::Int(1), Value::Int(2), Value::Text("kept")];
    execute(&mut connection, INSERT, &row).unwrap();
    assert_eq!(rows(&mut connection, "SELECT name FROM t"), [[Some("kept".to_owned())]]);
}

#[test]
fn the_last_arrival_is_the_end_of_the_last_statement() {
    let folder = Folder::new();
    let mut connection = prepared(&folder);
    let before = Timestamp::now();
    execute(&mut connection, SELECT, &[Value::Int(1)]).unwrap();
    let first = connection.last_arrival();
    assert!(before <= first && first <= Timestamp::now());
    assert!(execute(&mut connection, INSERT, &[Value::Int(1)]).is_err());
    assert!(connection.last_arrival() > first);
}
