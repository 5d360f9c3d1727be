//! Connecting to a real server: ways in, refusals, encryption.

use crate::mysql_server::Server;
use crate::support::{
    self, Certificates, HeldPort, LIMITS, connect, execute_all, rows, run, value,
};
use contract::{Connection, Driver, ErrorClass, SqlError};
use driver::Protocol;
use driver::mysql::MysqlDriver;

fn refusal(url: &str) -> SqlError {
    support::refusal(MysqlDriver::from_url(url, None, Protocol::Prepared).unwrap())
}

#[test]
fn tcp_and_socket_lead_to_the_same_server() {
    let server = Server::start(&[]);
    let socket = format!("mysql:///test?socket={}", server.socket().display());
    for (url, is_tcp) in [(server.url(), true), (socket, false)] {
        let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
        let (version, told, kernel_timestamps) = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            let version = value(&mut connection, "SELECT VERSION()").await;
            let told = connection.server_version().to_owned();
            let kernel_timestamps = connection.has_kernel_timestamps();
            connection.close().await;
            (version, told, kernel_timestamps)
        });
        assert_eq!(version, told);
        assert!(version.contains("MariaDB"), "{version}");
        assert_eq!(kernel_timestamps, is_tcp);
    }
}

#[test]
fn a_password_is_proved_with_each_plugin_that_is_known() {
    let server = Server::start(&[]);
    let driver = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut root = connect(&driver, &handle).await;
        execute_all(&mut root, &["CREATE USER native@'%' IDENTIFIED BY 'se:cr/et'"]).await;
    });
    let url = format!("mysql://native@127.0.0.1:{}/", server.port);
    let inside = format!("mysql://native:se%3Acr%2Fet@127.0.0.1:{}/", server.port);
    for driver in [
        MysqlDriver::from_url(&url, Some("se:cr/et"), Protocol::Prepared).unwrap(),
        MysqlDriver::from_url(&inside, None, Protocol::Prepared).unwrap(),
    ] {
        let user = run(|handle| async move {
            value(&mut connect(&driver, &handle).await, "SELECT CURRENT_USER()").await
        });
        assert_eq!(user, "native@%");
    }
    let error = refusal(&url);
    assert_eq!((error.class(), error.code()), (ErrorClass::AccessDenied, 1045));
}

#[test]
fn a_plugin_that_is_not_known_is_named() {
    // Every server has this plugin built in; others are in packages that tests would have to install.
    let server = Server::start(&["--secure-auth=OFF"]);
    let driver = server.driver(Protocol::Text);
    run(|handle| async move {
        let mut root = connect(&driver, &handle).await;
        let create =
            "CREATE USER old@'%' IDENTIFIED VIA mysql_old_password USING '5d2e19393cc5ef67'";
        execute_all(&mut root, &[create]).await;
    });
    let error = refusal(&format!("mysql://old:x@127.0.0.1:{}/", server.port));
    assert_eq!(error.class(), ErrorClass::AccessDenied);
    assert!(error.message().contains("mysql_old_password"), "{error}");
}

#[test]
fn who_is_refused_learns_why() {
    let server = Server::start(&["--max-connections=10"]);
    let error = refusal(&format!("mysql://root@127.0.0.1:{}/nowhere", server.port));
    assert_eq!((error.class(), error.code()), (ErrorClass::InvalidStatement, 1049));

    let unused = HeldPort::choose();
    let port = unused.number;
    let error = refusal(&format!("mysql://root@127.0.0.1:{port}/"));
    assert_eq!((error.class(), error.code()), (ErrorClass::ConnectionRefused, 2003));
    assert!(error.message().contains(&format!("127.0.0.1:{port}")), "{error}");

    let error = refusal("mysql:///test?socket=/nowhere/at/all.sock");
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
    assert_eq!((error.class(), error.code()), (ErrorClass::TooManyConnections, 1040));
}

