//! What a URL is made of: what those of one kind of servers have in common, and what each may say.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::ClientConfig;

use super::error::UrlError;

/// How statements with parameters are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared on the server, once per connection.
    Prepared,
    /// As text, with the parameters written into it.
    Text,
    /// Those that do not need each other's answers together, in one round trip: as one text to
    /// `MySQL`, prepared and in a pipeline to `PostgreSQL`.
    Multi,
    /// Parsed by the server for each execution, under no name: `PostgreSQL`'s extended protocol
    /// without prepared statements.
    Extended,
}

/// What URLs of one kind of servers have in common.
pub(crate) struct Family {
    /// Whose servers they are.
    pub server: &'static str,
    /// What their URLs may begin with; the first is shown.
    pub schemes: &'static [&'static str],
    pub default_port: u16,
    pub default_user: &'static str,
    /// Whether passwords are proved by plugins, some of which have a key of the server's.
    pub has_plugins: bool,
    /// Parameters of a URL that are sent at sign-on.
    pub at_sign_on: &'static [&'static str],
    /// The path of the socket, given what the URL says and the port.
    pub socket: fn(&Path, u16) -> PathBuf,
}

/// A text that is never shown.
#[derive(Clone)]
pub(crate) struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

/// What a server is entrusted with that may be another than the one that is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Consent {
    /// The password, encrypted with a key that the server sends in the open.
    pub public_key: bool,
    /// The password in clear text, over a connection whose server was not verified.
    pub clear_text: bool,
}

/// Whether and how to encrypt.
#[derive(Clone, Debug)]
pub(crate) enum Tls {
    Disabled,
    /// Where the server offers it.
    Preferred(Arc<ClientConfig>),
    Required(Arc<ClientConfig>),
}

/// A part of a URL as it was meant.
pub(super) fn decode(text: &str, part: &'static str) -> Result<String, UrlError> {
    let decoded = percent_decode_str(text).decode_utf8().map_err(|_| UrlError::NotText(part))?;
    Ok(decoded.into_owned())
}
