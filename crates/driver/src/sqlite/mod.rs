//! `SQLite`, in this process: executing a statement is a function call that blocks its thread, and
//! the futures of this driver are ready at their first poll.
//!
//! A URL names the file as `SQLAlchemy` does: `sqlite:///data/bench.db` is relative to the working
//! directory, `sqlite:////srv/bench.db` (four slashes) is absolute. The path is taken as it stands,
//! without percent-decoding. Options follow it: `?journal_mode=wal&synchronous=normal`.
//!
//! | Option | Values | Without it |
//! |---|---|---|
//! | `begin` | `immediate`, `deferred`: how a transaction that may write begins | `immediate` |
//! | `busy_timeout` | milliseconds that a statement waits for a lock | 5000, or the statement's time limit where that is shorter |
//! | `journal_mode`, `synchronous`, `cache_size`, `mmap_size`, `page_size`, `locking_mode`, `temp_store`, `wal_autocheckpoint`, `foreign_keys` | as `SQLite` documents these pragmas | `SQLite`'s own, or what the file holds |
//!
//! Every pragma is read back after it was set, and one that did not take is an error: write-ahead
//! logging of a database in memory, the page size of a file that has one. The settings in effect
//! are what `PRAGMA` answers to a query.
//!
//! Two things differ from a plain `SQLite`. The library that is built in enforces foreign keys
//! unless `foreign_keys=off`. And plans do not depend on the values of parameters: see
//! `Database::open`.
//!
//! How often and how long connections sleep because another one holds the lock is counted, in the
//! facts `sqlite_lock_waits` and `sqlite_lock_wait_us`: see `lock_waits`.
//!
//! `SQLite` has neither kernel timestamps nor a bulk format, and its text and prepared statements
//! take the same way.

mod connection;
mod counted;
mod database;
mod driver;
mod error;
mod ledger;
mod load;
mod lock_waits;
mod pragma;
mod row;
mod statement;
mod url;

pub use connection::SqliteConnection;
pub use driver::SqliteDriver;
pub use url::UrlError;
