//! A private `PostgreSQL` for one test: its own data directory, socket and port; it ends with the
//! test, also when that panics.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use driver::Protocol;
use driver::postgres::PostgresDriver;
use rustix::process::Signal;

use crate::support::{Process, binary, copy_directory, is_root, template};

/// Who signs on how: the users are called as their methods. Others than `postgres` have to be made.
const HOST_BASED_AUTHENTICATION: &str = "
local all all                   trust
host  all postgres 127.0.0.1/32 trust
host  all md5      127.0.0.1/32 md5
host  all password 127.0.0.1/32 password
host  all gss      127.0.0.1/32 gss
host  all reject   127.0.0.1/32 reject
host  all all      127.0.0.1/32 scram-sha-256
";

/// What every server is started with: durable and large it need not be.
const USUAL_OPTIONS: [&str; 6] = [
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "shared_buffers=16MB",
    "max_connections=20",
    "wal_level=minimal",
    "max_wal_senders=0",
];

/// The server does not run as root, but as this user, whom its packages make.
const USER: &str = "postgres";

/// A running server with the user and the database `postgres`.
pub struct Server {
    process: Process,
    pub port: u16,
}

impl Server {
    /// Starts a server with more settings than the usual ones, each as `name=value`.
    pub fn start(settings: &[&str]) -> Self {
        Self::start_prepared(settings, |_| {})
    }

    /// Lets `prepare` change the data directory before the server sees it.
    pub fn start_prepared(settings: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        let prepare = |directory: &Path| {
            let data = directory.join("data");
            fs::write(data.join("pg_hba.conf"), HOST_BASED_AUTHENTICATION).unwrap();
            prepare(&data);
            give_away(directory);
        };
        let command = |directory: &Path, port| start(directory, port, settings);
        let process = Process::start(&data_template(), prepare, command, is_up);
        Self { port: process.port.number, process }
    }

    /// The folder of its Unix socket.
    pub fn socket_folder(&self) -> &Path {
        &self.process.directory
    }

    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The URL for somebody: `user` or `user:password`.
    pub fn url_of(&self, user: &str) -> String {
        format!("postgresql://{user}@127.0.0.1:{}/postgres", self.port)
    }

    pub fn driver(&self, protocol: Protocol) -> PostgresDriver {
        PostgresDriver::from_url(&self.url(), None, protocol).unwrap()
    }
}

impl Drop for Server {
    /// Quits at once, without writing what is in memory, but not without cleaning up.
    fn drop(&mut self) {
        self.process.signal(Signal::QUIT);
        self.process.wait();
        // One that was killed would leave this behind until the machine's next start.
        if let Some(segment) = shared_memory(&self.process.directory) {
            let _ = Command::new("ipcrm").args(["--shmem-id", &segment]).status();
        }
    }
}

fn start(directory: &Path, port: u16, settings: &[&str]) -> Command {
    let mut command = unprivileged("postgres");
    command.arg("-D").arg(directory.join("data"));
    command.arg("-k").arg(directory).arg("-p").arg(port.to_string());
    for setting in USUAL_OPTIONS.iter().chain(settings) {
        command.args(["-c", setting]);
    }
    command
}

/// The server writes into a file how far it is. One in the state `standby` refuses connections.
fn is_up(directory: &Path) -> bool {
    matches!(noted(directory, 7).as_deref(), Some("ready" | "standby"))
}

/// The number of the shared memory that guards the data directory.
fn shared_memory(directory: &Path) -> Option<String> {
    noted(directory, 6)?.split_whitespace().nth(1).map(str::to_owned)
}

fn noted(directory: &Path, line: usize) -> Option<String> {
    let notes = fs::read_to_string(directory.join("data/postmaster.pid")).ok()?;
    notes.lines().nth(line).map(|line| line.trim().to_owned())
}

/// One of the server's programs, for whoever may run it.
fn unprivileged(name: &str) -> Command {
    let program = binary(name, &newest_programs(), "postgresql");
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", USER, "--regid", USER, "--init-groups"]).arg(program);
    // Where the tests run, that user may not be allowed to look.
    command.current_dir("/");
    command
}

/// Debian keeps the programs of each version apart and out of the PATH.
fn newest_programs() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|version| version.path()).max_by_key(number);
    newest.into_iter().map(|version| version.join("bin")).collect()
}

/// Has everything in a directory belong to the user who runs the server.
fn give_away(directory: &Path) {
    if is_root() {
        let owner = format!("{USER}:{USER}");
        let given = Command::new("chown").args(["-R", &owner]).arg(directory).status().unwrap();
        assert!(given.success(), "{} can't be given to {USER}", directory.display());
    }
}

/// A data directory that was initialized once for all tests with this version of the server.
fn data_template() -> PathBuf {
    let version = unprivileged("postgres").arg("--version").output().unwrap().stdout;
    template(&version, |directory| {
        // The server's user may have no access to where templates are kept.
        let name = format!("dbdyno-initialize-{}", std::process::id());
        let reachable = std::env::temp_dir().join(name);
        fs::create_dir(&reachable).unwrap();
        give_away(&reachable);
        initialize(&reachable.join("data"));
        copy_directory(&reachable.join("data"), directory);
        fs::remove_dir_all(&reachable).unwrap();
    })
}

fn initialize(directory: &Path) {
    let mut command = unprivileged("initdb");
    command.arg("-D").arg(directory).args(["--username=postgres", "--auth=trust", "--no-sync"]);
    command.args(["--encoding=UTF8", "--locale=C", "--wal-segsize=1"]);
    let initialized = command.output().unwrap();
    assert!(initialized.status.success(), "{}", String::from_utf8_lossy(&initialized.stderr));
}
