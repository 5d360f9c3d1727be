//! Loading rows into a real server.

use crate::mysql_server::Server;
use crate::support::{
    self, AWKWARD, AwkwardRows, Rows, Task, connect, execute_all, rows, run, value,
};
use contract::{BulkMethod, Connection, ErrorClass, RowSource, RowWriter, SqlError};
use driver::Protocol;

const CREATE: &str = "CREATE TABLE `lo``ad` (amount DECIMAL(12,2), text LONGTEXT, id INT PRIMARY KEY) \
                      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

type Loaded = Result<(u64, BulkMethod), SqlError>;

fn load(
    options: &[&str],
    before: &'static [&'static str],
    source: AwkwardRows,
    method: BulkMethod,
) -> (Loaded, Rows) {
    let server = Server::start(options);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[CREATE]).await;
        execute_all(&mut connection, before).await;
        let mut source = source;
        let loaded = connection.load(&mut source, method).await;
        let select = "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', id, HEX(text), amount))), \
                      SUM(text IS NULL), MAX(LENGTH(text)) FROM `lo``ad`";
        // The connection is in step with the server whatever came before.
        (loaded, rows(&mut connection, select).await)
    })
}

fn source(rows: i64) -> AwkwardRows {
    AwkwardRows {
        table: "lo`ad",
        texts: texts(),
        next: 0,
        end: rows,
        text_bytes: 0,
        is_ascii: false,
    }
}

fn texts() -> Vec<&'static str> {
    [&AWKWARD[..], &["nul\0byte"]].concat()
}

#[test]
fn both_ways_load_the_same_rows_however_awkward() {
    let native = load(&[], &[], source(60_000), BulkMethod::Auto);
    assert_eq!(native.0.unwrap(), (60_000, BulkMethod::Native));
    assert_eq!(native.1[0][0].as_deref(), Some("60000"));
    assert_eq!(native.1[0][2].as_deref(), Some("6000"), "NULLs");
    let literally = ["SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"];
    for (before, method) in [
        (&[][..], BulkMethod::Insert),
        (&literally[..], BulkMethod::Insert),
        (&literally[..], BulkMethod::Native),
    ] {
        let before: &'static [&'static str] = before.to_vec().leak();
        let other = load(&[], before, source(60_000), method);
        assert_eq!(other.0.unwrap(), (60_000, method));
        assert_eq!(other.1, native.1, "{method:?} {before:?}");
    }
}

#[test]
fn ascii_is_the_same_in_every_character_set() {
    let ascii = || AwkwardRows { is_ascii: true, ..source(1000) };
    let narrow = "ALTER TABLE `lo``ad` CONVERT TO CHARACTER SET latin1";
    let wide = "ALTER TABLE `lo``ad` CONVERT TO CHARACTER SET utf32";
    let expected = load(&[], &[], ascii(), BulkMethod::Insert).1;
    assert_eq!(load(&[], &[], ascii(), BulkMethod::Native).1, expected);
    for before in [[narrow], [wide]] {
        let before: &'static [&'static str] = before.to_vec().leak();
        let inserted = load(&[], before, ascii(), BulkMethod::Insert);
        let native = load(&[], before, ascii(), BulkMethod::Native);
        assert_eq!(native.0.unwrap(), (1000, BulkMethod::Native));
        assert_eq!(native.1, inserted.1, "{before:?}");
    }
}

#[test]
#[should_panic(expected = "the server was told that the rows of lo`ad are ASCII")]
fn a_source_that_is_wrong_about_its_text_is_found_out() {
    struct Wrong(AwkwardRows);

    impl RowSource for Wrong {
        fn table(&self) -> &str {
            self.0.table()
        }

        fn columns(&self) -> &[&'static str] {
            self.0.columns()
        }

        fn is_ascii(&self) -> bool {
            true
        }

        fn next(&mut self, row: &mut dyn RowWriter) -> bool {
            self.0.next(row)
        }
    }

    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[CREATE]).await;
        connection.load(&mut Wrong(source(100)), BulkMethod::Native).await
    })
    .unwrap();
}

