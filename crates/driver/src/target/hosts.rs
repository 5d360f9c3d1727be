//! The hosts that a URL names: one, or several among which connections are spread.

use std::borrow::Cow;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use rustls::pki_types::ServerName;
use url::{Host as UrlHost, Url};

use super::error::UrlError;
use super::parts::Family;
use crate::stream::Address;

/// One server, by whichever of its addresses it can be reached.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// As results name it: `db1:3306`, `[::1]:5432`, the path of a socket.
    pub name: String,
    /// What the name resolved to, in the resolver's order: the next is tried where one refuses.
    pub addresses: Vec<Address>,
    /// Whom its certificate must be for, where that is looked at.
    pub server_name: ServerName<'static>,
}

/// A URL with its first host alone, which is one that a parser of URLs knows, and all hosts as they
/// are written.
pub(super) fn split(url: &str) -> (Cow<'_, str>, Vec<&str>) {
    let start = url.find("://").map_or(0, |scheme| scheme + 3);
    let length = url[start..].find(['/', '?', '#']).unwrap_or(url.len() - start);
    let authority = &url[start..start + length];
    let hosts_at = start + authority.rfind('@').map_or(0, |at| at + 1);
    let hosts: Vec<&str> = url[hosts_at..start + length].split(',').collect();
    if hosts.len() == 1 {
        return (url.into(), hosts);
    }
    let rest = &url[start + length..];
    (format!("{}{}{rest}", &url[..hosts_at], hosts[0]).into(), hosts)
}

/// The hosts of a URL, with their names resolved; `url` has the first of those that are `written`.
pub(super) fn hosts(
    family: &Family,
    url: &Url,
    written: &[&str],
    sockets: &[String],
) -> Result<Vec<Host>, UrlError> {
    let host = url.host_str().filter(|host| !host.is_empty());
    let hosts = match (host, sockets) {
        (None, []) if written.len() == 1 => return Err(UrlError::NoServer(family.schemes[0])),
        (None | Some("localhost"), [_, ..]) if written.len() == 1 => {
            let port = url.port().unwrap_or(family.default_port);
            sockets.iter().map(|path| socket(family, path, port)).collect::<Result<Vec<_>, _>>()?
        }
        (_, [_, ..]) => return Err(UrlError::HostAndSocket(written.join(","))),
        (_, []) => {
            written.iter().map(|host| network(family, host)).collect::<Result<Vec<_>, _>>()?
        }
    };
    for (index, host) in hosts.iter().enumerate() {
        if hosts[..index].iter().any(|earlier| earlier.name == host.name) {
            return Err(UrlError::Repeated(host.name.clone()));
        }
    }
    Ok(hosts)
}

fn socket(family: &Family, path: &str, port: u16) -> Result<Host, UrlError> {
    if path.is_empty() {
        let reason = "the path of a socket is empty".to_owned();
        return Err(UrlError::Host { host: path.to_owned(), reason });
    }
    let path = (family.socket)(Path::new(path), port);
    let name = path.display().to_string();
    Ok(Host { name, addresses: vec![Address::Unix(path)], server_name: server_name("localhost")? })
}

/// One host with its port, as it is written between commas.
fn network(family: &Family, written: &str) -> Result<Host, UrlError> {
    let wrong = |reason: String| UrlError::Host { host: written.to_owned(), reason };
    let url = Url::parse(&format!("{}://{written}", family.schemes[0]))
        .map_err(|reason| wrong(reason.to_string()))?;
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return Err(wrong("a host is empty".to_owned()));
    };
    let port = url.port().unwrap_or(family.default_port);
    Ok(Host {
        name: format!("{host}:{port}"),
        addresses: resolve(&url, host, port)?,
        server_name: server_name(host)?,
    })
}

fn server_name(host: &str) -> Result<ServerName<'static>, UrlError> {
    let host = host.trim_matches(['[', ']']);
    ServerName::try_from(host.to_owned())
        .map_err(|error| UrlError::UnknownHost { host: host.to_owned(), reason: error.to_string() })
}

fn resolve(url: &Url, host: &str, port: u16) -> Result<Vec<Address>, UrlError> {
    let addresses: std::io::Result<Vec<SocketAddr>> = match url.host() {
        Some(UrlHost::Ipv6(address)) => Ok(vec![(address, port).into()]),
        Some(UrlHost::Ipv4(address)) => Ok(vec![(address, port).into()]),
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
