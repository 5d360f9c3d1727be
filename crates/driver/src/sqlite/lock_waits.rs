//! Counts how often and how long `SQLite` sleeps because another connection holds a lock.
//!
//! `SQLite` waits for a lock by sleeping and trying again within its own calls, in steps of up to
//! 100 ms. Nobody outside sees that; it is part of the service time. All its sleeps go through its
//! layer for the operating system, the VFS. A copy of the default one, with a sleep that counts, sees
//! each of them, and nothing else of `SQLite` differs.

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::OnceLock;

use eventloop::Timestamp;
use rusqlite::ffi;

const NAME: &CStr = c"dbdyno-counts-sleeps";

type Sleep = unsafe extern "C" fn(*mut ffi::sqlite3_vfs, c_int) -> c_int;

/// The sleep of the default VFS; None where there is no such VFS.
static DEFAULT_SLEEP: OnceLock<Option<Sleep>> = OnceLock::new();

thread_local! {
    /// A connection never leaves its thread, and each client has a thread of its own.
    static WAITS: Cell<LockWaits> = const { Cell::new(LockWaits { count: 0, waited_ns: 0 }) };
}

/// Sleeps of the connections of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LockWaits {
    pub count: u64,
    pub waited_ns: u64,
}

/// The waits of this thread since they were taken last.
pub(super) fn take() -> LockWaits {
    WAITS.take()
}

/// The name of the VFS that counts; None where it can't be had, and then nothing is counted.
pub(super) fn vfs() -> Option<&'static CStr> {
    DEFAULT_SLEEP.get_or_init(register).map(|_| NAME)
}

fn register() -> Option<Sleep> {
    // SAFETY: the default VFS lives as long as the process, and is only read. The copy is leaked, so
    // that it does too; its other functions take what they need from its fields, which are the same.
    unsafe {
        let default = ffi::sqlite3_vfs_find(ptr::null()).as_ref()?;
        let sleep = default.xSleep?;
        let mut copy = Box::new(*default);
        copy.zName = NAME.as_ptr();
        copy.pNext = ptr::null_mut();
        copy.xSleep = Some(counted_sleep);
        let is_registered = ffi::sqlite3_vfs_register(Box::leak(copy), 0) == ffi::SQLITE_OK;
        is_registered.then_some(sleep)
    }
}

/// Called by `SQLite` where it has to wait.
unsafe extern "C" fn counted_sleep(vfs: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    let Some(Some(sleep)) = DEFAULT_SLEEP.get() else { return 0 };
    let began = Timestamp::now();
    // SAFETY: the arguments are those that SQLite has for any VFS.
    let slept = unsafe { sleep(vfs, microseconds) };
    let mut waits = WAITS.get();
    waits.count += 1;
    waits.waited_ns += Timestamp::now().since(began);
    WAITS.set(waits);
    slept
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;
    use std::{env, fs, process};

    use contract::Discard;

    use super::*;
    use crate::sqlite::database::Database;
    use crate::sqlite::statement::PreparedStatement;

    #[test]
    fn only_a_lock_that_another_connection_holds_is_waited_for() {
        let path = env::temp_dir().join(format!("dbdyno-lock-waits-{}.db", process::id()));
        let open = || {
            let (wait, limit) = (Duration::from_millis(20), Duration::from_mins(1));
            Rc::new(Database::open(path.to_str().unwrap(), wait, limit).unwrap())
        };
        let execute = |database: &Rc<Database>, sql: &str| {
            PreparedStatement::new(database, sql)?.execute(&[], &mut Discard)
        };
        let (first, second) = (open(), open());
        execute(&first, "CREATE TABLE t (id INTEGER)").unwrap();
        execute(&first, "BEGIN IMMEDIATE").unwrap();
        assert_eq!(take(), LockWaits::default());
        execute(&second, "BEGIN IMMEDIATE").unwrap_err();
        let waits = take();
        assert!(waits.count > 1, "{waits:?}");
        assert!(waits.waited_ns > 0, "{waits:?}");
        execute(&first, "COMMIT").unwrap();
        execute(&second, "BEGIN IMMEDIATE").unwrap();
        assert_eq!(take(), LockWaits::default());
        fs::remove_file(path).unwrap();
    }
}
