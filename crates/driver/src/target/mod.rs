//! What a URL says of a server, the user and the encryption: the same for all network protocols.

mod attempt;
mod balance;
mod error;
mod hosts;
mod parameters;
mod parts;

use std::sync::Arc;

use contract::HostCount;
use url::Url;

pub(crate) use balance::{Balancer, HostSlot};
pub use error::UrlError;
pub(crate) use hosts::Host;
pub use parts::Protocol;
pub(crate) use parts::{Consent, Family, Tls};

use parameters::Parameters;
use parts::{Secret, decode};

/// A URL that was understood, with its names resolved and its files read.
#[derive(Debug)]
pub(crate) struct Target {
    pub hosts: Vec<Host>,
    pub balancer: Arc<Balancer>,
    pub user: String,
    pub password: Secret,
    pub database: Option<String>,
    pub tls: Tls,
    /// Whether an encrypted connection leads to the server that is meant.
    pub is_verified: bool,
    pub consent: Consent,
    /// How statements are executed, where the URL says it.
    pub protocol: Option<Protocol>,
    /// Parameters of the session that are sent at sign-on: names and values.
    pub at_sign_on: Vec<(String, String)>,
}

impl Target {
    /// Reads a URL; a password beside it replaces the one in it.
    pub fn parse(family: &Family, url: &str, password: Option<&str>) -> Result<Self, UrlError> {
        let (scheme, port) = (family.schemes[0], family.default_port);
        let (url, written) = hosts::split(url);
        let url =
            Url::parse(&url).map_err(|reason| UrlError::Malformed { scheme, port, reason })?;
        if !family.schemes.contains(&url.scheme()) {
            let given = url.scheme().to_owned();
            return Err(UrlError::Scheme { given, server: family.server, scheme });
        }
        let parameters = Parameters::parse(&url, family)?;
        let user = decode(url.username(), "user")?;
        let password = match password {
            Some(password) => password.to_owned(),
            None => decode(url.password().unwrap_or(""), "password")?,
        };
        let hosts = hosts::hosts(family, &url, &written, &parameters.sockets)?;
        Ok(Self {
            balancer: Arc::new(Balancer::new(parameters.balance()?, hosts.len())),
            hosts,
            user: if user.is_empty() { family.default_user.to_owned() } else { user },
            password: Secret(password),
            database: database(&url)?,
            tls: parameters.tls()?,
            is_verified: parameters.is_verified()?,
            consent: parameters.consent()?,
            protocol: parameters.protocol()?,
            at_sign_on: parameters.at_sign_on,
        })
    }

    /// What became of each host so far.
    pub fn host_counts(&self) -> Vec<HostCount> {
        self.balancer.counts(self.hosts.iter().map(|host| host.name.as_str()))
    }
}

fn database(url: &Url) -> Result<Option<String>, UrlError> {
    let name = url.path().strip_prefix('/').unwrap_or(url.path());
    if name.contains('/') {
        return Err(UrlError::Path(url.path().to_owned()));
    }
    let name = decode(name, "name of the database")?;
    Ok(if name.is_empty() { None } else { Some(name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Address;

    const FAMILY: Family = Family {
        server: "MySQL",
        schemes: &["mysql", "mariadb"],
        default_port: 3306,
        default_user: "root",
        has_plugins: true,
        at_sign_on: &["options"],
        socket: |path, _| path.to_owned(),
    };

    fn parse(url: &str) -> Result<Target, UrlError> {
        Target::parse(&FAMILY, url, None)
    }

    fn addresses(target: &Target) -> Vec<Address> {
        target.hosts.iter().flat_map(|host| host.addresses.clone()).collect()
    }

    fn names(url: &str) -> Vec<String> {
        parse(url).unwrap().hosts.into_iter().map(|host| host.name).collect()
    }

    #[test]
    fn all_parts_are_read_and_decoded() {
        let url = "mysql://us%40er:pa%2Fss%3A%23@127.0.0.1:3307/d%20b?protocol=text";
        let target = parse(url).unwrap();
        assert_eq!((target.user.as_str(), target.password.0.as_str()), ("us@er", "pa/ss:#"));
        assert_eq!(target.database.as_deref(), Some("d b"));
        assert_eq!(addresses(&target), [Address::Tcp("127.0.0.1:3307".parse().unwrap())]);
        assert_eq!(target.protocol, Some(Protocol::Text));
        assert!(matches!(target.tls, Tls::Disabled));
    }

    #[test]
    fn a_kind_of_servers_has_parameters_of_its_own() {
        let target = parse("mysql://127.0.0.1/?options=-c%20a%3Db&protocol=text").unwrap();
        assert_eq!(target.at_sign_on, [("options".to_owned(), "-c a=b".to_owned())]);
        for url in ["mysql://127.0.0.1/?options=a&options=b", "mysql://127.0.0.1/?search_path=a"] {
            assert!(matches!(parse(url), Err(UrlError::Parameter(_))), "{url}");
        }
    }

    #[test]
    fn a_socket_needs_no_host_and_a_port_has_a_default() {
        for url in
            ["mysql:///db?socket=/a+b/s.sock", "mysql://root@localhost/db?socket=/a%2Bb/s.sock"]
        {
            let target = parse(url).unwrap();
            assert_eq!(addresses(&target), [Address::Unix("/a+b/s.sock".into())]);
            assert_eq!((target.user.as_str(), target.database.as_deref()), ("root", Some("db")));
        }
        assert_eq!(
            addresses(&parse("mysql://[::1]").unwrap()),
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
    fn several_hosts_are_read_each_with_its_port() {
        assert_eq!(
            names("mysql://u:p%2Cw@127.0.0.1,[::1]:3307,127.0.0.2:3308/db?load_balance=random"),
            ["127.0.0.1:3306", "[::1]:3307", "127.0.0.2:3308"]
        );
        assert_eq!(names("mysql:///db?socket=/a,/b%2Cc"), ["/a", "/b,c"]);
        assert_eq!(names("mysql://u@127.0.0.1:1,127.0.0.1:2").len(), 2);
        let password = parse("mysql://u:a,b@127.0.0.1,127.0.0.2/db").unwrap().password;
        assert_eq!(password.0, "a,b");
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
            ("mysql://127.0.0.1,127.0.0.2/db?socket=/s", "the host 127.0.0.1,127.0.0.2 or the"),
            ("mysql://127.0.0.1,/db", "the host \"\" in the URL: "),
            (
                "mysql://127.0.0.1,127.0.0.2:x/db",
                "the host \"127.0.0.2:x\" in the URL: invalid port",
            ),
            ("mysql://127.0.0.1,[::1/db", "the host \"[::1\" in the URL: invalid IPv6"),
            ("mysql://127.0.0.1,127.0.0.1:3306/db", "names 127.0.0.1:3306 twice"),
            ("mysql:///db?socket=/s,/s", "names /s twice"),
            ("mysql:///db?socket=/s,", "the path of a socket is empty"),
            (
                "mysql://127.0.0.1,127.0.0.2/?load_balance=best",
                "load_balance is best, but must be one of round_robin, random",
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
