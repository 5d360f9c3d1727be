//! The driver of `PostgreSQL` on real servers, and before ones that only pretend.

mod connect;
mod errors;
mod impostor;
mod load;
mod queries;
mod session;
mod stream;
