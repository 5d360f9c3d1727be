//! What stands behind the question mark of a URL.

use std::path::Path;

use rustls::pki_types::ServerName;
use url::Url;

use super::{Encryption, Protocol, Tls, UrlError, decode};
use crate::stream::{Verification, client_config};

const SSL_MODES: &str = "disabled, preferred, required, verify_ca, verify_identity";

/// When to encrypt.
enum Demand {
    None,
    IfOffered,
    Always,
}

/// The parameters as they were written, decoded.
#[derive(Default)]
pub(super) struct Parameters {
    pub socket: Option<String>,
    ssl_mode: Option<String>,
    ssl_ca: Option<String>,
    protocol: Option<String>,
}

impl Parameters {
    /// Finds the parameters of a URL. Those of encryption may also have the names that they have in
    /// the clients of `MySQL` (`ssl-mode`) and of `PostgreSQL` (`sslmode`, `sslrootcert`).
    pub fn parse(url: &Url) -> Result<Self, UrlError> {
        if let Some(fragment) = url.fragment() {
            return Err(UrlError::Parameter(format!("#{fragment}")));
        }
        let mut parameters = Self::default();
        for pair in url.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let field = match name {
                "socket" => &mut parameters.socket,
                "ssl_mode" | "ssl-mode" | "sslmode" => &mut parameters.ssl_mode,
                "ssl_ca" | "ssl-ca" | "sslrootcert" => &mut parameters.ssl_ca,
                "protocol" => &mut parameters.protocol,
                _ => return Err(UrlError::Parameter(name.to_owned())),
            };
            if field.replace(decode(value, "value of a parameter")?).is_some() {
                return Err(UrlError::Parameter(name.to_owned()));
            }
        }
        Ok(parameters)
    }

    /// How statements are executed.
    pub fn protocol(&self) -> Result<Option<Protocol>, UrlError> {
        match self.protocol.as_deref() {
            None => Ok(None),
            Some("prepared") => Ok(Some(Protocol::Prepared)),
            Some("text") => Ok(Some(Protocol::Text)),
            Some(value) => Err(UrlError::Value {
                parameter: "protocol",
                value: value.to_owned(),
                allowed: "prepared, text",
            }),
        }
    }

    /// Whether and how to encrypt the connection to a host.
    pub fn tls(&self, host: &str) -> Result<Tls, UrlError> {
        let (verification, demand) = self.mode()?;
        if self.ssl_ca.is_some() != (verification != Verification::None) {
            return Err(UrlError::CertificateAuthority);
        }
        let config =
            client_config(verification, self.ssl_ca.as_ref().map(Path::new)).map_err(|reason| {
                UrlError::Certificates { path: self.ssl_ca.clone().unwrap_or_default(), reason }
            })?;
        let host = host.trim_matches(['[', ']']);
        let server_name = ServerName::try_from(host.to_owned()).map_err(|error| {
            UrlError::UnknownHost { host: host.to_owned(), reason: error.to_string() }
        })?;
        let encryption = Encryption { config, server_name };
        Ok(match demand {
            Demand::None => Tls::Disabled,
            Demand::IfOffered => Tls::Preferred(encryption),
            Demand::Always => Tls::Required(encryption),
        })
    }

    /// The mode by its name here, or as the servers' own clients write it.
    fn mode(&self) -> Result<(Verification, Demand), UrlError> {
        let mode = self.ssl_mode.as_ref().map(|mode| mode.to_ascii_lowercase().replace('-', "_"));
        Ok(match mode.as_deref() {
            None | Some("disabled" | "disable") => (Verification::None, Demand::None),
            Some("preferred" | "prefer") => (Verification::None, Demand::IfOffered),
            Some("required" | "require") => (Verification::None, Demand::Always),
            Some("verify_ca") => (Verification::Authority, Demand::Always),
            Some("verify_identity" | "verify_full") => (Verification::Identity, Demand::Always),
            Some(_) => {
                let value = self.ssl_mode.clone().unwrap_or_default();
                return Err(UrlError::Value { parameter: "ssl_mode", value, allowed: SSL_MODES });
            }
        })
    }
}
