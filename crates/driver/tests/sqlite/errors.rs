//! Errors: class, code and words, each from the real thing.

use std::time::Duration;

use contract::{Connection, ErrorClass, Limits, SqlError};
use driver::sqlite::SqliteConnection;

use crate::support::{Folder, LIMITS, connect, field, now, query, run};

fn schema(connection: &mut SqliteConnection) {
    run(connection, "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    run(
        connection,
        "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL \
         REFERENCES parent (id), size INTEGER CHECK (size > 0))",
    );
    run(connection, "INSERT INTO parent VALUES (1, 'one')");
}

fn assert_error(error: &SqlError, class: ErrorClass, words: &str) {
    assert_eq!(error.class(), class, "{error}");
    assert!(error.message().contains(words), "{error}");
    assert_eq!(error.sqlstate(), "HY000");
}

#[test]
fn every_kind_of_statement_error_has_its_class_and_name() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    schema(&mut connection);
    let table = [
        (
            "INSERT INTO parent VALUES (1, 'two')",
            ErrorClass::DuplicateKey,
            1555,
            "UNIQUE constraint failed: parent.id (SQLITE_CONSTRAINT_PRIMARYKEY)",
        ),
        (
            "INSERT INTO parent VALUES (2, 'one')",
            ErrorClass::DuplicateKey,
            2067,
            "UNIQUE constraint failed: parent.name (SQLITE_CONSTRAINT_UNIQUE)",
        ),
        (
            "INSERT INTO child VALUES (1, 9, 1)",
            ErrorClass::ConstraintViolation,
            787,
            "FOREIGN KEY constraint failed (SQLITE_CONSTRAINT_FOREIGNKEY)",
        ),
        (
            "INSERT INTO child VALUES (1, NULL, 1)",
            ErrorClass::ConstraintViolation,
            1299,
            "NOT NULL constraint failed: child.parent (SQLITE_CONSTRAINT_NOTNULL)",
        ),
        (
            "INSERT INTO child VALUES (1, 1, 0)",
            ErrorClass::ConstraintViolation,
            275,
            "CHECK constraint failed: size > 0 (SQLITE_CONSTRAINT_CHECK)",
        ),
        ("SELECT * FROM sbtest9", ErrorClass::InvalidStatement, 1, "no such table: sbtest9"),
        (
            "CREATE TABLE parent (id)",
            ErrorClass::AlreadyExists,
            1,
            "table parent already exists (SQLITE_ERROR)",
        ),
        ("SELEC 1", ErrorClass::InvalidStatement, 1, "near \"SELEC\": syntax error (SQLITE_ERROR)"),
        (
            "SELECT zeroblob(2000000000)",
            ErrorClass::ResourceExhausted,
            18,
            "string or blob too big (SQLITE_TOOBIG)",
        ),
    ];
    for (sql, class, code, words) in table {
        let error = query(&mut connection, sql).unwrap_err();
        assert_error(&error, class, words);
        assert_eq!(error.code(), code, "{error}");
    }
}

#[test]
fn a_full_database_is_a_resource_that_ran_out() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    run(&mut connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, filler)");
    let pages = field(&mut connection, "PRAGMA max_page_count = 10");
    assert_eq!(pages, "10");
    let error = query(&mut connection, "INSERT INTO t VALUES (1, zeroblob(100000))").unwrap_err();
    assert_error(&error, ErrorClass::ResourceExhausted, "database or disk is full (SQLITE_FULL)");
    run(&mut connection, "INSERT INTO t VALUES (1, 'it goes on')");
}

#[test]
fn a_file_that_takes_no_writes() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    schema(&mut connection);
    run(&mut connection, "PRAGMA query_only = on");
    let error = query(&mut connection, "DELETE FROM child").unwrap_err();
    assert_error(
        &error,
        ErrorClass::ReadOnly,
        "attempt to write a readonly database (SQLITE_READONLY)",
    );
}

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new();
    let missing = folder.path("missing");
    let url = format!("sqlite:///{missing}/test.db");
    let error = connect(&url, LIMITS).err().unwrap();
    let words = format!(
        "can't open {missing}/test.db (SQLITE_CANTOPEN); there is no directory {missing}, and an \
         absolute path takes four slashes: sqlite:////…"
    );
    assert_error(&error, ErrorClass::ConnectionRefused, &words);
}

#[test]
fn a_file_that_is_no_database_is_found_at_connect() {
    let folder = Folder::new();
    std::fs::write(folder.path("test.db"), "a letter to my aunt\n".repeat(200)).unwrap();
    let error = folder.try_connect("").err().unwrap();
    assert_error(&error, ErrorClass::ConnectionRefused, "file is not a database (SQLITE_NOTADB)");
}

#[test]
fn a_damaged_file_is_reported_as_such() {
    let folder = Folder::new();
    let mut connection = folder.connect("");
    run(&mut connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, filler)");
    run(
        &mut connection,
        "WITH RECURSIVE s(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM s WHERE x < 500) \
         INSERT INTO t SELECT x, hex(randomblob(100)) FROM s",
    );
    now(connection.close());
    let mut bytes = std::fs::read(folder.path("test.db")).unwrap();
    bytes[4096..].fill(0xA5);
    std::fs::write(folder.path("test.db"), bytes).unwrap();
    let error = query(&mut folder.connect(""), "SELECT sum(length(filler)) FROM t").unwrap_err();
    assert_error(&error, ErrorClass::Other, "database disk image is malformed (SQLITE_CORRUPT");
}

#[test]
fn a_statement_that_would_never_end_is_ended() {
    let folder = Folder::new();
    let limits = Limits { statement: Duration::from_millis(50), ..LIMITS };
    let mut connection = connect(&folder.url(""), limits).unwrap();
    let endless = "WITH RECURSIVE s(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM s) \
                   SELECT max(x) FROM s";
    let error = query(&mut connection, endless).unwrap_err();
    let words = "interrupted (SQLITE_INTERRUPT): no answer within the time limit of 50ms";
    assert_error(&error, ErrorClass::Timeout, words);
}
