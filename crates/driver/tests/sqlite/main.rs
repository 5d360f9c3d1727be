//! The `SQLite` driver on real files.

mod errors;
mod loading;
mod locking;
mod settings;
mod statements;
mod support;
