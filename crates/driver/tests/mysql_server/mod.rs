//! A private server for one test: its own data directory, socket and port; it ends with the test,
//! also when that panics.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::cell::RefCell;
use std::fs;
use std::future::Future;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use contract::{Collect, Connection, Discard, Driver, Limits, SqlError, Statement};
use driver::mysql::{MysqlConnection, MysqlDriver, Protocol};
use eventloop::{EventLoop, Handle, Timestamp};

/// Starts with other ports before a server is given up.
const PORT_ATTEMPTS: usize = 3;

/// The rows of an answer as text.
pub type Rows = Vec<Vec<Option<String>>>;

/// A task for a loop, where tasks of different kinds stand in one list.
pub type Task<T> = Box<dyn FnOnce(Handle) -> Pin<Box<dyn Future<Output = T>>>>;

/// Longer than anything in these tests takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub const LIMITS: Limits =
    Limits { connect: Duration::from_secs(20), statement: Duration::from_secs(20) };

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
    process: Child,
    directory: PathBuf,
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
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("dbdyno-mysql-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        copy_directory(&product.template(), &directory.join("data"));
        for _ in 0..PORT_ATTEMPTS {
            let mut server = Self::launch(product, options, directory.clone());
            if server.comes_up() {
                return server;
            }
            // Somebody else may have taken the port meanwhile; its files are there for another try.
            std::mem::forget(server);
        }
        let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
        panic!("the server does not come up:\n{log}");
    }

    fn launch(product: Product, options: &[&str], directory: PathBuf) -> Self {
        let port = free_port();
        let log = fs::File::create(directory.join("log")).unwrap();
        let process = product
            .server()
            .arg(format!("--datadir={}", directory.join("data").display()))
            .arg(format!("--socket={}", directory.join("socket").display()))
            .arg(format!("--pid-file={}", directory.join("pid").display()))
            .arg(format!("--port={port}"))
            .args(["--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        Self { process, directory, port }
    }

    /// Waits until the server can be reached; false when it ended instead. Its own socket is looked
    /// at: at the port, another test's server might answer.
    fn comes_up(&mut self) -> bool {
        let start = Instant::now();
        while UnixStream::connect(self.socket()).is_err() {
            if self.process.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(start.elapsed() < PATIENCE, "the server neither comes up nor ends");
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    pub fn socket(&self) -> PathBuf {
        self.directory.join("socket")
    }

    pub fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/test", self.port)
    }

    pub fn driver(&self, protocol: Protocol) -> MysqlDriver {
        MysqlDriver::from_url(&self.url(), None, protocol).unwrap()
    }

    /// Ends the server without a goodbye, as a crash does.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Root must say that it means it.
fn user_option() -> Option<&'static str> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|metadata| {
        use std::os::unix::fs::MetadataExt;
        metadata.uid() == 0
    });
    is_root.then_some("--user=root")
}

fn binary(name: &str) -> PathBuf {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':')
        .chain(["/usr/sbin", "/usr/local/sbin"])
        .map(|directory| Path::new(directory).join(name))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| panic!("{name} is missing: install the package mariadb-server"))
}

