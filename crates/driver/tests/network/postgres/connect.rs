//! Connecting to a real server: ways in, refusals, encryption.

use std::fs;
use std::path::Path;

use crate::postgres_server::Server;
use crate::support::{
    self, Certificates, HeldPort, LIMITS, connect, execute_all, rows, run, value,
};
use contract::{Connection, Driver, ErrorClass, SqlError};
use driver::Protocol;
use driver::postgres::PostgresDriver;

fn driver(url: &str) -> PostgresDriver {
    PostgresDriver::from_url(url, None, Protocol::Prepared).unwrap()
}

fn refusal(url: &str) -> SqlError {
    support::refusal(driver(url))
}

/// The one value of a query on a new connection.
fn answer(driver: PostgresDriver, sql: &'static str) -> String {
    run(|handle| async move { value(&mut connect(&driver, &handle).await, sql).await })
}

/// A user for each way to prove who one is, all with the same password.
const USERS: [&str; 5] = [
    "CREATE USER scram PASSWORD 'se:cr/et'",
    "CREATE USER password PASSWORD 'se:cr/et'",
    "CREATE USER gss",
    "SET password_encryption = 'md5'",
    "CREATE USER md5 PASSWORD 'se:cr/et'",
];

fn create_users(server: &Server) {
    let driver = server.driver(Protocol::Text);
    run(|handle| async move { execute_all(&mut connect(&driver, &handle).await, &USERS).await });
}

#[test]
fn tcp_and_socket_lead_to_the_same_server() {
    let server = Server::start(&[]);
    let (folder, port) = (server.socket_folder().display(), server.port);
    let sockets = [
        format!("postgresql://localhost:{port}/postgres?socket={folder}"),
        format!("postgresql:///postgres?socket={folder}/.s.PGSQL.{port}"),
    ];
    let [by_folder, by_file] = sockets;
    for (url, is_tcp) in [(server.url(), true), (by_folder, false), (by_file, false)] {
        let driver = driver(&url);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let version = value(&mut connection, "SHOW server_version").await;
            assert_eq!(connection.server_version(), format!("PostgreSQL {version}"));
            assert_eq!(connection.has_kernel_timestamps(), is_tcp);
            let address = rows(&mut connection, "SELECT inet_server_addr()").await;
            assert_eq!(address[0][0].is_some(), is_tcp);
            connection.close().await;
        });
    }
}

#[test]
fn a_session_is_as_the_driver_needs_it_whatever_the_servers_defaults() {
    let defaults = ["standard_conforming_strings=off", "client_encoding=LATIN1"];
    let server = Server::start(&defaults);
    let driver = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        connection.prepare(&support::statements(&["SELECT ?::text"])).await.unwrap();
        let mut answer = contract::Collect::default();
        let values = [contract::Value::Text("\\' 🚀")];
        connection.execute(0, &values, &mut answer).await.unwrap();
        assert_eq!(answer.rows, [[Some("\\' 🚀".to_owned())]]);
    });
}

#[test]
fn a_password_is_proved_by_each_method_that_hides_it() {
    let server = Server::start(&[]);
    create_users(&server);
    for user in ["scram", "md5"] {
        let url = server.url_of(user);
        let beside = PostgresDriver::from_url(&url, Some("se:cr/et"), Protocol::Prepared).unwrap();
        let inside = driver(&server.url_of(&format!("{user}:se%3Acr%2Fet")));
        for driver in [beside, inside] {
            assert_eq!(answer(driver, "SELECT current_user"), user);
        }
        let error = refusal(&server.url_of(&format!("{user}:wrong")));
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28P01"));
        assert!(error.message().contains("password authentication failed"), "{error}");
        let error = refusal(&url);
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28P01"));
        assert!(
            error.message().contains("for the user") && error.message().contains("none is given"),
            "{error}"
        );
    }
}

#[test]
fn what_cannot_be_answered_is_refused_by_name() {
    let server = Server::start(&[]);
    create_users(&server);
    for (user, expected) in [
        ("password:se%3Acr%2Fet", "which is not sent without encryption"),
        ("gss", "its method is GSSAPI (7)"),
        ("reject", "pg_hba.conf rejects connection"),
    ] {
        let error = refusal(&server.url_of(user));
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28000"));
        assert!(error.message().contains(expected), "{error}");
    }
}

