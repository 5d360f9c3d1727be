//! Two connections that want to write at the same time.

use contract::{Access, Connection, ErrorClass, SqlError};
use driver::sqlite::SqliteConnection;

use crate::support::{Folder, field, now, query, run};

const BUSY: &str =
    "database is locked (SQLITE_BUSY): waits for a lock end after busy_timeout=20 ms";
const NO_WAIT: &str = ", and a deferred transaction that turns to writing does not wait at all";

fn pair(folder: &Folder, options: &str) -> (SqliteConnection, SqliteConnection) {
    let mut first = folder.connect(options);
    run(&mut first, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER)");
    run(&mut first, "INSERT INTO t VALUES (1, 0)");
    (first, folder.connect(options))
}

fn assert_busy(error: &SqlError, message: &str) {
    assert_eq!(error.class(), ErrorClass::LockWaitTimeout);
    assert_eq!((error.code(), error.message()), (5, message));
}

#[test]
fn writers_take_the_lock_when_they_begin() {
    let folder = Folder::new();
    let (mut first, mut second) = pair(&folder, "?journal_mode=wal&busy_timeout=20");
    now(first.begin(Access::ReadWrite)).unwrap();
    assert_busy(&now(second.begin(Access::ReadWrite)).unwrap_err(), BUSY);
    now(second.begin(Access::ReadOnly)).unwrap();
    assert_eq!(field(&mut second, "SELECT k FROM t"), "0");
    now(second.commit()).unwrap();
    now(first.commit()).unwrap();
    now(second.begin(Access::ReadWrite)).unwrap();
    now(second.commit()).unwrap();
}

#[test]
fn deferred_writers_take_it_when_they_write() {
    let folder = Folder::new();
    let (mut first, mut second) = pair(&folder, "?journal_mode=wal&busy_timeout=20&begin=deferred");
    now(first.begin(Access::ReadWrite)).unwrap();
    now(second.begin(Access::ReadWrite)).unwrap();
    run(&mut first, "UPDATE t SET k = k + 1");
    assert_eq!(field(&mut second, "SELECT k FROM t"), "0");
    let error = query(&mut second, "UPDATE t SET k = k + 1").unwrap_err();
    assert_busy(&error, &format!("{BUSY}{NO_WAIT}"));
    now(first.commit()).unwrap();
    // What the second has read is old by now, and no waiting would make it new.
    let error = query(&mut second, "UPDATE t SET k = k + 1").unwrap_err();
    assert_eq!(error.class(), ErrorClass::SerializationFailure);
    assert_eq!(error.code(), 517);
    assert_eq!(
        error.message(),
        "database is locked (SQLITE_BUSY_SNAPSHOT): another connection wrote after this \
         transaction had begun to read"
    );
    now(second.rollback()).unwrap();
    now(second.begin(Access::ReadWrite)).unwrap();
    run(&mut second, "UPDATE t SET k = k + 1");
    now(second.commit()).unwrap();
    assert_eq!(field(&mut first, "SELECT k FROM t"), "2");
}

#[test]
fn a_reader_keeps_a_writer_without_log_from_committing() {
    let folder = Folder::new();
    let (mut writer, mut reader) = pair(&folder, "?journal_mode=delete&busy_timeout=20");
    now(reader.begin(Access::ReadOnly)).unwrap();
    assert_eq!(field(&mut reader, "SELECT k FROM t"), "0");
    now(writer.begin(Access::ReadWrite)).unwrap();
    run(&mut writer, "UPDATE t SET k = 1");
    assert_busy(&now(writer.commit()).unwrap_err(), &format!("{BUSY}{NO_WAIT}"));
    now(reader.commit()).unwrap();
    now(writer.commit()).unwrap();
    assert_eq!(field(&mut reader, "SELECT k FROM t"), "1");
}

#[test]
fn writers_that_wait_for_each_other_lose_nothing() {
    const WRITERS: u64 = 4;
    const INCREMENTS: u64 = 50;
    let folder = Folder::new();
    pair(&folder, "?journal_mode=wal");
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut connection = folder.connect("?synchronous=off&busy_timeout=10000");
                for _ in 0..INCREMENTS {
                    now(connection.begin(Access::ReadWrite)).unwrap();
                    let k: u64 = field(&mut connection, "SELECT k FROM t").parse().unwrap();
                    run(&mut connection, &format!("UPDATE t SET k = {}", k + 1));
                    now(connection.commit()).unwrap();
                }
            });
        }
    });
    let total = field(&mut folder.connect(""), "SELECT k FROM t");
    assert_eq!(total, (WRITERS * INCREMENTS).to_string());
}
