//! What a URL says of the server, the user and the encryption.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use super::Protocol;
use super::url_error::UrlError;
use crate::stream::{Address, Verification, client_config};

/// A text that is never shown.
#[derive(Clone)]
pub(super) struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

/// Whether and how to encrypt.
#[derive(Clone, Debug)]
pub(super) enum Tls {
    Disabled,
    /// Where the server offers it.
    Preferred(Encryption),
    Required(Encryption),
}

/// What it takes to encrypt.
#[derive(Clone, Debug)]
pub(super) struct Encryption {
    pub config: Arc<ClientConfig>,
    pub server_name: ServerName<'static>,
}

/// A URL that was understood, with its names resolved and its files read.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub addresses: Vec<Address>,
    pub user: String,
    pub password: Secret,
    pub database: Option<String>,
    pub tls: Tls,
}

const DEFAULT_PORT: u16 = 3306;
const DEFAULT_USER: &str = "root";
const SSL_MODES: &str = "disabled, preferred, required, verify_ca, verify_identity";

#[derive(Default)]
struct Parameters {
    socket: Option<String>,
    ssl_mode: Option<String>,
    ssl_ca: Option<String>,
    protocol: Option<String>,
}

impl Target {
    /// Reads a URL; a password beside it replaces the one in it.
    pub fn parse(url: &str, password: Option<&str>) -> Result<(Self, Option<Protocol>), UrlError> {
        let url = Url::parse(url).map_err(UrlError::Malformed)?;
        if url.scheme() != "mysql" {
            return Err(UrlError::Scheme(url.scheme().to_owned()));
        }
        let parameters = Parameters::parse(&url)?;
        let user = decode(url.username(), "user")?;
        let password = match password {
            Some(password) => password.to_owned(),
            None => decode(url.password().unwrap_or(""), "password")?,
        };
        let target = Self {
            addresses: addresses(&url, parameters.socket.as_deref())?,
            user: if user.is_empty() { DEFAULT_USER.to_owned() } else { user },
            password: Secret(password),
            database: database(&url)?,
            tls: parameters.tls(url.host_str().unwrap_or("localhost"))?,
        };
        Ok((target, parameters.protocol()?))
    }
}

impl Parameters {
    fn parse(url: &Url) -> Result<Self, UrlError> {
        if let Some(fragment) = url.fragment() {
            return Err(UrlError::Parameter(format!("#{fragment}")));
        }
        let mut parameters = Self::default();
        for pair in url.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let field = match name {
                "socket" => &mut parameters.socket,
                "ssl_mode" => &mut parameters.ssl_mode,
                "ssl_ca" => &mut parameters.ssl_ca,
                "protocol" => &mut parameters.protocol,
                _ => return Err(UrlError::Parameter(name.to_owned())),
            };
            if field.replace(decode(value, "value of a parameter")?).is_some() {
                return Err(UrlError::Parameter(name.to_owned()));
            }
        }
        Ok(parameters)
    }

    fn protocol(&self) -> Result<Option<Protocol>, UrlError> {
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

    fn tls(&self, host: &str) -> Result<Tls, UrlError> {
        let (verification, make): (_, fn(Encryption) -> Tls) = match self.ssl_mode.as_deref() {
            None | Some("disabled") => (Verification::None, |_| Tls::Disabled),
            Some("preferred") => (Verification::None, Tls::Preferred),
            Some("required") => (Verification::None, Tls::Required),
            Some("verify_ca") => (Verification::Authority, Tls::Required),
            Some("verify_identity") => (Verification::Identity, Tls::Required),
            Some(value) => {
                let value = value.to_owned();
                return Err(UrlError::Value { parameter: "ssl_mode", value, allowed: SSL_MODES });
            }
        };
        if self.ssl_ca.is_some() != (verification != Verification::None) {
            return Err(UrlError::CertificateAuthority);
        }
        let path = self.ssl_ca.clone().unwrap_or_default();
        let config =
            client_config(verification, self.ssl_ca.as_ref().map(PathBuf::from).as_deref())
                .map_err(|reason| UrlError::Certificates { path, reason })?;
        let host = host.trim_matches(['[', ']']);
        let server_name = ServerName::try_from(host.to_owned()).map_err(|error| {
            UrlError::UnknownHost { host: host.to_owned(), reason: error.to_string() }
        })?;
        Ok(make(Encryption { config, server_name }))
    }
}

fn decode(text: &str, part: &'static str) -> Result<String, UrlError> {
    let decoded = percent_decode_str(text).decode_utf8().map_err(|_| UrlError::NotText(part))?;
    Ok(decoded.into_owned())
}

fn database(url: &Url) -> Result<Option<String>, UrlError> {
    let name = url.path().strip_prefix('/').unwrap_or(url.path());
    if name.contains('/') {
        return Err(UrlError::Path(url.path().to_owned()));
    }
    let name = decode(name, "name of the database")?;
    Ok(if name.is_empty() { None } else { Some(name) })
}

