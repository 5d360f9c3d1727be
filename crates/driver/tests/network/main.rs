//! The drivers of network protocols, a file a subject. They are one program, because each program is
//! compiled and linked with all that a driver needs.

mod lifted;
mod mysql;
#[path = "../mysql_server/mod.rs"]
mod mysql_server;
mod postgres;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod procedures;
#[path = "../support/mod.rs"]
mod support;