#[test]
fn the_rows_are_what_the_source_gave() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    let loaded = run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[CREATE]).await;
        connection.load(&mut source(10), BulkMethod::Native).await.unwrap();
        rows(&mut connection, "SELECT text FROM `lo``ad` ORDER BY id").await
    });
    for (row, text) in loaded.iter().zip(texts()) {
        assert_eq!(row[0].as_deref(), Some(text));
    }
    assert_eq!(loaded[9][0], None);
}

#[test]
fn no_rows_are_no_error() {
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        assert_eq!(load(&[], &[], source(0), method).0.unwrap(), (0, method));
    }
}

#[test]
fn a_server_that_takes_no_local_files_gets_inserts() {
    let options = &["--local-infile=OFF"];
    let loaded = load(options, &[], source(2500), BulkMethod::Auto);
    assert_eq!(loaded.0.unwrap(), (2500, BulkMethod::Insert));
    assert_eq!(loaded.1[0][0].as_deref(), Some("2500"));
    let error = load(options, &[], source(10), BulkMethod::Native).0.unwrap_err();
    assert_eq!(error.class(), ErrorClass::AccessDenied, "{error}");
}

#[test]
fn a_setting_that_changes_after_sign_on_is_noticed() {
    let loaded = load(&[], &["SET GLOBAL local_infile = OFF"], source(10), BulkMethod::Auto);
    assert_eq!(loaded.0.unwrap(), (10, BulkMethod::Insert));
}

#[test]
fn rows_that_the_server_drops_or_changes_are_errors() {
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        let twice = &["INSERT INTO `lo``ad` (id) VALUES (7)"];
        let error = load(&[], twice, source(10), method).0.unwrap_err();
        assert_eq!((error.class(), error.code()), (ErrorClass::DuplicateKey, 1062), "{error}");
        let narrow = &["SET sql_mode = ''", "ALTER TABLE `lo``ad` MODIFY text VARCHAR(3)"];
        let error = load(&[], narrow, source(10), method).0.unwrap_err();
        assert_eq!(
            (error.class(), error.code()),
            (ErrorClass::ConstraintViolation, 1265),
            "{error}"
        );
        assert!(error.message().contains("lo`ad"), "{error}");
    }
}

#[test]
fn statements_stay_within_what_the_server_takes() {
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        let options = &["--max-allowed-packet=65536"];
        let source = AwkwardRows { next: 1, text_bytes: 20_000, ..source(100) };
        let loaded = load(options, &[], source, method);
        assert_eq!(loaded.0.unwrap(), (99, method));
        assert_eq!(loaded.1[0][0].as_deref(), Some("99"));
    }
}

#[test]
fn a_load_lets_the_other_connections_of_the_loop_work() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    let done = std::rc::Rc::new(std::cell::Cell::new(false));
    let (loader, flag) = (driver.clone(), std::rc::Rc::clone(&done));
    let load: Task<u64> = Box::new(move |handle| {
        Box::pin(async move {
            let mut connection = connect(&loader, &handle).await;
            execute_all(&mut connection, &[CREATE]).await;
            let source = &mut AwkwardRows { text_bytes: 1000, ..source(10_000) };
            let (rows, _) = connection.load(source, BulkMethod::Native).await.unwrap();
            flag.set(true);
            rows
        })
    });
    let ask: Task<u64> = Box::new(move |handle| {
        Box::pin(async move {
            let mut connection = connect(&driver, &handle).await;
            let mut answers = 0;
            while !done.get() {
                value(&mut connection, "SELECT 1").await;
                answers += 1;
            }
            answers
        })
    });
    let results = support::run_all(vec![load, ask]);
    assert_eq!(results[0], 10_000);
    assert!(results[1] > 10, "only {} answers during the load", results[1]);
}
