//! What a URL sets is in effect, or the connection is refused.

use std::sync::Barrier;
use std::time::Duration;

use contract::{Connection, Dialect, Driver, ErrorClass, Limits};
use driver::sqlite::SqliteDriver;
use eventloop::EventLoop;

use crate::support::{Folder, LIMITS, connect, field, now, run};

#[test]
fn every_pragma_of_the_url_is_in_effect() {
    let folder = Folder::new();
    let mut connection = folder.connect(
        "?foreign_keys=off&wal_autocheckpoint=77&temp_store=memory&mmap_size=65536\
         &cache_size=-4000&synchronous=extra&journal_mode=wal&locking_mode=exclusive\
         &page_size=8192&busy_timeout=123",
    );
    let expected = [
        ("foreign_keys", "0"),
        ("wal_autocheckpoint", "77"),
        ("temp_store", "2"),
        ("mmap_size", "65536"),
        ("cache_size", "-4000"),
        ("synchronous", "3"),
        ("journal_mode", "wal"),
        ("locking_mode", "exclusive"),
        ("page_size", "8192"),
        ("busy_timeout", "123"),
    ];
    for (pragma, value) in expected {
        assert_eq!(field(&mut connection, &format!("PRAGMA {pragma}")), value, "{pragma}");
    }
}

#[test]
fn a_database_in_memory_has_no_write_ahead_log() {
    let error = connect("sqlite:///:memory:?journal_mode=wal", LIMITS).err().unwrap();
    assert_eq!(error.class(), ErrorClass::InvalidStatement);
    assert_eq!(
        error.message(),
        "journal_mode=wal did not take: asked for journal_mode, SQLite answers memory; change it \
         in the URL, or use a file that allows it"
    );
}

#[test]
fn a_file_keeps_its_page_size() {
    let folder = Folder::new();
    run(&mut folder.connect("?page_size=4096"), "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    folder.connect("?page_size=4096");
    let error = folder.try_connect("?page_size=8192").err().unwrap();
    assert!(error.message().contains("page_size=8192 did not take"), "{error}");
    assert!(error.message().contains("SQLite answers 4096"), "{error}");
}

#[test]
fn many_threads_may_connect_at_once_and_change_the_journal_mode() {
    const THREADS: usize = 8;
    let folder = Folder::new();
    run(&mut folder.connect(""), "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    for mode in ["wal", "delete"].repeat(20) {
        let url = folder.url(&format!("?journal_mode={mode}"));
        let driver = SqliteDriver::from_url(&url).unwrap();
        let together = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let handle = EventLoop::new().unwrap().handle();
                    together.wait();
                    let mut connection = now(driver.connect(&handle, LIMITS)).unwrap();
                    assert_eq!(field(&mut connection, "PRAGMA journal_mode"), mode);
                });
            }
        });
    }
}

#[test]
fn only_a_connection_that_is_alone_can_leave_write_ahead_logging() {
    let folder = Folder::new();
    let mut first = folder.connect("?journal_mode=wal");
    run(&mut first, "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    let error = folder.try_connect("?journal_mode=delete&busy_timeout=20").err().unwrap();
    assert_eq!(error.class(), ErrorClass::LockWaitTimeout);
    assert_eq!(
        error.message(),
        "can't set journal_mode=delete while another connection uses the file: database is locked \
         (SQLITE_BUSY): waits for a lock end after busy_timeout=20 ms"
    );
}

#[test]
fn a_lock_wait_may_not_be_longer_than_the_time_limits() {
    let folder = Folder::new();
    let limits = Limits { statement: Duration::from_secs(1), ..LIMITS };
    let mut short = connect(&folder.url(""), limits).unwrap();
    assert_eq!(field(&mut short, "PRAGMA busy_timeout"), "1000");
    let error = connect(&folder.url("?busy_timeout=2000"), limits).err().unwrap();
    assert!(error.message().starts_with("busy_timeout=2000 ms is longer"), "{error}");
}

#[test]
fn it_says_what_it_is() {
    let folder = Folder::new();
    let driver = SqliteDriver::from_url(&folder.url("")).unwrap();
    assert_eq!(driver.dialect(), Dialect::Sqlite);
    const { assert!(SqliteDriver::BLOCKING) };
    let mut connection = folder.connect("");
    let version = field(&mut connection, "SELECT sqlite_version()");
    assert_eq!(connection.server_version(), version);
    assert!(!connection.has_kernel_timestamps());
}
