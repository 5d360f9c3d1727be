//! Bulk loading, and what is left when it fails.

use contract::{
    Access, BulkMethod, Connection, ErrorClass, RowSource, RowWriter, StatementCounters,
};
use driver::sqlite::SqliteConnection;

use crate::support::{Folder, field, now, rows, run};

/// Rows 1 to `last`, the row `short` with a field too few.
struct Rows {
    next: i64,
    last: i64,
    short: Option<i64>,
}

impl Rows {
    fn up_to(last: i64) -> Self {
        Self { next: 1, last, short: None }
    }
}

impl RowSource for Rows {
    fn table(&self) -> &'static str {
        "t"
    }

    fn columns(&self) -> &[&'static str] {
        &["id", "name", "note"]
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        let id = self.next;
        if id > self.last {
            return false;
        }
        self.next += 1;
        row.int(id);
        row.text(&format!("row {id}"));
        if self.short != Some(id) {
            row.null();
        }
        true
    }
}

fn table(folder: &Folder) -> SqliteConnection {
    let mut connection = folder.connect("");
    run(&mut connection, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, note TEXT)");
    connection
}

#[test]
fn loaded_rows_are_there_and_counted() {
    let folder = Folder::new();
    let mut connection = table(&folder);
    connection.take_counters();
    connection.take_statement_counts();
    let loaded = now(connection.load(&mut Rows::up_to(1000), BulkMethod::Auto)).unwrap();
    assert_eq!(loaded, (1000, BulkMethod::Insert));
    assert_eq!(
        connection.take_counters(),
        StatementCounters {
            write: 1000,
            other: 2,
            round_trips: 1002,
            ..StatementCounters::default()
        }
    );
    let counts = connection.take_statement_counts();
    let insert = counts.iter().find(|count| count.sql.starts_with("INSERT")).unwrap();
    assert_eq!(insert.sql, "INSERT INTO t (id, name, note) VALUES (?, ?, ?)");
    assert_eq!((insert.executions, insert.affected), (1000, 1000));

    // Another connection sees only what was committed.
    let mut other = folder.connect("");
    assert_eq!(field(&mut other, "SELECT count(*) FROM t WHERE note IS NULL"), "1000");
    let row = rows(&mut other, "SELECT id, name FROM t WHERE id = 777");
    assert_eq!(row, [[Some("777".to_owned()), Some("row 777".to_owned())]]);
}

#[test]
fn rows_belong_to_the_transaction_that_is_open() {
    let folder = Folder::new();
    let mut connection = table(&folder);
    for (ends_with_commit, count) in [(false, "0"), (true, "10")] {
        now(connection.begin(Access::ReadWrite)).unwrap();
        assert_eq!(now(connection.load(&mut Rows::up_to(10), BulkMethod::Auto)).unwrap().0, 10);
        assert!(connection.in_transaction());
        let end =
            if ends_with_commit { now(connection.commit()) } else { now(connection.rollback()) };
        end.unwrap();
        assert_eq!(field(&mut connection, "SELECT count(*) FROM t"), count);
    }
}

#[test]
fn a_chunk_that_fails_leaves_nothing_behind() {
    let folder = Folder::new();
    let mut connection = table(&folder);
    run(&mut connection, "INSERT INTO t VALUES (50, 'in the way', NULL)");
    let error = now(connection.load(&mut Rows::up_to(100), BulkMethod::Insert)).unwrap_err();
    assert_eq!(error.class(), ErrorClass::DuplicateKey);
    assert_eq!(field(&mut folder.connect(""), "SELECT count(*) FROM t"), "1");
    run(&mut connection, "DELETE FROM t");

    let mut short = Rows { next: 1, last: 100, short: Some(50) };
    let error = now(connection.load(&mut short, BulkMethod::Insert)).unwrap_err();
    assert_eq!(error.message(), "a row has 2 fields for 3 columns");
    assert_eq!(field(&mut connection, "SELECT count(*) FROM t"), "0");

    assert_eq!(now(connection.load(&mut Rows::up_to(9), BulkMethod::Insert)).unwrap().0, 9);
}

#[test]
fn there_is_no_bulk_format() {
    let folder = Folder::new();
    let mut connection = table(&folder);
    let error = now(connection.load(&mut Rows::up_to(1), BulkMethod::Native)).unwrap_err();
    assert_eq!(error.message(), "SQLite has no bulk format of its own; load by insert, or by auto");
}
