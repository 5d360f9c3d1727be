//! Certificates for servers that encrypt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const SCRIPT: &str = "
    for name in ca stranger; do
        openssl req -x509 -newkey rsa:2048 -nodes -keyout $name.key -out $name.pem \
            -subj /CN=$name -days 2 -addext basicConstraints=critical,CA:TRUE
    done
    openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server
    printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n' > extensions
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
        -out server.pem -days 2 -extfile extensions";

/// Certificates that sign themselves, each `server.pem` in a folder of its own: as `openssl req -x509`
/// makes them, with and without names of hosts, of the first version, and one that has expired.
const SELF_SIGNED: &str = "
    for folder in named called first expired other; do
        mkdir $folder
    done
    new='openssl req -newkey rsa:2048 -nodes -keyout server.key'
    cd named
    $new -x509 -days 2 -out server.pem -subj /CN=other -addext subjectAltName=DNS:localhost
    cd ../called
    $new -x509 -days 2 -out server.pem -subj /CN=localhost
    cd ../other
    $new -x509 -days 2 -out server.pem -subj /CN=localhost -addext subjectAltName=DNS:other
    for folder in first expired; do
        cd ../$folder
        $new -out server.csr -subj /CN=localhost
        days=2
        if [ $folder = expired ]; then days=-1; fi
        openssl x509 -req -in server.csr -signkey server.key -days $days -out server.pem
    done";

/// A certificate authority (`ca`), a certificate of its for `localhost` (`server`), and another
/// authority (`stranger`).
pub struct Certificates(PathBuf);

impl Certificates {
    pub fn make() -> Self {
        Self::made_by(SCRIPT)
    }

    /// Those that sign themselves: `named`, `called`, `first`, `expired` and `other`.
    pub fn self_signed() -> Self {
        Self::made_by(SELF_SIGNED)
    }

    fn made_by(script: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("certificates-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&directory).unwrap();
        let made =
            Command::new("sh").args(["-e", "-c", script]).current_dir(&directory).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self(directory)
    }

    /// The path of a file: `ca.pem`, `server.pem`, `server.key`, `stranger.pem`.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
