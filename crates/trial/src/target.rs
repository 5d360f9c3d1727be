//! From a URL to a driver: the one place where drivers are named.

use contract::{Dialect, Driver, Isolation, Purpose, SessionOptions};
use driver::Protocol;
use driver::mysql::MysqlDriver;
use driver::postgres::PostgresDriver;
use driver::sqlite::SqliteDriver;
use serde::Deserialize;

/// How statements travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProtocolPlan {
    /// Prepared once, then executed in the binary protocol.
    #[default]
    Prepared,
    /// As text, each time anew.
    Text,
    /// Several in one round trip.
    Multi,
    /// Parsed for each execution, under no name.
    Extended,
}

const ONLY_POSTGRESQL: &str = "protocol extended is PostgreSQL's, whose statements need no name: use \
                               prepared or text";

/// A URL that leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// No driver is called that.
    #[error(
        "{scheme:?} is no database that dbdyno can reach: use sqlite:///path.db, mysql://user@host:3306/database or postgresql://user@host:5432/database"
    )]
    Scheme {
        /// What stands before `://`.
        scheme: String,
    },
    /// What is asked for does not exist there.
    #[error("{0}")]
    Session(String),
    /// A driver can't read it.
    #[error("{0}")]
    Url(String),
}

/// A driver for a URL's server.
pub(crate) enum Target {
    Mysql(MysqlDriver),
    Postgres(PostgresDriver),
    Sqlite(SqliteDriver),
}

/// How to talk to the server, besides its URL.
#[derive(Clone, Copy)]
pub(crate) struct TargetOptions {
    pub protocol: ProtocolPlan,
    pub kernel_timestamps: bool,
    pub session: SessionOptions,
    /// What a choice among hosts grows from, where it is left to chance.
    pub seed: u64,
}

impl TargetOptions {
    /// Those of connections that are for something else than the load.
    pub fn for_purpose(purpose: Purpose) -> Self {
        let session = SessionOptions::for_purpose(purpose);
        Self { protocol: ProtocolPlan::Prepared, kernel_timestamps: true, session, seed: 0 }
    }
}

impl Target {
    /// Reads a URL. The password comes beside it, or is part of it.
    pub fn new(
        url: &str,
        password: Option<&str>,
        options: TargetOptions,
    ) -> Result<Self, TargetError> {
        let scheme = url.split("://").next().unwrap_or("");
        let protocol = match options.protocol {
            ProtocolPlan::Prepared => Protocol::Prepared,
            ProtocolPlan::Text => Protocol::Text,
            ProtocolPlan::Multi => Protocol::Multi,
            ProtocolPlan::Extended if !scheme.starts_with("postgres") => {
                return Err(TargetError::Session(ONLY_POSTGRESQL.to_owned()));
            }
            ProtocolPlan::Extended => Protocol::Extended,
        };
        let TargetOptions { kernel_timestamps: timestamps, session, seed, .. } = options;
        match scheme {
            "mysql" | "mariadb" => MysqlDriver::from_url(url, password, protocol)
                .map(|driver| {
                    Self::Mysql(
                        driver
                            .with_kernel_timestamps(timestamps)
                            .with_session(session)
                            .with_seed(seed),
                    )
                })
                .map_err(|error| TargetError::Url(error.to_string())),
            "postgresql" | "postgres" => PostgresDriver::from_url(url, password, protocol)
                .map(|driver| {
                    Self::Postgres(
                        driver
                            .with_kernel_timestamps(timestamps)
                            .with_session(session)
                            .with_seed(seed),
                    )
                })
                .map_err(|error| TargetError::Url(error.to_string())),
            "sqlite" if let Some(reason) = not_in_sqlite(options) => {
                Err(TargetError::Session(reason.to_owned()))
            }
            "sqlite" => SqliteDriver::from_url(url)
                .map(Self::Sqlite)
                .map_err(|error| TargetError::Url(error.to_string())),
            _ => Err(TargetError::Scheme { scheme: scheme.to_owned() }),
        }
    }
}

/// What is asked of `SQLite` that it can't do, and would otherwise be passed over in silence.
fn not_in_sqlite(options: TargetOptions) -> Option<&'static str> {
    if options.protocol == ProtocolPlan::Multi {
        return Some("protocol multi saves round trips, and SQLite has none: use prepared");
    }
    if !options.session.autocommit {
        return Some(
            "SQLite always commits a statement that stands outside of BEGIN and COMMIT: leave autocommit on",
        );
    }
    match options.session.isolation {
        None | Some(Isolation::Serializable) => None,
        Some(_) => Some(
            "SQLite's transactions are serializable and nothing else: leave isolation out, or ask for serializable",
        ),
    }
}

/// Calls a function that is generic over drivers with the target's own.
macro_rules! with_driver {
    ($target:expr, $driver:ident => $call:expr) => {
        match $target {
            $crate::target::Target::Mysql($driver) => $call,
            $crate::target::Target::Postgres($driver) => $call,
            $crate::target::Target::Sqlite($driver) => $call,
        }
    };
}

impl Target {
    /// The server's SQL.
    pub fn dialect(&self) -> Dialect {
        with_driver!(self, driver => driver.dialect())
    }
}

pub(crate) use with_driver;
