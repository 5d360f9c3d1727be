//! What `MySQL` does otherwise than `MariaDB`: passwords, end-of-rows packets, columns sent each time.

use crate::mysql_server::Server;
use crate::support::{LIMITS, connect, execute_all, rows, run, statements, value};
use contract::{
    BulkMethod, Collect, Connection, Discard, Driver, ErrorClass, Executed, RowSource, RowWriter,
    Value,
};
use driver::Protocol;
use driver::mysql::MysqlDriver;

fn root(server: &Server, protocol: Protocol) -> MysqlDriver {
    let url = format!("mysql://root@127.0.0.1:{}/", server.port);
    MysqlDriver::from_url(&url, None, protocol).unwrap()
}

#[test]
fn a_password_reaches_the_server_in_every_way_that_hides_it() {
    let Some(server) = Server::start_mysql(&[]) else { return };
    let open = format!("127.0.0.1:{}/", server.port);
    let ways = [
        ("open", "caching_sha2_password", format!("{open}?get_server_public_key=true")),
        ("tls", "caching_sha2_password", format!("{open}?ssl_mode=required")),
        (
            "local",
            "caching_sha2_password",
            format!("localhost/?socket={}", server.socket().display()),
        ),
        // Not the plugin of the server's greeting: it asks for a change.
        ("other", "sha256_password", format!("{open}?get_server_public_key=true")),
        ("other_tls", "sha256_password", format!("{open}?ssl_mode=required")),
    ];
    for (user, plugin, place) in ways {
        let driver = root(&server, Protocol::Text);
        run(|handle| async move {
            let mut root = connect(&driver, &handle).await;
            let create = format!("CREATE USER {user}@'%' IDENTIFIED WITH {plugin} BY 'se/cret'");
            execute_all(&mut root, &[&create]).await;
        });
        // First with a password that the server has to check in full, then from its cache.
        for _ in 0..2 {
            let url = format!("mysql://{user}:se%2Fcret@{place}");
            let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
            let name = run(|handle| async move {
                value(&mut connect(&driver, &handle).await, "SELECT CURRENT_USER()").await
            });
            assert_eq!(name, format!("{user}@%"));
        }
        let url = format!("mysql://{user}:wrong@{place}");
        let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
        let error =
            run(|handle| async move { driver.connect(&handle, LIMITS).await.err().unwrap() });
        assert_eq!((error.class(), error.code()), (ErrorClass::AccessDenied, 1045), "{error}");
    }
}

#[test]
fn encryption_is_used_where_it_is_preferred() {
    let Some(server) = Server::start_mysql(&[]) else { return };
    for (mode, is_encrypted) in [("preferred", true), ("disabled", false)] {
        let url = format!("mysql://root@127.0.0.1:{}/?ssl_mode={mode}", server.port);
        let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
        let cipher = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            rows(&mut connection, "SHOW STATUS LIKE 'Ssl_cipher'").await
        });
        assert_eq!(cipher[0][1].as_deref() != Some(""), is_encrypted);
    }
}

#[test]
fn both_protocols_give_the_same_answers() {
    let Some(server) = Server::start_mysql(&[]) else { return };
    let answers = [Protocol::Prepared, Protocol::Text].map(|protocol| {
        let driver = root(&server, protocol);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let setup = [
                "DROP DATABASE IF EXISTS d",
                "CREATE DATABASE d",
                "USE d",
                "CREATE TABLE t (id INT PRIMARY KEY, amount DECIMAL(10,2), moment DATETIME(3), \
                 text VARCHAR(20), document JSON)",
                "INSERT INTO t VALUES (1, -1.50, '2026-02-03 04:05:06.789', 'π', '{\"a\": 1}'), \
                 (2, NULL, NULL, NULL, NULL)",
            ];
            execute_all(&mut connection, &setup).await;
            let texts =
                ["SELECT *, ? FROM t WHERE id <= ?", "UPDATE t SET amount = ? WHERE id = ?"];
            connection.prepare(&statements(&texts)).await.unwrap();
            let mut answer = Collect::default();
            for text in ["a'b", "c\\d"] {
                let values = [Value::Text(text), Value::Int(2)];
                let executed = connection.execute(0, &values, &mut Discard).await.unwrap();
                assert_eq!(executed, Executed::Rows(2));
                connection.execute(0, &values, &mut answer).await.unwrap();
            }
            let values = [Value::Text("7.25"), Value::Int(2)];
            let executed = connection.execute(1, &values, &mut Discard).await.unwrap();
            assert_eq!(executed, Executed::Affected(1));
            answer.rows
        })
    });
    assert_eq!(answers[0], answers[1]);
    let expected = ["1", "-1.50", "2026-02-03 04:05:06.789", "π", "{\"a\": 1}", "a'b"]
        .map(|s| Some(s.to_owned()));
    assert_eq!(answers[0][0], expected);
}

struct Numbers(i64);

impl RowSource for Numbers {
    fn table(&self) -> &'static str {
        "numbers"
    }

    fn columns(&self) -> &[&'static str] {
        &["id", "text"]
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        if self.0 == 25_000 {
            return false;
        }
        self.0 += 1;
        row.int(self.0);
        row.text("some\ttext");
        true
    }
}

#[test]
fn rows_are_loaded_as_the_server_allows() {
    let Some(server) = Server::start_mysql(&[]) else { return };
    let driver = root(&server, Protocol::Prepared);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        execute_all(&mut connection, &["CREATE DATABASE d", "USE d"]).await;
        for (setting, expected) in [("OFF", BulkMethod::Insert), ("ON", BulkMethod::Native)] {
            let set = format!("SET GLOBAL local_infile = {setting}");
            let create = "CREATE TABLE numbers (id INT PRIMARY KEY, text VARCHAR(20))";
            execute_all(&mut connection, &[&set, create]).await;
            let loaded = connection.load(&mut Numbers(0), BulkMethod::Auto).await.unwrap();
            assert_eq!(loaded, (25_000, expected));
            let count =
                value(&mut connection, "SELECT COUNT(*) FROM numbers WHERE text LIKE '%\t%'");
            assert_eq!(count.await, "25000");
            execute_all(&mut connection, &["DROP TABLE numbers"]).await;
        }
    });
}
