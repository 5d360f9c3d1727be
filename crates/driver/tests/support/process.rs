//! A server's process with its directory and its port: they end with the test, also when that
//! panics.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket, sockopt};
use rustix::process::{Pid, Signal, kill_process};

use super::PATIENCE;
use super::files::copy_directory;

/// A server that is up.
pub struct Process {
    child: Child,
    /// With the data in `data` and what the server says in `log`.
    pub directory: PathBuf,
    pub port: HeldPort,
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
        // Its servers have no passwords: nobody else is to reach their sockets.
        fs::DirBuilder::new().mode(0o700).recursive(true).create(&directory).unwrap();
        copy_directory(template, &directory.join("data"));
        prepare(&directory);
        let port = HeldPort::choose();
        let child = launch(command(&directory, port.number), &directory.join("log"));
        let mut process = Self { child, directory, port };
        if !process.comes_up(&is_up) {
            let log = fs::read_to_string(process.directory.join("log")).unwrap_or_default();
            panic!("the server does not come up:\n{log}");
        }
        process
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
    pub fn signal(&mut self, signal: Signal) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill_process(Pid::from_child(&self.child), signal).unwrap();
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

/// A port on which nothing listens but the server that is told to.
///
/// A socket is bound to it as long as this lives, so that the kernel gives it to nobody who asks for
/// any port. A server can bind to it too, because both allow that, and only one of them listens.
pub struct HeldPort {
    pub number: u16,
    _socket: OwnedFd,
}

impl HeldPort {
    pub fn choose() -> Self {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseaddr(&socket, true).unwrap();
        bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = SocketAddr::try_from(getsockname(&socket).unwrap()).unwrap();
        Self { number: address.port(), _socket: socket }
    }
}
