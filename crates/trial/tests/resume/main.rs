//! Loads that are cut short and taken up again, on real databases.

mod dataset;
#[path = "../../../driver/tests/mysql_server/mod.rs"]
mod mysql_server;
#[path = "../../../driver/tests/postgres_server/mod.rs"]
mod postgres_server;
#[path = "../../../driver/tests/support/mod.rs"]
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use contract::{BulkMethod, Dataset, Driver, ErrorClass};
use dataset::{CHUNK_ROWS, Cut, Notes, ROWS, TAGS};
use driver::Protocol;
use driver::sqlite::SqliteDriver;
use loader::{LoadError, LoadEvent, LoadOptions, TableCheck, drop_tables, load, verify};
use trial::AdminSession;

const OPTIONS: LoadOptions = LoadOptions {
    connections: 3,
    method: BulkMethod::Auto,
    connect_limit: Duration::from_secs(10),
};

/// A file that goes when the test ends.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("resume-{}-{name}.db", std::process::id());
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn url(&self) -> String {
        format!("sqlite:///{}", self.0.display())
    }

    fn driver(&self) -> SqliteDriver {
        SqliteDriver::from_url(&self.url()).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Loads; gives all rows, and those that were there before.
fn try_load(driver: &impl Driver, dataset: &Notes) -> Result<(u64, u64), LoadError> {
    let mut events = Vec::new();
    load(driver, dataset, OPTIONS, &dataset.stop, &mut |event| events.push(event))?;
    match events.last() {
        Some(LoadEvent::Loaded { rows, resumed_rows, .. }) => Ok((*rows, *resumed_rows)),
        other => panic!("a load ends with {other:?}"),
    }
}

/// Loads as a process does that ends in the midst of it, whatever its connections are at.
fn load_cut_short(driver: &impl Driver, cut: Cut) {
    let dataset = Notes::cut(cut);
    match catch_unwind(AssertUnwindSafe(|| try_load(driver, &dataset))) {
        Ok(Ok(rows)) => panic!("{cut:?} has cut nothing short: {rows:?}"),
        Ok(Err(error)) => assert!(!error.to_string().is_empty()),
        Err(_) => assert!(matches!(cut, Cut::PanicAt(_))),
    }
}

fn check(driver: &impl Driver) -> TableCheck {
    verify(driver, &Notes::cut(Cut::Never), OPTIONS).unwrap()
}

/// Goes on until all is there, in whatever way the loads before it were cut short; gives the rows
/// that the last of them found.
fn go_on(driver: &impl Driver, cuts: &[Cut]) -> u64 {
    assert_eq!(check(driver), TableCheck::Absent);
    for cut in cuts {
        load_cut_short(driver, *cut);
        assert_eq!(check(driver), TableCheck::Incomplete, "{cut:?}");
    }
    let (rows, resumed_rows) = try_load(driver, &Notes::cut(Cut::Never)).unwrap();
    assert_eq!(rows, ROWS, "{cuts:?}");
    // Every row is there once.
    assert_eq!(check(driver), TableCheck::Complete, "{cuts:?}");
    drop_tables(driver, &Notes::cut(Cut::Never), OPTIONS).unwrap();
    resumed_rows
}

fn loads_go_on(driver: &impl Driver) {
    assert_eq!(go_on(driver, &[]), 0);
    assert_eq!(go_on(driver, &[Cut::SecondTable]), 0);
    let resumed = go_on(driver, &[Cut::PanicAt(7), Cut::PanicAt(1), Cut::PanicAt(0)]);
    assert!(resumed < ROWS, "{resumed}");
    assert_eq!(go_on(driver, &[Cut::StopAt(2), Cut::LastStatement, Cut::LastStatement]), ROWS);
}

/// As a layer in front of a server knows no ANALYZE.
fn what_is_not_known_is_left_out(driver: &impl Driver) {
    let dataset = Notes::cut(Cut::UnknownStatement);
    let mut refused = Vec::new();
    load(driver, &dataset, OPTIONS, &dataset.stop, &mut |event| {
        if let LoadEvent::Loaded { refusals, .. } = event {
            refused = refusals;
        }
    })
    .unwrap();
    assert!(matches!(&refused[..], [words] if words.starts_with("NONSENSE: ")), "{refused:?}");
    assert_eq!(check(driver), TableCheck::Complete);
    drop_tables(driver, &dataset, OPTIONS).unwrap();
}

#[test]
fn a_load_into_sqlite_goes_on_where_it_was_cut_short() {
    let file = File::new("cut");
    loads_go_on(&file.driver());
    // One connection sends a table, five chunks of the other, and five more.
    let first_two = TAGS + 5 * CHUNK_ROWS;
    assert_eq!(go_on(&file.driver(), &[Cut::PanicAt(0)]), 0);
    assert_eq!(go_on(&file.driver(), &[Cut::StopAt(1)]), first_two);
    assert_eq!(go_on(&file.driver(), &[Cut::PanicAt(7)]), first_two);
}

#[test]
fn a_load_into_mariadb_goes_on_where_it_was_cut_short() {
    let server = mysql_server::Server::start(&[]);
    loads_go_on(&server.driver(Protocol::Prepared));
    what_is_not_known_is_left_out(&server.driver(Protocol::Prepared));
}

#[test]
fn a_load_into_mysql_goes_on_where_it_was_cut_short() {
    if let Some(server) = mysql_server::Server::start_mysql(&["--local-infile=ON"]) {
        let url = server.url().replace("/test", "/mysql");
        AdminSession::connect(&url, None).unwrap().query("CREATE DATABASE test").unwrap();
        loads_go_on(&server.driver(Protocol::Prepared));
    }
}

#[test]
fn a_load_into_postgresql_goes_on_where_it_was_cut_short() {
    let server = postgres_server::Server::start(&[]);
    loads_go_on(&server.driver(Protocol::Prepared));
    what_is_not_known_is_left_out(&server.driver(Protocol::Prepared));
}

/// The last chunk, as a loader has sent it whose COMMIT is still on its way when the next one comes.
fn a_late_commit_counts<D: Driver>(driver: &D, url: &str) {
    let stopped = Notes::cut(Cut::Never);
    stopped.stop.store(true, Ordering::Relaxed);
    let error = try_load(driver, &stopped).unwrap_err();
    assert!(matches!(error, LoadError::Stopped { is_resumable: true }), "{error}");
    let mut killed = AdminSession::connect(url, None).unwrap();
    let last = Notes::cut(Cut::Never).chunks().pop().unwrap();
    let rows: Vec<String> =
        (last.first..last.first + last.rows).map(|row| format!("({row},{})", row % TAGS)).collect();
    for sql in [
        "BEGIN".to_owned(),
        format!("INSERT INTO dbdyno_loading VALUES (1, {}, {}, NULL)", last.first, last.rows),
        format!("INSERT INTO notes VALUES {}", rows.join(",")),
    ] {
        killed.query(&sql).unwrap();
    }
    std::thread::scope(|scope| {
        let next = scope.spawn(|| try_load(driver, &Notes::cut(Cut::Never)).unwrap());
        std::thread::sleep(Duration::from_millis(500));
        assert!(!next.is_finished(), "it waits for the chunk that may yet come");
        killed.query("COMMIT").unwrap();
        let (rows, resumed_rows) = next.join().unwrap();
        assert_eq!(rows, ROWS);
        assert!(resumed_rows >= CHUNK_ROWS, "{resumed_rows}");
    });
    assert_eq!(check(driver), TableCheck::Complete);
}

#[test]
fn what_a_killed_loader_commits_late_is_not_loaded_twice_into_mariadb() {
    // Shorter than the wait: it is asked for again. Statistics lock tables of the server's own, for
    // which what makes and renames ours would wait no longer either.
    let options = ["--innodb-lock-wait-timeout=1", "--innodb-stats-auto-recalc=OFF"];
    let server = mysql_server::Server::start(&options);
    a_late_commit_counts(&server.driver(Protocol::Prepared), &server.url());
}

#[test]
fn what_a_killed_loader_commits_late_is_not_loaded_twice_into_postgresql() {
    let server = postgres_server::Server::start(&[]);
    a_late_commit_counts(&server.driver(Protocol::Prepared), &server.url());
}

#[test]
fn what_belongs_to_something_else_is_left_alone() {
    let file = File::new("other");
    let driver = file.driver();
    let dataset = Notes::cut(Cut::Never);
    let mut session = AdminSession::connect(&file.url(), None).unwrap();
    let mut count = |table: &str| {
        let answer = session.query(&format!("SELECT COUNT(*) FROM {table}")).unwrap();
        answer[0][0].clone().unwrap()
    };
    load_cut_short(&driver, Cut::StopAt(3));
    let before = count("notes");
    let other = Notes { name: "other", ..Notes::cut(Cut::Never) };
    for error in
        [try_load(&driver, &other).unwrap_err(), verify(&driver, &other, OPTIONS).unwrap_err()]
    {
        assert!(matches!(error, LoadError::OtherLoading { .. }), "{error}");
        assert!(error.to_string().contains("it was it's notes=12"), "{error}");
    }
    assert_eq!(count("notes"), before);
    // A table was removed, but not what is known of its rows.
    AdminSession::connect(&file.url(), None).unwrap().query("DROP TABLE tags").unwrap();
    let error = try_load(&driver, &dataset).unwrap_err();
    assert!(matches!(error, LoadError::Incomplete { .. }), "{error}");
    drop_tables(&driver, &dataset, OPTIONS).unwrap();
    try_load(&driver, &dataset).unwrap();
    let error = try_load(&driver, &dataset).unwrap_err();
    assert!(matches!(error, LoadError::TablePresent { .. }), "{error}");
}

#[test]
fn a_first_load_takes_nothing_for_its_own() {
    let file = File::new("first");
    let sql = "CREATE TABLE elsewhere (tag INT)";
    let mut session = AdminSession::connect(&file.url(), None).unwrap();
    session.query(sql).unwrap();
    session.query("CREATE INDEX notes_tag ON elsewhere (tag)").unwrap();
    match try_load(&file.driver(), &Notes::cut(Cut::Never)).unwrap_err() {
        LoadError::Server { error, .. } => assert_eq!(error.class(), ErrorClass::AlreadyExists),
        error => panic!("{error}"),
    }
}
