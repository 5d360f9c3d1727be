//! What follows the question mark of a URL.

use std::path::Path;

use url::Url;

use super::balance::Balance;
use super::error::UrlError;
use super::parts::{Consent, Family, Protocol, Tls, decode};
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
    /// Paths of Unix sockets.
    pub sockets: Vec<String>,
    load_balance: Option<String>,
    ssl_mode: Option<String>,
    ssl_ca: Option<String>,
    protocol: Option<String>,
    public_key: Option<String>,
    clear_text: Option<String>,
    /// What is sent at sign-on.
    pub at_sign_on: Vec<(String, String)>,
}

impl Parameters {
    /// Finds the parameters of a URL. Those of encryption may also have the names that they have in
    /// the clients of `MySQL` (`ssl-mode`) and of `PostgreSQL` (`sslmode`, `sslrootcert`), and so may
    /// that of balancing (`load_balance_hosts`, `loadBalanceHosts`). Those `at_sign_on` are of this kind
    /// of servers alone.
    pub fn parse(url: &Url, family: &Family) -> Result<Self, UrlError> {
        if let Some(fragment) = url.fragment() {
            return Err(UrlError::Parameter(format!("#{fragment}")));
        }
        let mut parameters = Self::default();
        for pair in url.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if name == "socket" && parameters.sockets.is_empty() {
                // Cut before it is decoded: a comma in a path is written %2C.
                let paths = value.split(',').map(|path| decode(path, "path of a socket"));
                parameters.sockets = paths.collect::<Result<_, _>>()?;
                continue;
            }
            if family.at_sign_on.contains(&name) {
                if parameters.at_sign_on.iter().any(|(earlier, _)| earlier == name) {
                    return Err(UrlError::Parameter(name.to_owned()));
                }
                let value = decode(value, "value of a parameter")?;
                parameters.at_sign_on.push((name.to_owned(), value));
                continue;
            }
            let field = match name {
                "load_balance" | "load_balance_hosts" | "loadBalanceHosts" => {
                    &mut parameters.load_balance
                }
                "ssl_mode" | "ssl-mode" | "sslmode" => &mut parameters.ssl_mode,
                "ssl_ca" | "ssl-ca" | "sslrootcert" => &mut parameters.ssl_ca,
                "protocol" => &mut parameters.protocol,
                "get_server_public_key" | "get-server-public-key" | "allowPublicKeyRetrieval"
                    if family.has_plugins =>
                {
                    &mut parameters.public_key
                }
                "enable_cleartext_plugin" | "enable-cleartext-plugin" => &mut parameters.clear_text,
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
            Some("multi") => Ok(Some(Protocol::Multi)),
            Some(value) => Err(UrlError::Value {
                parameter: "protocol",
                value: value.to_owned(),
                allowed: "prepared, text, multi",
            }),
        }
    }

    /// How connections are spread. Of several hosts all get some, unless the URL says otherwise:
    /// whoever names them wants them measured.
    pub fn balance(&self) -> Result<Balance, UrlError> {
        let Some(value) = &self.load_balance else { return Ok(Balance::RoundRobin) };
        Balance::named(value).ok_or_else(|| UrlError::Value {
            parameter: "load_balance",
            value: value.clone(),
            allowed: Balance::KNOWN,
        })
    }

    /// What the server is entrusted with.
    pub fn consent(&self) -> Result<Consent, UrlError> {
        Ok(Consent {
            public_key: switch("get_server_public_key", self.public_key.as_deref())?,
            clear_text: switch("enable_cleartext_plugin", self.clear_text.as_deref())?,
        })
    }

    /// Whether the server's certificate is looked at.
    pub fn is_verified(&self) -> Result<bool, UrlError> {
        Ok(self.mode()?.0 != Verification::None)
    }

    /// Whether and how to encrypt.
    pub fn tls(&self) -> Result<Tls, UrlError> {
        let (verification, demand) = self.mode()?;
        if self.ssl_ca.is_some() != (verification != Verification::None) {
            return Err(UrlError::CertificateAuthority);
        }
        let config =
            client_config(verification, self.ssl_ca.as_ref().map(Path::new)).map_err(|reason| {
                UrlError::Certificates { path: self.ssl_ca.clone().unwrap_or_default(), reason }
            })?;
        Ok(match demand {
            Demand::None => Tls::Disabled,
            Demand::IfOffered => Tls::Preferred(config),
            Demand::Always => Tls::Required(config),
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

/// Whether something is allowed; it is not where nothing is said.
fn switch(parameter: &'static str, value: Option<&str>) -> Result<bool, UrlError> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("false" | "0" | "off") => Ok(false),
        Some("true" | "1" | "on") => Ok(true),
        Some(_) => {
            let value = value.unwrap_or_default().to_owned();
            Err(UrlError::Value { parameter, value, allowed: "true, false" })
        }
    }
}