#[test]
fn a_server_that_does_not_commit_by_itself_is_told_to() {
    let server = Server::start(&["--autocommit=0"]);
    let driver = server.driver(Protocol::Prepared);
    let (autocommit, counts) = run(|handle| async move {
        let mut connection = connect(&driver, &handle).await;
        let autocommit = value(&mut connection, "SELECT @@autocommit").await;
        (autocommit, connection.take_statement_counts())
    });
    assert_eq!(autocommit, "1");
    assert_eq!(counts.iter().map(|count| count.executions).sum::<u64>(), 2);
}

#[test]
fn encryption_is_used_and_verified_as_asked() {
    let certificates = Certificates::make();
    let options = [
        format!("--ssl-cert={}", certificates.path("server.pem")),
        format!("--ssl-key={}", certificates.path("server.key")),
        format!("--ssl-ca={}", certificates.path("ca.pem")),
    ];
    let server = Server::start(&options.each_ref().map(String::as_str));
    let (ca, stranger) = (certificates.path("ca.pem"), certificates.path("stranger.pem"));
    let url = |host: &str, parameters: &str| {
        format!("mysql://root@{host}:{}/test?{parameters}", server.port)
    };
    for (url, is_encrypted) in [
        (url("127.0.0.1", "ssl_mode=disabled"), false),
        (url("127.0.0.1", "ssl_mode=preferred"), true),
        (url("127.0.0.1", "ssl_mode=required"), true),
        (url("127.0.0.1", &format!("ssl_mode=verify_ca&ssl_ca={ca}")), true),
        (url("localhost", &format!("ssl_mode=verify_identity&ssl_ca={ca}")), true),
    ] {
        let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
        let (cipher, long) = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            assert_eq!(value(&mut connection, "SELECT DATABASE()").await, "test");
            let cipher = rows(&mut connection, "SHOW STATUS LIKE 'Ssl_cipher'").await;
            // Far longer than the read buffer, a TLS record and what rustls holds at once.
            let long = rows(&mut connection, "SELECT REPEAT('abc', 1000000)").await;
            (cipher[0][1].clone().unwrap(), long[0][0].clone().unwrap())
        });
        assert_eq!(!cipher.is_empty(), is_encrypted, "{url}: {cipher}");
        assert!(long == "abc".repeat(1_000_000), "{url}");
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
    let options = [
        format!("--ssl-cert={}", certificates.path("called/server.pem")),
        format!("--ssl-key={}", certificates.path("called/server.key")),
    ];
    let server = Server::start(&options.each_ref().map(String::as_str));
    let url = |host: &str, mode: &str, name: &str| {
        let ca = certificates.path(&format!("{name}/server.pem"));
        format!("mysql://root@{host}:{}/test?ssl_mode={mode}&ssl_ca={ca}", server.port)
    };
    for url in
        [url("127.0.0.1", "verify_ca", "called"), url("localhost", "verify_identity", "called")]
    {
        let driver = MysqlDriver::from_url(&url, None, Protocol::Prepared).unwrap();
        let cipher = run(|handle| async move {
            let mut connection = connect(&driver, &handle).await;
            rows(&mut connection, "SHOW STATUS LIKE 'Ssl_cipher'").await[0][1].clone().unwrap()
        });
        assert!(!cipher.is_empty(), "{url}");
    }
    for url in
        [url("127.0.0.1", "verify_ca", "first"), url("127.0.0.1", "verify_identity", "called")]
    {
        let error = refusal(&url);
        assert_eq!(error.class(), ErrorClass::AccessDenied, "{url}: {error}");
        assert!(error.message().contains("certificate"), "{error}");
    }
}

#[test]
fn encryption_that_is_not_offered_is_missed_only_where_it_is_required() {
    let server = Server::start(&["--skip-ssl"]);
    let url = server.url();
    let error = refusal(&format!("{url}?ssl_mode=required"));
    assert_eq!(error.class(), ErrorClass::AccessDenied);
    assert!(error.message().contains("does not offer encryption"), "{error}");
    let preferred = format!("{url}?ssl_mode=preferred");
    let driver = MysqlDriver::from_url(&preferred, None, Protocol::Prepared).unwrap();
    run(|handle| async move { connect(&driver, &handle).await.close().await });
}
