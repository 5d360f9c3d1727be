//! What can be wrong with a URL.

use thiserror::Error;

/// Why a URL is not one of a server of the kind that was asked for, and what would be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UrlError {
    /// It is no URL.
    #[error(
        "{reason}; a server's URL looks like {scheme}://user:password@host:{port}/database, and \
         characters with a meaning (/ : @ # ? %) in user or password are written as %2F %3A %40 \
         %23 %3F %25"
    )]
    Malformed {
        /// What would be right.
        scheme: &'static str,
        /// Where such servers mostly listen.
        port: u16,
        /// What is wrong.
        reason: url::ParseError,
    },
    /// It is for something else.
    #[error("the URL begins with {given}:, but a {server} server's begins with {scheme}:")]
    Scheme {
        /// What stands there.
        given: String,
        /// Whose servers are meant.
        server: &'static str,
        /// What would be right.
        scheme: &'static str,
    },
    /// One of several hosts is none.
    #[error(
        "the host {host:?} in the URL: {reason}; write hosts as h1:3306,h2:3307, or [::1]:3306"
    )]
    Host {
        /// As it is written.
        host: String,
        /// What is wrong.
        reason: String,
    },
    /// A host is named more than once, so that what happens there can't be told apart.
    #[error("the URL names {0} twice; name each host once")]
    Repeated(String),
    /// Nothing says where the server is.
    #[error(
        "the URL has neither a host ({0}://host/…) nor a socket ({0}:///database?socket=/path)"
    )]
    NoServer(&'static str),
    /// Two things say where the server is.
    #[error("a socket is on this machine: take away the host {0} or the parameter socket")]
    HostAndSocket(String),
    /// The host has no address.
    #[error("the host {host} can't be resolved: {reason}")]
    UnknownHost {
        /// The name.
        host: String,
        /// The resolver's words.
        reason: String,
    },
    /// The path is not one name.
    #[error("the path of the URL is {0}, but only the name of a database may stand there")]
    Path(String),
    /// A part does not decode to text.
    #[error("the {0} in the URL is not UTF-8 after percent-decoding")]
    NotText(&'static str),
    /// A parameter that means nothing.
    #[error(
        "the URL has the parameter {0}; known are socket, load_balance, ssl_mode, ssl_ca and \
         protocol, each once, and for PostgreSQL options, application_name and search_path"
    )]
    Parameter(String),
    /// A parameter's value that means nothing.
    #[error("{parameter} is {value}, but must be one of {allowed}")]
    Value {
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// Certificates without a use for them, or the reverse.
    #[error(
        "ssl_ca goes together with ssl_mode=verify_ca or ssl_mode=verify_identity, and they with it"
    )]
    CertificateAuthority,
    /// The certificates can't be used.
    #[error("ssl_ca: {path}: {reason}")]
    Certificates {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}
