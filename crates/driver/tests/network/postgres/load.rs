//! Loading rows into a real server.

use crate::postgres_server::Server;
use crate::support::{AWKWARD, AwkwardRows, Rows, connect, execute_all, rows, run};
use contract::{BulkMethod, Connection, ErrorClass, SqlError};
use driver::Protocol;

const TABLE: &str = "\"lo\"\"ad\"";

const CREATE: &str =
    r#"CREATE TABLE "lo""ad" (amount NUMERIC(12,2), text TEXT, id INT PRIMARY KEY)"#;

type Loaded = Result<(u64, BulkMethod), SqlError>;

fn source(rows: i64) -> AwkwardRows {
    AwkwardRows {
        table: "lo\"ad",
        texts: AWKWARD.to_vec(),
        next: 0,
        end: rows,
        text_bytes: 0,
        is_ascii: false,
    }
}

/// Loads, and describes the rows that are there then: the connection is in step with the server
/// whatever came before.
fn load(
    before: &'static [&'static str],
    source: AwkwardRows,
    method: BulkMethod,
) -> (Loaded, Rows) {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &[CREATE]).await;
        execute_all(&mut connection, before).await;
        let mut source = source;
        let loaded = connection.load(&mut source, method).await;
        let select = "SELECT COUNT(*), COUNT(text), MAX(LENGTH(text)), \
                      MD5(STRING_AGG(CONCAT_WS('|', id, text, amount), ';' ORDER BY id)) \
                      FROM \"lo\"\"ad\"";
        (loaded, rows(&mut connection, select).await)
    })
}

#[test]
fn both_ways_load_the_same_rows_however_awkward() {
    let (native, inserted) = std::thread::scope(|scope| {
        let native = scope.spawn(|| load(&[], source(45_000), BulkMethod::Auto));
        (native.join().unwrap(), load(&[], source(45_000), BulkMethod::Insert))
    });
    assert_eq!(native.0.unwrap(), (45_000, BulkMethod::Native));
    assert_eq!(inserted.0.unwrap(), (45_000, BulkMethod::Insert));
    assert_eq!(native.1, inserted.1);
    let counts = [Some("45000".to_owned()), Some("40000".to_owned())];
    assert_eq!(native.1[0][..2], counts, "every ninth is NULL");
}

#[test]
fn the_rows_are_what_the_source_gave() {
    let server = Server::start(&[]);
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        let driver = server.driver(Protocol::Prepared);
        let loaded = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let drop = "DROP TABLE IF EXISTS \"lo\"\"ad\"";
            execute_all(&mut connection, &[drop, CREATE]).await;
            connection.load(&mut source(9), method).await.unwrap();
            rows(&mut connection, "SELECT text, id, amount FROM \"lo\"\"ad\" ORDER BY id").await
        });
        for (row, text) in loaded.iter().zip(AWKWARD) {
            assert_eq!(row[0].as_deref(), Some(text), "{method:?}");
        }
        assert_eq!(loaded[8], [None, Some("8".to_owned()), Some("3.08".to_owned())]);
    }
}

#[test]
fn no_rows_are_no_error() {
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        assert_eq!(load(&[], source(0), method).0.unwrap(), (0, method));
    }
}

#[test]
fn rows_of_every_size_arrive() {
    let loaded = [BulkMethod::Native, BulkMethod::Insert].map(|method| {
        let (loaded, rows) = load(&[], AwkwardRows { text_bytes: 1_000_000, ..source(9) }, method);
        assert_eq!(loaded.unwrap(), (9, method));
        rows
    });
    assert_eq!(loaded[0], loaded[1]);
    assert!(loaded[0][0][2].as_ref().unwrap().parse::<u32>().unwrap() > 1_000_000);
}

#[test]
fn rows_that_the_server_refuses_are_errors() {
    const REFUSALS: [(&str, ErrorClass, &str); 6] = [
        ("CREATE UNIQUE INDEX ON THIS (length(text))", ErrorClass::DuplicateKey, "23505"),
        ("ALTER TABLE THIS ALTER text SET NOT NULL", ErrorClass::ConstraintViolation, "23502"),
        ("ALTER TABLE THIS ALTER text TYPE VARCHAR(3)", ErrorClass::ConstraintViolation, "22001"),
        ("ALTER TABLE THIS DROP text", ErrorClass::InvalidStatement, "42703"),
        ("ALTER TABLE THIS RENAME TO other", ErrorClass::InvalidStatement, "42P01"),
        ("SET transaction_read_only = on", ErrorClass::ReadOnly, "25006"),
    ];
    let server = Server::start(&[]);
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        for (change, class, sqlstate) in REFUSALS {
            let driver = server.driver(Protocol::Prepared);
            run(|handle| async move {
                let mut connection = connect(&driver, &handle).await;
                let change = change.replace("THIS", TABLE);
                execute_all(&mut connection, &["BEGIN", CREATE, &change, "SAVEPOINT empty"]).await;
                let error = connection.load(&mut source(40_000), method).await.unwrap_err();
                let case = format!("{method:?} {change}: {error}");
                assert_eq!((error.class(), error.sqlstate()), (class, sqlstate), "{case}");
                assert!(error.message().contains("while loading the table lo\"ad"), "{case}");
                execute_all(&mut connection, &["ROLLBACK TO empty"]).await;
                connection.rollback().await.unwrap();
            });
        }
    }
}

#[test]
fn a_text_that_the_server_cannot_store_is_refused() {
    for method in [BulkMethod::Native, BulkMethod::Insert] {
        let source = AwkwardRows { texts: vec!["nul\0byte"], ..source(3) };
        let (loaded, rows) = load(&[], source, method);
        let error = loaded.unwrap_err();
        assert!(!error.class().ends_connection(), "{method:?}: {error}");
        assert!(error.message().contains("lo\"ad"), "{method:?}: {error}");
        assert_eq!(rows[0][0].as_deref(), Some("0"));
    }
}

#[test]
fn a_load_is_part_of_an_open_transaction() {
    let (loaded, rows) = load(&["BEGIN"], source(10), BulkMethod::Native);
    assert_eq!(loaded.unwrap(), (10, BulkMethod::Native));
    assert_eq!(rows[0][0].as_deref(), Some("10"));
}
