//! What a URL says of a server, the user and the encryption: the same for all network protocols.

mod error;
mod parameters;

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::stream::Address;

pub use error::UrlError;

use parameters::Parameters;

/// How statements with parameters are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared on the server, once per connection.
    Prepared,
    /// As text, with the parameters written into it.
    Text,
}

/// What URLs of one kind of servers have in common.
pub(crate) struct Family {
    /// Whose servers they are.
    pub server: &'static str,
    /// What their URLs may begin with; the first is shown.
    pub schemes: &'static [&'static str],
    pub default_port: u16,
    pub default_user: &'static str,
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

/// Whether and how to encrypt.
#[derive(Clone, Debug)]
pub(crate) enum Tls {
    Disabled,
    /// Where the server offers it.
    Preferred(Encryption),
    Required(Encryption),
}

/// What it takes to encrypt.
#[derive(Clone, Debug)]
pub(crate) struct Encryption {
    pub config: Arc<ClientConfig>,
    pub server_name: ServerName<'static>,
}

/// A URL that was understood, with its names resolved and its files read.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub addresses: Vec<Address>,
    pub user: String,
    pub password: Secret,
    pub database: Option<String>,
    pub tls: Tls,
    /// How statements are executed, where the URL says it.
    pub protocol: Option<Protocol>,
}

impl Target {
    /// Reads a URL; a password beside it replaces the one in it.
    pub fn parse(family: &Family, url: &str, password: Option<&str>) -> Result<Self, UrlError> {
        let (scheme, port) = (family.schemes[0], family.default_port);
        let url = Url::parse(url).map_err(|reason| UrlError::Malformed { scheme, port, reason })?;
        if !family.schemes.contains(&url.scheme()) {
            let given = url.scheme().to_owned();
            return Err(UrlError::Scheme { given, server: family.server, scheme });
        }
        let parameters = Parameters::parse(&url)?;
        let user = decode(url.username(), "user")?;
        let password = match password {
            Some(password) => password.to_owned(),
            None => decode(url.password().unwrap_or(""), "password")?,
        };
        Ok(Self {
            addresses: addresses(family, &url, parameters.socket.as_deref())?,
            user: if user.is_empty() { family.default_user.to_owned() } else { user },
            password: Secret(password),
            database: database(&url)?,
            tls: parameters.tls(url.host_str().unwrap_or("localhost"))?,
            protocol: parameters.protocol()?,
        })
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

fn addresses(family: &Family, url: &Url, socket: Option<&str>) -> Result<Vec<Address>, UrlError> {
    let host = url.host_str().filter(|host| !host.is_empty());
    let port = url.port().unwrap_or(family.default_port);
    match (host, socket) {
        (None, None) => Err(UrlError::NoServer(family.schemes[0])),
        (None | Some("localhost"), Some(path)) => {
            Ok(vec![Address::Unix((family.socket)(Path::new(path), port))])
        }
        (Some(host), Some(_)) => Err(UrlError::HostAndSocket(host.to_owned())),
        (Some(host), None) => resolve(url, host, port),
    }
}

fn resolve(url: &Url, host: &str, port: u16) -> Result<Vec<Address>, UrlError> {
    let addresses: std::io::Result<Vec<SocketAddr>> = match url.host() {
        Some(Host::Ipv6(address)) => Ok(vec![(address, port).into()]),
        Some(Host::Ipv4(address)) => Ok(vec![(address, port).into()]),
        // The library knows addresses only in the URLs of the web.
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

    const FAMILY: Family = Family {
        server: "MySQL",
        schemes: &["mysql", "mariadb"],
        default_port: 3306,
        default_user: "root",
        socket: |path, _| path.to_owned(),
    };

    fn parse(url: &str) -> Result<Target, UrlError> {
        Target::parse(&FAMILY, url, None)
    }

    #[test]
    fn all_parts_are_read_and_decoded() {
        let url = "mysql://us%40er:pa%2Fss%3A%23@127.0.0.1:3307/d%20b?protocol=text";
        let target = parse(url).unwrap();
        assert_eq!((target.user.as_str(), target.password.0.as_str()), ("us@er", "pa/ss:#"));
        assert_eq!(target.database.as_deref(), Some("d b"));
        assert_eq!(target.addresses, [Address::Tcp("127.0.0.1:3307".parse().unwrap())]);
        assert_eq!(target.protocol, Some(Protocol::Text));
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
        let target =
            Target::parse(&FAMILY, "mariadb://u:first@127.0.0.1/", Some("second")).unwrap();
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
        for parameter in ["ssl_mode=required", "ssl-mode=REQUIRED", "sslmode=require"] {
            let target = parse(&format!("mysql://127.0.0.1/?{parameter}")).unwrap();
            assert!(matches!(target.tls, Tls::Required(_)), "{parameter}");
        }
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
            ("mysql://127.0.0.1/?tls=x", "the URL has the parameter tls; known are socket"),
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