#[test]
fn who_is_refused_learns_why() {
    let server = Server::start(&["max_connections=5"]);
    let error = refusal(&server.url_of("nobody:x"));
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28P01"));

    let error = refusal(&format!("postgresql://postgres@127.0.0.1:{}/nowhere", server.port));
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::InvalidStatement, "3D000"));
    assert!(error.message().contains("\"nowhere\" does not exist"), "{error}");

    let error = refusal(&server.url_of("with%00zero"));
    assert_eq!(error.class(), ErrorClass::AccessDenied);

    let unused = HeldPort::choose();
    let port = unused.number;
    let error = refusal(&format!("postgresql://127.0.0.1:{port}/"));
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::ConnectionRefused, "08001"));
    assert!(error.message().contains(&format!("127.0.0.1:{port}")), "{error}");

    let error = refusal("postgresql:///test?socket=/nowhere/at/all");
    assert_eq!(error.class(), ErrorClass::ConnectionRefused);

    let driver = server.driver(Protocol::Prepared);
    let error = run(|handle| async move {
        let mut connections = Vec::new();
        loop {
            match driver.connect(&handle, LIMITS).await {
                Ok(connection) => connections.push(connection),
                Err(error) => return error,
            }
        }
    });
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::TooManyConnections, "53300"));
}

#[test]
fn a_server_that_is_not_ready_refuses() {
    // A standby that takes no queries waits for its primary for ever.
    let standby = |data: &Path| fs::write(data.join("standby.signal"), "").unwrap();
    let server = Server::start_prepared(&["hot_standby=off"], standby);
    let error = refusal(&server.url());
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::ConnectionRefused, "57P03"));
    assert!(error.message().contains("not accepting connections"), "{error}");
}

/// A server that encrypts.
fn encrypting(certificates: &Certificates) -> Server {
    encrypting_with(certificates, "")
}

/// A server that encrypts with a certificate in this folder.
fn encrypting_with(certificates: &Certificates, folder: &str) -> Server {
    let install = |data: &Path| {
        for name in ["server.pem", "server.key"] {
            let from = Path::new(&certificates.path(folder)).join(name);
            fs::copy(from, data.join(name)).unwrap();
        }
    };
    let settings = ["ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key"];
    Server::start_prepared(&settings, install)
}

#[test]
fn encryption_is_used_and_verified_as_asked() {
    let certificates = Certificates::make();
    let server = encrypting(&certificates);
    let (ca, stranger) = (certificates.path("ca.pem"), certificates.path("stranger.pem"));
    let url = |host: &str, parameters: &str| {
        format!("postgresql://{host}:{}/postgres?{parameters}", server.port)
    };
    for (url, is_encrypted) in [
        (url("127.0.0.1", "ssl_mode=disabled"), false),
        (url("127.0.0.1", "sslmode=prefer"), true),
        (url("127.0.0.1", "ssl_mode=required"), true),
        (url("127.0.0.1", &format!("ssl_mode=verify_ca&ssl_ca={ca}")), true),
        (url("localhost", &format!("ssl_mode=verify_identity&ssl_ca={ca}")), true),
        (url("localhost", &format!("sslmode=verify-full&sslrootcert={ca}")), true),
    ] {
        let driver = driver(&url);
        run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let ssl = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            let ssl = value(&mut connection, ssl).await;
            assert_eq!(ssl == "t", is_encrypted, "{url}");
            // Far longer than the read buffer, a TLS record and what rustls holds at once.
            let long = value(&mut connection, "SELECT REPEAT('abc', 1000000)").await;
            assert!(long == "abc".repeat(1_000_000), "{url}");
        });
    }
    for url in [
        url("127.0.0.1", &format!("ssl_mode=verify_ca&ssl_ca={stranger}")),
        url("127.0.0.1", &format!("ssl_mode=verify_identity&ssl_ca={ca}")),
    ] {
        let error = refusal(&url);
        assert_eq!(error.class(), ErrorClass::AccessDenied, "{url}: {error}");
        assert!(error.message().contains("certificate"), "{error}");
    }
}