impl Product {
    /// The server's program with the options that come before all others.
    fn server(self) -> Command {
        let mut command = match self {
            Self::MariaDb => {
                let mut command = Command::new(binary("mariadbd"));
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

    /// A data directory that was initialized once for all tests with this version of the server.
    fn template(self) -> PathBuf {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let version = self.server().arg("--version").output().unwrap().stdout;
        let version = String::from_utf8_lossy(&version);
        let name: String = version.chars().filter(char::is_ascii_alphanumeric).collect();
        let template = build_directory().join(&name[name.len().saturating_sub(80)..]);
        if template.is_dir() {
            return template;
        }
        let unfinished = template.with_extension(std::process::id().to_string());
        self.initialize(&unfinished);
        // Another test file may have been faster.
        if fs::rename(&unfinished, &template).is_err() {
            fs::remove_dir_all(&unfinished).unwrap();
        }
        template
    }

    fn initialize(self, directory: &Path) {
        let mut command = match self {
            Self::MariaDb => {
                let mut command = Command::new(binary("mariadb-install-db"));
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
            command.arg(format!("--datadir={}", directory.display())).output().unwrap();
        assert!(initialized.status.success(), "{}", String::from_utf8_lossy(&initialized.stderr));
        if matches!(self, Self::MariaDb) {
            // A database is a directory there; in MySQL it is more, and has to be created.
            fs::create_dir_all(directory.join("test")).unwrap();
        }
    }
}

fn build_directory() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Where `MySQL` is installed; installs it if that was not done yet. None where it can't be had
/// (another system than Debian, no archive in reach), which is said past the capture of output, so
/// that it is seen although the test passes.
fn mysql_sid() -> Option<&'static Path> {
    static INSTALLED: OnceLock<Option<PathBuf>> = OnceLock::new();
    INSTALLED.get_or_init(install_mysql_sid).as_deref()
}

fn install_mysql_sid() -> Option<PathBuf> {
    let directory = build_directory().join("mysql-sid");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/servers/mysql-sid.sh");
    let installed = Command::new("sh").arg(script).arg(&directory).output().unwrap();
    if installed.status.success() {
        return Some(directory);
    }
    let complaint = String::from_utf8_lossy(&installed.stderr);
    let words = format!("NOT TESTED: the driver on MySQL, which can't be had here: {complaint}\n");
    std::io::stderr().write_all(words.as_bytes()).unwrap();
    None
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Runs tasks on a loop until all have ended, and gives back what they gave.
pub fn run_all<T, F, Fut>(tasks: Vec<F>) -> Vec<T>
where
    T: 'static,
    F: FnOnce(Handle) -> Fut,
    Fut: Future<Output = T> + 'static,
{
    let mut event_loop = EventLoop::new().unwrap();
    let results: Vec<Rc<RefCell<Option<T>>>> = tasks
        .into_iter()
        .map(|task| {
            let result = Rc::new(RefCell::new(None));
            let place = Rc::clone(&result);
            let future = task(event_loop.handle());
            event_loop.spawn(async move {
                let value = future.await;
                *place.borrow_mut() = Some(value);
            });
            result
        })
        .collect();
    let start = Instant::now();
    while event_loop.live_tasks() > 0 {
        assert!(start.elapsed() < PATIENCE, "a task does not end");
        event_loop.turn(Timestamp(u64::MAX)).unwrap();
    }
    results.into_iter().map(|result| result.borrow_mut().take().unwrap()).collect()
}

/// Runs one task.
pub fn run<T, F, Fut>(task: F) -> T
where
    T: 'static,
    F: FnOnce(Handle) -> Fut,
    Fut: Future<Output = T> + 'static,
{
    run_all(vec![task]).remove(0)
}

/// Connects, which must succeed.
pub async fn connect(driver: &MysqlDriver, handle: &Handle) -> MysqlConnection {
    driver.connect(handle, LIMITS).await.unwrap()
}

/// Executes statements that must succeed.
pub async fn execute_all(connection: &mut MysqlConnection, statements: &[&str]) {
    for sql in statements {
        connection.query(sql, &mut Discard).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
}

/// All rows of a query.
pub async fn rows(connection: &mut MysqlConnection, sql: &str) -> Rows {
    let mut rows = Collect::default();
    connection.query(sql, &mut rows).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.rows
}

/// The first field of a query's first row.
pub async fn value(connection: &mut MysqlConnection, sql: &str) -> String {
    rows(connection, sql).await[0][0].clone().unwrap()
}

/// Statements to prepare.
pub fn statements(texts: &[&str]) -> Rc<[Statement]> {
    texts.iter().map(|sql| Statement { sql: (*sql).to_owned() }).collect()
}

/// The error of a query that must fail.
pub async fn query_error(connection: &mut MysqlConnection, sql: &str) -> SqlError {
    connection.query(sql, &mut Discard).await.expect_err(sql)
}
