//! A private server for one test: its own data directory, socket and port; it ends with the test,
//! also when that panics.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use driver::Protocol;
use driver::mysql::MysqlDriver;

use crate::support::{Process, binary, is_root, template};

/// Which server.
#[derive(Clone, Copy, Debug)]
enum Product {
    /// The system's `MariaDB`.
    MariaDb,
    /// `MySQL` as Debian's unstable suite has it today.
    MySql,
}

/// A running server with the empty database `test`.
pub struct Server {
    process: Process,
    pub port: u16,
}

impl Server {
    /// Starts a `MariaDB` with more options than the usual ones.
    pub fn start(options: &[&str]) -> Self {
        let usual =
            ["--skip-name-resolve", "--performance-schema=OFF", "--innodb-log-file-size=8M"];
        Self::start_product(Product::MariaDb, &[&usual, options].concat())
    }

    /// Starts a `MySQL`; None where there is none to be had.
    pub fn start_mysql(options: &[&str]) -> Option<Self> {
        let usual = ["--mysqlx=OFF", "--performance-schema=OFF"];
        mysql_sid()?;
        Some(Self::start_product(Product::MySql, &[&usual, options].concat()))
    }

    fn start_product(product: Product, options: &[&str]) -> Self {
        let command = |directory: &Path, port| product.start(directory, port, options);
        // Its own socket is looked at: at the port, another test's server might answer.
        let is_up = |directory: &Path| UnixStream::connect(directory.join("socket")).is_ok();
        let process = Process::start(&product.template(), |_| {}, command, is_up);
        Self { port: process.port.number, process }
    }

    pub fn socket(&self) -> PathBuf {
        self.process.directory.join("socket")
    }

    pub fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/test", self.port)
    }

    pub fn driver(&self, protocol: Protocol) -> MysqlDriver {
        MysqlDriver::from_url(&self.url(), None, protocol).unwrap()
    }

    /// Ends the server without a goodbye, as a crash does.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}

/// Root must say that it means it.
fn user_option() -> Option<&'static str> {
    is_root().then_some("--user=root")
}

fn mariadb(name: &str) -> Command {
    Command::new(binary(
        name,
        &["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from),
        "mariadb-server",
    ))
}

impl Product {
    /// The server's program with the options that come before all others.
    fn server(self) -> Command {
        let mut command = match self {
            Self::MariaDb => {
                let mut command = mariadb("mariadbd");
                command.arg("--no-defaults");
                command
            }
            Self::MySql => {
                Command::new(mysql_sid().expect("asked for only where it is").join("mysqld"))
            }
        };
        command.args(user_option());
        command
    }

    fn start(self, directory: &Path, port: u16, options: &[&str]) -> Command {
        let mut command = self.server();
        command
            .arg(format!("--datadir={}", directory.join("data").display()))
            .arg(format!("--socket={}", directory.join("socket").display()))
            .arg(format!("--pid-file={}", directory.join("pid").display()))
            .arg(format!("--tmpdir={}", directory.display()))
            .arg(format!("--secure-file-priv={}", directory.display()))
            .arg(format!("--port={port}"))
            .args(["--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0"])
            .args(options);
        command
    }

    /// A data directory that was initialized once for all tests with this version of the server.
    fn template(self) -> PathBuf {
        let version = self.server().arg("--version").output().unwrap().stdout;
        template(&version, |directory| self.initialize(directory))
    }

    fn initialize(self, directory: &Path) {
        let mut command = match self {
            Self::MariaDb => {
                let mut command = mariadb("mariadb-install-db");
                command.args(["--no-defaults", "--auth-root-authentication-method=normal"]);
                command.args([
                    "--skip-test-db",
                    "--skip-name-resolve",
                    "--innodb-log-file-size=8M",
                ]);
                command.args(user_option());
                command
            }
            Self::MySql => {
                let mut command = self.server();
                command.arg("--initialize-insecure");
                command
            }
        };
        let initialized =
            // Servers that share a folder for temporary tables remove each other's.
            command
                .arg(format!("--datadir={}", directory.display()))
                .arg(format!("--tmpdir={}", directory.parent().unwrap().display()))
                .output()
                .unwrap();
        assert!(initialized.status.success(), "{}", String::from_utf8_lossy(&initialized.stderr));
        if matches!(self, Self::MariaDb) {
            // A database is a directory there; in MySQL it is more, and has to be created.
            fs::create_dir_all(directory.join("test")).unwrap();
        }
    }
}

/// Where `MySQL` is installed; installs it if that was not done yet. None where it can't be had
/// (another system than Debian, no archive in reach), which is said past the capture of output, so
/// that it is seen although the test passes.
fn mysql_sid() -> Option<&'static Path> {
    static INSTALLED: OnceLock<Option<PathBuf>> = OnceLock::new();
    INSTALLED.get_or_init(install_mysql_sid).as_deref()
}

fn install_mysql_sid() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mysql-sid");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/servers/mysql-sid.sh");
    // The tests in Python install it too, and may run at the same time: they hold the same lock.
    fs::create_dir_all(&directory).unwrap();
    let lock = fs::File::create(directory.join("lock")).unwrap();
    lock.lock().unwrap();
    let installed = Command::new("sh").arg(script).arg(&directory).output().unwrap();
    if installed.status.success() {
        return Some(directory);
    }
    let complaint = String::from_utf8_lossy(&installed.stderr);
    let words = format!("NOT TESTED: the driver on MySQL, which can't be had here: {complaint}\n");
    std::io::stderr().write_all(words.as_bytes()).unwrap();
    None
}