#[test]
fn a_certificate_that_is_itself_trusted_needs_no_authority() {
    let certificates = Certificates::self_signed();
    let trusted = |name: &str| certificates.path(&format!("{name}/server.pem"));
    // What is said to verify-ca on 127.0.0.1, and to verify-full on localhost and on 127.0.0.1.
    let name_differs = "not valid for name";
    for (name, authority, localhost, address) in [
        ("named", "", "", name_differs),
        ("called", "", "", name_differs),
        ("first", "", "", name_differs),
        ("other", "", name_differs, name_differs),
        ("expired", "expired", "expired", "expired"),
    ] {
        let server = encrypting_with(&certificates, name);
        for (host, mode, ca, refused) in [
            ("127.0.0.1", "verify-ca", name, authority),
            ("localhost", "verify-full", name, localhost),
            ("127.0.0.1", "verify-full", name, address),
            // Another one of the same subject, with a key of its own.
            (
                "127.0.0.1",
                "verify-ca",
                if name == "called" { "first" } else { "called" },
                "not in the file",
            ),
        ] {
            let url = format!(
                "postgresql://{host}:{}/postgres?sslmode={mode}&sslrootcert={}",
                server.port,
                trusted(ca)
            );
            if refused.is_empty() {
                let ssl = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
                assert_eq!(answer(driver(&url), ssl), "t", "{url}");
            } else {
                let error = refusal(&url);
                assert_eq!(error.class(), ErrorClass::AccessDenied, "{url}: {error}");
                assert!(error.message().contains(refused), "{url}: {error}");
            }
        }
    }
}

#[test]
fn encryption_hides_a_password_that_the_server_wants_to_see() {
    let certificates = Certificates::make();
    let server = encrypting(&certificates);
    create_users(&server);
    for user in ["password", "scram", "md5"] {
        let url = server.url_of(&format!("{user}:se%3Acr%2Fet"));
        let is_allowed = "ssl_mode=required&enable_cleartext_plugin=true";
        let encrypted = driver(&format!("{url}?{is_allowed}"));
        assert_eq!(answer(encrypted, "SELECT current_user"), user);
        if user == "password" {
            let error = refusal(&format!("{url}?ssl_mode=required"));
            assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28000"));
            assert!(error.message().contains("it was not verified"), "{error}");
        } else {
            let encrypted = driver(&format!("{url}?ssl_mode=required"));
            assert_eq!(answer(encrypted, "SELECT current_user"), user);
        }
        let ca = certificates.path("ca.pem");
        let verified = driver(&format!("{url}?ssl_mode=verify_ca&ssl_ca={ca}"));
        assert_eq!(answer(verified, "SELECT current_user"), user);
    }
    let wrong = server.url_of("password:wrong");
    let error = refusal(&format!("{wrong}?ssl_mode=required&enable_cleartext_plugin=true"));
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::AccessDenied, "28P01"));
}

#[test]
fn encryption_that_is_not_offered_is_missed_only_where_it_is_required() {
    let server = Server::start(&["ssl=off"]);
    let url = server.url();
    let error = refusal(&format!("{url}?ssl_mode=required"));
    assert_eq!(error.class(), ErrorClass::AccessDenied);
    assert!(error.message().contains("does not offer encryption"), "{error}");
    assert_eq!(answer(driver(&format!("{url}?ssl_mode=preferred")), "SELECT 1"), "1");
}

#[test]
fn options_of_the_url_are_set_at_sign_on() {
    let server = Server::start(&[]);
    let options = "options=-c%20geqo%3Doff%20--work_mem=5MB&search_path=a,b";
    for (url, name) in [
        (format!("{}?{options}", server.url()), "dbdyno"),
        (format!("{}?{options}&application_name=night%20run", server.url()), "night run"),
    ] {
        let asked = "SELECT concat_ws(' ', current_setting('geqo'), current_setting('work_mem'), \
                     current_setting('search_path'), current_setting('application_name'))";
        assert_eq!(answer(driver(&url), asked), format!("off 5MB a,b {name}"));
    }
}
