//! Proves the password as the server wants it proved. No I/O: packets in, packets out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use contract::{ErrorClass, SqlError};
use mysql_common::auth::plugins::{AuthProc, ChallengeResponsePlugin, Context, Error, Response};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest};
use mysql_common::proto::MyDeserialize;

use crate::network::Privacy;
use crate::target::Consent;

use super::packet::{END, ERROR, Malformed, OK, Success, server_error};

/// The first byte of a packet with more of a plugin's own conversation.
const MORE_DATA: u8 = 0x01;

/// What to do next.
#[derive(Debug)]
pub(super) enum Step {
    /// Send this and wait for the answer.
    Send(Vec<u8>),
    /// Wait for another packet.
    Wait,
    /// The server is satisfied.
    Done(Success),
}

/// A conversation about a password.
pub(super) struct Authentication<'a> {
    password: &'a str,
    privacy: Privacy,
    consent: Consent,
    plugin: AuthPlugin<'static>,
    procedure: AuthProc,
    nonce: Vec<u8>,
}

impl<'a> Authentication<'a> {
    /// Starts with the plugin that the greeting names; returns the first proof too. A plugin that
    /// is not known here is left to the server to insist on: it may want another for this user.
    pub fn start(
        greeted_plugin: &AuthPlugin<'_>,
        nonce: Vec<u8>,
        password: &'a str,
        privacy: Privacy,
        consent: Consent,
    ) -> Result<(Self, Vec<u8>), SqlError> {
        let plugin = match greeted_plugin {
            AuthPlugin::CachingSha2Password => AuthPlugin::CachingSha2Password,
            _ => AuthPlugin::MysqlNativePassword,
        };
        let procedure = plugin.init().map_err(|_| unknown(&plugin))?;
        let mut authentication = Self { password, privacy, consent, plugin, procedure, nonce };
        let nonce = authentication.nonce.clone();
        let proof = authentication.run(&nonce)?;
        Ok((authentication, proof.unwrap_or_default()))
    }

    /// The plugin in use.
    pub fn plugin(&self) -> AuthPlugin<'_> {
        self.plugin.borrow()
    }

    /// Takes a packet of the server's.
    pub fn answer(&mut self, payload: &[u8]) -> Result<Step, SqlError> {
        match payload {
            [OK, ..] => Ok(Step::Done(Success::parse(payload)?)),
            [ERROR, ..] => Err(server_error(payload)),
            [END] => Err(unknown(&AuthPlugin::MysqlOldPassword)),
            [END, ..] => self.switch(payload),
            [MORE_DATA, challenge @ ..] => {
                let packet = self.run(challenge)?;
                Ok(packet.map_or(Step::Wait, Step::Send))
            }
            _ => Err(Malformed("signing on was answered with an unknown packet").into()),
        }
    }

    fn switch(&mut self, payload: &[u8]) -> Result<Step, SqlError> {
        let request = AuthSwitchRequest::deserialize((), &mut ParseBuf(payload))
            .map_err(|_| Malformed("a change of the authentication plugin is not readable"))?;
        let plugin = request.auth_plugin();
        if plugin == AuthPlugin::MysqlClearPassword {
            let refused = |message| SqlError::driver(ErrorClass::AccessDenied, message);
            self.privacy.check_clear_text(self.consent.clear_text).map_err(refused)?;
        }
        self.procedure = match plugin {
            AuthPlugin::MysqlOldPassword => return Err(unknown(&plugin)),
            _ => plugin.init().map_err(|_| unknown(&plugin))?,
        };
        self.nonce = request.plugin_data().to_vec();
        self.plugin = request.auth_plugin().into_owned();
        let nonce = self.nonce.clone();
        Ok(Step::Send(self.run(&nonce)?.unwrap_or_default()))
    }

    /// Refuses to ask for a key that anybody between can replace by his own, and so read the password.
    fn refuse_open_key(&self, packet: Option<&[u8]>) -> Result<(), SqlError> {
        let asks = match self.plugin {
            AuthPlugin::CachingSha2Password => packet == Some(b"\x02"),
            AuthPlugin::Sha256Password => packet == Some(b"\x01"),
            _ => false,
        };
        if !asks || self.privacy != Privacy::Open || self.consent.public_key {
            return Ok(());
        }
        let message = "the server wants the password encrypted, over a connection that is not: use \
                       ssl_mode=required, or have the server's public key asked for with \
                       get_server_public_key=true in the URL (which is allowPublicKeyRetrieval elsewhere)";
        Err(SqlError::driver(ErrorClass::AccessDenied, message))
    }

    fn run(&mut self, challenge: &[u8]) -> Result<Option<Vec<u8>>, SqlError> {
        let Self { password, privacy, nonce, procedure, .. } = self;
        let context = Conversation { password, privacy: *privacy, nonce };
        // The library indexes into a server's public key without looking how long it is.
        let outcome = catch_unwind(AssertUnwindSafe(|| procedure.run(context, challenge)));
        match outcome {
            Ok(Ok(Response::Next { packet } | Response::Last { packet })) => {
                self.refuse_open_key(packet.as_deref())?;
                Ok(packet)
            }
            Ok(Err(Error::FeatureRequired(_))) => Err(unknown(&self.plugin)),
            Ok(Err(Error::Other(error))) => {
                Err(SqlError::driver(ErrorClass::AccessDenied, error.to_string()))
            }
            Ok(Err(_)) | Err(_) => {
                Err(Malformed("the authentication plugin's challenge is not readable").into())
            }
        }
    }
}

