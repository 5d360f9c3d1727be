//! Programs of servers, and data directories that are initialized once for all tests.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// A program in the PATH or in one of the directories beside it.
pub fn binary(name: &str, beside: &[PathBuf], package: &str) -> PathBuf {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':')
        .map(Path::new)
        .chain(beside.iter().map(PathBuf::as_path))
        .map(|directory| directory.join(name))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| panic!("{name} is missing: install the package {package}"))
}

/// A data directory for this version of a server; made by `initialize` where there is none yet.
pub fn template(version: &[u8], initialize: impl FnOnce(&Path)) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let version = String::from_utf8_lossy(version);
    let name: String = version.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = &name[name.len().saturating_sub(80)..];
    let template = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if template.is_dir() {
        return template;
    }
    let unfinished = template.with_extension(std::process::id().to_string());
    initialize(&unfinished);
    // Another test file may have been faster.
    if fs::rename(&unfinished, &template).is_err() {
        fs::remove_dir_all(&unfinished).unwrap();
    }
    template
}

/// Copies a directory with all that is in it.
pub fn copy_directory(from: &Path, to: &Path) {
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
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
}