fn addresses(url: &Url, socket: Option<&str>) -> Result<Vec<Address>, UrlError> {
    let host = url.host_str().filter(|host| !host.is_empty());
    match (host, socket) {
        (None, None) => Err(UrlError::NoServer),
        (None | Some("localhost"), Some(path)) => Ok(vec![Address::Unix(PathBuf::from(path))]),
        (Some(host), Some(_)) => Err(UrlError::HostAndSocket(host.to_owned())),
        (Some(host), None) => resolve(url, host),
    }
}

fn resolve(url: &Url, host: &str) -> Result<Vec<Address>, UrlError> {
    let port = url.port().unwrap_or(DEFAULT_PORT);
    let addresses: std::io::Result<Vec<SocketAddr>> = match url.host() {
        Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
        _ => (host, port).to_socket_addrs().map(Iterator::collect),
    };
    let unknown = |reason: String| UrlError::UnknownHost { host: host.to_owned(), reason };
    let addresses = addresses.map_err(|error| unknown(error.to_string()))?;
    if addresses.is_empty() {
        return Err(unknown("it has no address".into()));
    }
    Ok(addresses.into_iter().map(Address::Tcp).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Target, UrlError> {
        Target::parse(url, None).map(|(target, _)| target)
    }

    #[test]
    fn all_parts_are_read_and_decoded() {
        let url = "mysql://us%40er:pa%2Fss%3A%23@127.0.0.1:3307/d%20b?protocol=text";
        let (target, protocol) = Target::parse(url, None).unwrap();
        assert_eq!((target.user.as_str(), target.password.0.as_str()), ("us@er", "pa/ss:#"));
        assert_eq!(target.database.as_deref(), Some("d b"));
        assert_eq!(target.addresses, [Address::Tcp("127.0.0.1:3307".parse().unwrap())]);
        assert_eq!(protocol, Some(Protocol::Text));
        assert!(matches!(target.tls, Tls::Disabled));
    }

    #[test]
    fn a_socket_needs_no_host_and_a_port_has_a_default() {
        for url in
            ["mysql:///db?socket=/a+b/s.sock", "mysql://root@localhost/db?socket=/a%2Bb/s.sock"]
        {
            let target = parse(url).unwrap();
            assert_eq!(target.addresses, [Address::Unix("/a+b/s.sock".into())]);
            assert_eq!((target.user.as_str(), target.database.as_deref()), ("root", Some("db")));
        }
        assert_eq!(
            parse("mysql://[::1]").unwrap().addresses,
            [Address::Tcp("[::1]:3306".parse().unwrap())]
        );
        assert_eq!(parse("mysql://127.0.0.1/").unwrap().database, None);
    }

    #[test]
    fn a_password_beside_the_url_is_taken_and_none_is_shown() {
        let (target, _) = Target::parse("mysql://u:first@127.0.0.1/", Some("second")).unwrap();
        assert_eq!(target.password.0, "second");
        let shown = format!("{target:?}");
        assert!(!shown.contains("first") && !shown.contains("second"), "{shown}");
    }

    #[test]
    fn encryption_is_as_the_mode_says() {
        assert!(matches!(
            parse("mysql://127.0.0.1/?ssl_mode=preferred").unwrap().tls,
            Tls::Preferred(_)
        ));
        assert!(matches!(
            parse("mysql://127.0.0.1/?ssl_mode=required").unwrap().tls,
            Tls::Required(_)
        ));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (url, expected) in [
            ("127.0.0.1/db", "relative URL without a base; a server's URL looks like mysql://"),
            ("mysql://u:p#w@127.0.0.1/", "invalid port number; a server's URL looks like"),
            ("postgresql://127.0.0.1/db", "the URL begins with postgresql:, but a MySQL"),
            ("mysql:///db", "the URL has neither a host"),
            (
                "mysql://10.0.0.1/db?socket=/s",
                "take away the host 10.0.0.1 or the parameter socket",
            ),
            ("mysql://127.0.0.1/db/table", "the path of the URL is /db/table"),
            ("mysql://127.0.0.1/%ff", "the name of the database in the URL is not UTF-8"),
            ("mysql://127.0.0.1/?sslmode=x", "the URL has the parameter sslmode; known are socket"),
            ("mysql://127.0.0.1/?protocol=text&protocol=text", "has the parameter protocol; known"),
            (
                "mysql://127.0.0.1/?protocol=binary",
                "protocol is binary, but must be one of prepared",
            ),
            ("mysql://127.0.0.1/?ssl_mode=on", "ssl_mode is on, but must be one of disabled"),
            (
                "mysql://127.0.0.1/?ssl_mode=verify_ca",
                "ssl_ca goes together with ssl_mode=verify_ca",
            ),
            ("mysql://127.0.0.1/?ssl_ca=/ca.pem", "ssl_ca goes together with"),
            ("mysql://127.0.0.1/?ssl_mode=verify_ca&ssl_ca=/no/ca.pem", "ssl_ca: /no/ca.pem: "),
        ] {
            let message = parse(url).unwrap_err().to_string();
            assert!(message.contains(expected), "{url}: {message}");
        }
        // Too long for any resolver to ask about.
        let message = parse(&format!("mysql://{}/", "a".repeat(300))).unwrap_err().to_string();
        assert!(message.contains("can't be resolved"), "{message}");
    }
}