fn unknown(plugin: &AuthPlugin<'_>) -> SqlError {
    let name = String::from_utf8_lossy(plugin.as_bytes()).into_owned();
    let message = format!(
        "the server wants the authentication plugin {name}, which is not supported; give the user \
         one of mysql_native_password, caching_sha2_password and sha256_password (ALTER USER)"
    );
    SqlError::driver(ErrorClass::AccessDenied, message)
}

/// What the library asks about the connection.
struct Conversation<'a> {
    password: &'a str,
    privacy: Privacy,
    nonce: &'a [u8],
}

impl Context for Conversation<'_> {
    fn pass(&self) -> &[u8] {
        self.password.as_bytes()
    }

    fn is_ipc_transport(&self) -> bool {
        self.privacy == Privacy::Local
    }

    fn is_tls_transport(&self) -> bool {
        matches!(self.privacy, Privacy::Encrypted | Privacy::Verified)
    }

    fn scramble(&self) -> &[u8] {
        self.nonce
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use mysql_common::auth::plugins::mysql_native_password::scramble_native;

    use super::*;

    const NONCE: &[u8; 20] = b"NR3HP:j19=db?S{`abcd";

    const ALLOWED: Consent = Consent { public_key: true, clear_text: true };

    fn start(privacy: Privacy) -> (Authentication<'static>, Vec<u8>) {
        start_with(privacy, Consent::default())
    }

    fn start_with(privacy: Privacy, consent: Consent) -> (Authentication<'static>, Vec<u8>) {
        let plugin = AuthPlugin::CachingSha2Password;
        Authentication::start(&plugin, NONCE.to_vec(), "secret", privacy, consent).unwrap()
    }

    /// With a nonce of its own, as servers do.
    const OTHER_NONCE: &[u8; 20] = b"abcdefghijklmnopqrst";

    fn switch_to(name: &str) -> Vec<u8> {
        [b"\xfe", name.as_bytes(), b"\0", OTHER_NONCE, b"\0"].concat()
    }

    #[test]
    fn a_cached_password_needs_one_round() {
        let (mut authentication, proof) = start(Privacy::Open);
        assert_eq!(proof.len(), 32);
        assert!(matches!(authentication.answer(b"\x01\x03").unwrap(), Step::Wait));
        assert!(matches!(authentication.answer(b"\0\0\0\x02\0\0\0").unwrap(), Step::Done(_)));
    }

    #[test]
    fn the_password_is_sent_in_clear_text_only_where_nobody_reads_along() {
        for privacy in [Privacy::Encrypted, Privacy::Verified, Privacy::Local] {
            let (mut authentication, _) = start(privacy);
            let step = authentication.answer(b"\x01\x04").unwrap();
            assert!(matches!(step, Step::Send(packet) if packet == b"secret\0"));
        }
        let (mut authentication, _) = start_with(Privacy::Open, ALLOWED);
        let step = authentication.answer(b"\x01\x04").unwrap();
        assert!(matches!(step, Step::Send(packet) if packet == b"\x02"), "the key is asked for");
    }

    #[test]
    fn a_key_that_may_be_anybodys_is_asked_for_only_where_that_is_allowed() {
        let refused = |error: SqlError| {
            assert_eq!(error.class(), ErrorClass::AccessDenied);
            assert!(error.message().contains("get_server_public_key=true"), "{error}");
        };
        let (mut authentication, _) = start(Privacy::Open);
        refused(authentication.answer(b"\x01\x04").unwrap_err());
        let (mut authentication, _) = start(Privacy::Open);
        refused(authentication.answer(&switch_to("sha256_password")).unwrap_err());
        let (mut authentication, _) = start_with(Privacy::Open, ALLOWED);
        let step = authentication.answer(&switch_to("sha256_password")).unwrap();
        assert!(matches!(step, Step::Send(packet) if packet == b"\x01"));
    }

    #[test]
    fn clear_text_goes_only_to_a_server_that_was_verified_or_where_it_is_allowed() {
        for (privacy, consent, is_sent) in [
            (Privacy::Open, Consent::default(), false),
            (Privacy::Open, ALLOWED, false),
            (Privacy::Encrypted, Consent::default(), false),
            (Privacy::Encrypted, ALLOWED, true),
            (Privacy::Verified, Consent::default(), true),
            (Privacy::Local, Consent::default(), true),
        ] {
            let (mut authentication, _) = start_with(privacy, consent);
            match authentication.answer(&switch_to("mysql_clear_password")) {
                Ok(Step::Send(packet)) => assert!(is_sent && packet == b"secret\0", "{privacy:?}"),
                other => {
                    let error = other.unwrap_err();
                    assert!(!is_sent, "{privacy:?}: {error}");
                    assert_eq!(error.class(), ErrorClass::AccessDenied);
                    assert!(error.message().contains("enable_cleartext_plugin=true"), "{error}");
                }
            }
        }
    }

    #[test]
    fn the_server_may_change_its_mind_about_the_plugin() {
        let (mut authentication, _) = start(Privacy::Open);
        let step = authentication.answer(&switch_to("mysql_native_password")).unwrap();
        let proof = scramble_native(OTHER_NONCE, b"secret").unwrap();
        assert!(matches!(step, Step::Send(packet) if packet == proof));
        assert_eq!(authentication.plugin(), AuthPlugin::MysqlNativePassword);
    }

    #[test]
    fn plugins_that_are_not_known_are_named() {
        for name in ["client_ed25519", "parsec", "auth_gssapi_client", "mysql_old_password"] {
            let (mut authentication, _) = start(Privacy::Open);
            let error = authentication.answer(&switch_to(name)).unwrap_err();
            assert_eq!(error.class(), ErrorClass::AccessDenied, "{name}");
            assert!(error.message().contains(name), "{}", error.message());
        }
    }

    #[test]
    fn damaged_steps_do_no_harm() {
        let native = switch_to("mysql_native_password");
        let steps = [&b"\x01\x03"[..], b"\x01\x04", b"\0\0\0\x02\0\0\0", &native];
        crate::test_tools::damage::damaged_messages_do_no_harm(b"\0\x01\xfe\xff", &steps, |step| {
            let (mut authentication, _) = start(Privacy::Open);
            authentication.answer(step)?;
            // The step after it may be the same again.
            authentication.answer(step).map(drop)
        });
    }

    #[test]
    fn a_damaged_key_is_an_error_and_no_panic() {
        for key in [
            &b"\x01"[..],
            b"\x01-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----",
            b"\x01-----BEGIN RSA PUBLIC KEY-----\nMIIB\n-----END RSA PUBLIC KEY-----",
        ] {
            let (mut authentication, _) = start_with(Privacy::Open, ALLOWED);
            authentication.answer(b"\x01\x04").unwrap();
            let error = authentication.answer(key).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Protocol);
        }
    }
}
