//! How fast one core could be at most: a server that answers every prepared statement from memory, and
//! a client that exchanges the same bytes with it and does nothing else. `make bench` holds the engine
//! against that client.
//!
//! ```text
//! cargo run --release -p driver --example ping_pong -- serve mysql
//! cargo run --release -p driver --example ping_pong -- ask mysql PORT CONNECTIONS SECONDS
//! ```
//!
//! Each is one thread, and each wants a CPU of its own (`taskset -c 0`, `taskset -c 1`). The server says
//! its port, and tells who sends it a query how many statements it has answered.

mod client;
mod mysql;
mod postgresql;
mod server;
mod wire;

use std::error::Error;
use std::time::Duration;

use mysql::Mysql;
use postgresql::Postgresql;

const USAGE: &str =
    "usage: ping_pong serve PROTOCOL | ping_pong ask PROTOCOL PORT CONNECTIONS SECONDS";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", "mysql"] => Ok(server::serve::<Mysql>()?),
        ["serve", "postgresql"] => Ok(server::serve::<Postgresql>()?),
        ["ask", protocol, port, connections, seconds] => {
            let ask = match protocol {
                "mysql" => client::ask::<Mysql>,
                "postgresql" => client::ask::<Postgresql>,
                _ => return Err(USAGE.into()),
            };
            let duration = Duration::from_secs_f64(seconds.parse()?);
            Ok(ask(port.parse()?, connections.parse()?, duration)?)
        }
        _ => Err(USAGE.into()),
    }
}
