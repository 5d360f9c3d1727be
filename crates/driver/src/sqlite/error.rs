//! `SQLite`'s result codes: their names, and what each means.

use std::ffi::c_int;

use contract::ErrorClass;
use rusqlite::ffi;

/// A result code of `SQLite`, extended ones included.
pub(super) struct ResultCode {
    code: c_int,
    pub name: &'static str,
    pub class: ErrorClass,
}

/// The primary code is the low byte of every extended code.
const PRIMARY: c_int = 0xff;

/// The primary code of a result code.
pub(super) fn primary(code: c_int) -> c_int {
    code & PRIMARY
}

/// The entry of a code; of its primary code where a newer `SQLite` has invented one.
pub(super) fn describe(code: c_int) -> &'static ResultCode {
    let find = |code| RESULT_CODES.iter().find(|entry| entry.code == code);
    find(code).or_else(|| find(primary(code))).unwrap_or(&UNKNOWN)
}

/// The end of the library's words for a table, an index, a view or a trigger that is to be made and
/// is there: it has one code for all that is wrong with a statement.
const ALREADY_EXISTS: &str = "already exists";

/// What an error means, by its code and the library's words.
pub(super) fn class(code: c_int, words: &str) -> ErrorClass {
    match describe(code).class {
        ErrorClass::InvalidStatement if words.ends_with(ALREADY_EXISTS) => {
            ErrorClass::AlreadyExists
        }
        class => class,
    }
}

const UNKNOWN: ResultCode =
    ResultCode { code: -1, name: "not a known result code", class: ErrorClass::Other };

macro_rules! result_codes {
    ($($class:ident: $($code:ident)+;)+) => {
        &[$($(ResultCode { code: ffi::$code, name: stringify!($code), class: ErrorClass::$class },)+)+]
    };
}

/// Every error code of `sqlite3.h`, by class.
///
/// `SQLITE_PROTOCOL` is among the lock waits: two connections raced for the write-ahead log's lock
/// for seconds, and it has nothing to do with a wire protocol.
const RESULT_CODES: &[ResultCode] = result_codes! {
    LockWaitTimeout:
        SQLITE_BUSY SQLITE_BUSY_RECOVERY SQLITE_BUSY_TIMEOUT
        SQLITE_LOCKED SQLITE_LOCKED_SHAREDCACHE SQLITE_LOCKED_VTAB SQLITE_PROTOCOL;
    SerializationFailure:
        SQLITE_BUSY_SNAPSHOT;
    DuplicateKey:
        SQLITE_CONSTRAINT_UNIQUE SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_CONSTRAINT_ROWID;
    ConstraintViolation:
        SQLITE_CONSTRAINT SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_COMMITHOOK
        SQLITE_CONSTRAINT_FOREIGNKEY SQLITE_CONSTRAINT_FUNCTION SQLITE_CONSTRAINT_NOTNULL
        SQLITE_CONSTRAINT_TRIGGER SQLITE_CONSTRAINT_VTAB SQLITE_CONSTRAINT_PINNED
        SQLITE_CONSTRAINT_DATATYPE SQLITE_MISMATCH;
    ConnectionRefused:
        SQLITE_CANTOPEN SQLITE_CANTOPEN_NOTEMPDIR SQLITE_CANTOPEN_ISDIR SQLITE_CANTOPEN_FULLPATH
        SQLITE_CANTOPEN_CONVPATH SQLITE_CANTOPEN_DIRTYWAL SQLITE_CANTOPEN_SYMLINK SQLITE_NOTADB;
    AccessDenied:
        SQLITE_PERM SQLITE_AUTH SQLITE_AUTH_USER SQLITE_IOERR_AUTH;
    ReadOnly:
        SQLITE_READONLY SQLITE_READONLY_RECOVERY SQLITE_READONLY_CANTLOCK SQLITE_READONLY_ROLLBACK
        SQLITE_READONLY_DBMOVED SQLITE_READONLY_CANTINIT SQLITE_READONLY_DIRECTORY;
    Timeout:
        SQLITE_INTERRUPT;
    ResourceExhausted:
        SQLITE_FULL SQLITE_NOMEM SQLITE_IOERR_NOMEM SQLITE_TOOBIG SQLITE_NOLFS;
    InvalidStatement:
        SQLITE_ERROR SQLITE_ERROR_MISSING_COLLSEQ SQLITE_ERROR_RETRY SQLITE_ERROR_SNAPSHOT
        SQLITE_RANGE;
    Other:
        SQLITE_INTERNAL SQLITE_ABORT SQLITE_ABORT_ROLLBACK SQLITE_NOTFOUND SQLITE_EMPTY
        SQLITE_SCHEMA SQLITE_MISUSE SQLITE_FORMAT
        SQLITE_CORRUPT SQLITE_CORRUPT_VTAB SQLITE_CORRUPT_SEQUENCE SQLITE_CORRUPT_INDEX
        SQLITE_IOERR SQLITE_IOERR_READ SQLITE_IOERR_SHORT_READ SQLITE_IOERR_WRITE
        SQLITE_IOERR_FSYNC SQLITE_IOERR_DIR_FSYNC SQLITE_IOERR_TRUNCATE SQLITE_IOERR_FSTAT
        SQLITE_IOERR_UNLOCK SQLITE_IOERR_RDLOCK SQLITE_IOERR_DELETE SQLITE_IOERR_BLOCKED
        SQLITE_IOERR_ACCESS SQLITE_IOERR_CHECKRESERVEDLOCK SQLITE_IOERR_LOCK SQLITE_IOERR_CLOSE
        SQLITE_IOERR_DIR_CLOSE SQLITE_IOERR_SHMOPEN SQLITE_IOERR_SHMSIZE SQLITE_IOERR_SHMLOCK
        SQLITE_IOERR_SHMMAP SQLITE_IOERR_SEEK SQLITE_IOERR_DELETE_NOENT SQLITE_IOERR_MMAP
        SQLITE_IOERR_GETTEMPPATH SQLITE_IOERR_CONVPATH SQLITE_IOERR_VNODE
        SQLITE_IOERR_BEGIN_ATOMIC SQLITE_IOERR_COMMIT_ATOMIC SQLITE_IOERR_ROLLBACK_ATOMIC
        SQLITE_IOERR_DATA SQLITE_IOERR_CORRUPTFS SQLITE_IOERR_IN_PAGE;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extended_code_need_not_have_the_class_of_its_primary_code() {
        assert_eq!(describe(ffi::SQLITE_BUSY).class, ErrorClass::LockWaitTimeout);
        assert_eq!(describe(ffi::SQLITE_BUSY_SNAPSHOT).class, ErrorClass::SerializationFailure);
        assert_eq!(describe(ffi::SQLITE_CONSTRAINT_UNIQUE).class, ErrorClass::DuplicateKey);
        assert_eq!(describe(ffi::SQLITE_CONSTRAINT_CHECK).class, ErrorClass::ConstraintViolation);
        assert_eq!(describe(ffi::SQLITE_IOERR_NOMEM).class, ErrorClass::ResourceExhausted);
    }

    #[test]
    fn an_extended_code_of_a_newer_library_is_taken_for_its_primary_code() {
        let entry = describe(ffi::SQLITE_READONLY | 77 << 8);
        assert_eq!((entry.name, entry.class), ("SQLITE_READONLY", ErrorClass::ReadOnly));
        assert_eq!(describe(99).name, "not a known result code");
    }

    #[test]
    fn no_code_is_in_two_classes() {
        let mut codes: Vec<c_int> = RESULT_CODES.iter().map(|entry| entry.code).collect();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
