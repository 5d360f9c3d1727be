//! A server's process with its directory and its port: they end with the test, also when that
//! panics.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::PATIENCE;
use super::files::copy_directory;

/// Starts with other ports before a server is given up.
const PORT_ATTEMPTS: usize = 3;

/// A server that is up.
pub struct Process {
    child: Child,
    /// With the data in `data` and what the server says in `log`.
    pub directory: PathBuf,
    pub port: u16,
}

impl Process {
    /// Starts a server on a copy of a data directory: `prepare` may change its directory before,
    /// `command` starts it with that directory and a port, and `is_up` looks whether it can be
    /// reached.
    pub fn start(
        template: &Path,
        prepare: impl FnOnce(&Path),
        command: impl Fn(&Path, u16) -> Command,
        is_up: impl Fn(&Path) -> bool,
    ) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("dbdyno-server-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        copy_directory(template, &directory.join("data"));
        prepare(&directory);
        for _ in 0..PORT_ATTEMPTS {
            let port = free_port();
            let child = launch(command(&directory, port), &directory.join("log"));
            let mut process = Self { child, directory: directory.clone(), port };
            if process.comes_up(&is_up) {
                return process;
            }
            // Somebody else may have taken the port meanwhile; its files are there for another try.
            std::mem::forget(process);
        }
        let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
        let _ = fs::remove_dir_all(&directory);
        panic!("the server does not come up:\n{log}");
    }

    /// Waits until the server can be reached; false when it ended instead.
    fn comes_up(&mut self, is_up: impl Fn(&Path) -> bool) -> bool {
        let start = Instant::now();
        while !is_up(&self.directory) {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(start.elapsed() < PATIENCE, "the server neither comes up nor ends");
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }

    /// Sends it a signal, if it has not ended already.
    pub fn signal(&mut self, name: &str) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let id = self.child.id().to_string();
            let _ = Command::new("kill").args(["-s", name, &id]).status();
        }
    }

    /// Ends it without a goodbye, as a crash does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.wait();
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) {
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn launch(mut command: Command, log: &Path) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(log).unwrap())
        .spawn()
        .expect("the server starts")
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
