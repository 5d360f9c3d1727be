//! What a server says first, and what is agreed with it.

use std::panic::catch_unwind;

use contract::{ErrorClass, SqlError};
use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::{MyDeserialize, MySerialize};

use super::packet::{Agreed, ERROR, Malformed, server_error};

/// What is asked for, where the server offers it.
///
/// `CLIENT_LONG_PASSWORD` stays out: a client that sets it tells `MariaDB` that it knows none of its
/// extensions.
const WANTED: CapabilityFlags = CapabilityFlags::CLIENT_PROTOCOL_41
    .union(CapabilityFlags::CLIENT_SECURE_CONNECTION)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
    .union(CapabilityFlags::CLIENT_TRANSACTIONS)
    .union(CapabilityFlags::CLIENT_LONG_FLAG)
    .union(CapabilityFlags::CLIENT_LOCAL_FILES)
    .union(CapabilityFlags::CLIENT_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PS_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_DEPRECATE_EOF);

/// What there is no signing on without, by its name in the protocol. `CLIENT_PLUGIN_AUTH` is not among
/// it: layers leave it out, and then `mysql_native_password` is meant.
const NEEDED: [(CapabilityFlags, &str); 2] = [
    (CapabilityFlags::CLIENT_PROTOCOL_41, "CLIENT_PROTOCOL_41"),
    (CapabilityFlags::CLIENT_SECURE_CONNECTION, "CLIENT_SECURE_CONNECTION"),
];

/// The largest packet that either side may send.
const LARGEST_PACKET_BYTES: u32 = 1 << 30;

/// The collation `utf8mb4_general_ci`, which every server since 5.5 knows.
const COLLATION: u8 = 45;
const FIRST_VERSION_WITH_COLLATION: (u16, u16, u16) = (5, 5, 3);

/// A server's greeting.
pub(super) struct Greeting {
    packet: HandshakePacket<'static>,
    nonce: Vec<u8>,
    capabilities: CapabilityFlags,
    extensions: MariadbCapabilities,
}

impl Greeting {
    /// Reads the first packet, which may also say that the server won't have us.
    pub fn parse(payload: &[u8]) -> Result<Self, SqlError> {
        if payload.first() == Some(&ERROR) {
            return Err(server_error(payload));
        }
        // The library's arithmetic on the packet's lengths may overflow.
        let parsed = catch_unwind(|| {
            let packet = HandshakePacket::deserialize((), &mut ParseBuf(payload))?;
            let nonce = packet.nonce();
            std::io::Result::Ok((packet.into_owned(), nonce))
        });
        let Ok(Ok((packet, nonce))) = parsed else {
            return Err(Malformed("the server's greeting is not one of MySQL's").into());
        };
        let offered = packet.capabilities();
        if let Some((_, name)) = NEEDED.iter().find(|(needed, _)| !offered.contains(*needed)) {
            let version = packet.server_version_str();
            let message = format!(
                "the server {version} does not offer {name}, which MySQL has had since 4.1 and \
                 without which no password can be proved"
            );
            return Err(SqlError::driver(ErrorClass::Protocol, message));
        }
        let capabilities = offered & WANTED;
        // Without the end-of-columns packet it is clear what follows when columns are left out.
        let extensions = if capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF) {
            packet.mariadb_ext_capabilities() & MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA
        } else {
            MariadbCapabilities::empty()
        };
        Ok(Self { packet, nonce, capabilities, extensions })
    }

    /// Asks for leave to send several statements in one text.
    pub fn want_batches(&mut self) -> Result<(), SqlError> {
        let batches =
            CapabilityFlags::CLIENT_MULTI_STATEMENTS | CapabilityFlags::CLIENT_MULTI_RESULTS;
        if self.packet.capabilities().contains(batches) {
            self.capabilities |= batches;
            return Ok(());
        }
        let version = self.server_version();
        let message = format!(
            "the server {version} does not take several statements in one text; use the protocol \
             prepared or text in place of multi"
        );
        Err(SqlError::driver(ErrorClass::InvalidStatement, message))
    }

    /// The server's name for itself.
    pub fn server_version(&self) -> String {
        // Replicas of old versions could not read two digits; MariaDB put these before its own.
        let version = self.packet.server_version_str();
        version.strip_prefix("5.5.5-").unwrap_or(&version).to_owned()
    }

    /// What is agreed about answers.
    pub fn agreed(&self) -> Agreed {
        Agreed {
            deprecate_eof: self.capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF),
            cache_metadata: !self.extensions.is_empty(),
        }
    }

    /// Whether rows can be sent with LOAD DATA LOCAL, as far as the server says.
    pub fn takes_local_files(&self) -> bool {
        self.capabilities.contains(CapabilityFlags::CLIENT_LOCAL_FILES)
    }

    /// Whether the connection can be encrypted.
    pub fn offers_tls(&self) -> bool {
        self.packet.capabilities().contains(CapabilityFlags::CLIENT_SSL)
    }

    /// The plugin with which the server would like to have the password proved.
    pub fn plugin(&self) -> AuthPlugin<'_> {
        self.packet.auth_plugin().unwrap_or(AuthPlugin::MysqlNativePassword)
    }

    /// What the proof is made with.
    pub fn nonce(&self) -> Vec<u8> {
        self.nonce.clone()
    }

    /// Asks to go on encrypted. Whether a database will be named has to be said here already:
    /// `MariaDB` keeps to what it has read first.
    pub fn tls_request(&mut self, names_database: bool) -> Vec<u8> {
        self.capabilities |= CapabilityFlags::CLIENT_SSL;
        self.capabilities.set(CapabilityFlags::CLIENT_CONNECT_WITH_DB, names_database);
        let mut payload = Vec::new();
        SslRequest::new(self.capabilities, LARGEST_PACKET_BYTES, COLLATION)
            .with_mariadb_capabilities(self.extensions)
            .serialize(&mut payload);
        payload
    }

    /// Signs on with a first proof of the password.
    pub fn response(
        &self,
        user: &str,
        database: Option<&str>,
        plugin: AuthPlugin<'_>,
        proof: &[u8],
    ) -> Vec<u8> {
        let mut payload = Vec::new();
        let names_plugin = self.capabilities.contains(CapabilityFlags::CLIENT_PLUGIN_AUTH);
        HandshakeResponse::new(
            Some(proof),
            FIRST_VERSION_WITH_COLLATION,
            Some(user.as_bytes()),
            database.map(str::as_bytes),
            names_plugin.then_some(plugin),
            self.capabilities,
            None,
            LARGEST_PACKET_BYTES,
        )
        .with_mariadb_ext_capabilities(self.extensions)
        .serialize(&mut payload);
        payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_tools::damage::damaged_messages_do_no_harm;

    /// What `MariaDB` 10.11 says.
    const MARIADB: &[u8] = b"\n5.5.5-10.11.19-MariaDB-0+deb12u1\0\xaa\x01\0\x003tse\"uJO\0\
        \xfe\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\x1d\0\0\x000A821?)O5V6F\0mysql_native_password\0";

    #[test]
    fn a_greeting_is_read() {
        let greeting = Greeting::parse(MARIADB).unwrap();
        assert_eq!(greeting.server_version(), "10.11.19-MariaDB-0+deb12u1");
        assert_eq!(greeting.nonce(), b"3tse\"uJO0A821?)O5V6F");
        assert!(greeting.takes_local_files() && !greeting.offers_tls());
    }

    /// As Sharding-Proxy says it: with the flags of the password, and none of plugins.
    #[test]
    fn without_plugins_the_first_of_all_is_meant() {
        let mut bytes = MARIADB.to_vec();
        let upper = bytes.windows(2).position(|two| two == [0xff, 0x81]).unwrap();
        bytes[upper] &= !0x08;
        let greeting = Greeting::parse(&bytes).unwrap();
        assert_eq!(greeting.plugin(), AuthPlugin::MysqlNativePassword);
        let response = greeting.response("user", None, greeting.plugin(), b"proof");
        assert!(!response.windows(6).any(|part| part == b"native"));
        let capabilities = u32::from_le_bytes([response[0], response[1], response[2], response[3]]);
        assert_eq!(capabilities & CapabilityFlags::CLIENT_PLUGIN_AUTH.bits(), 0);
    }

    #[test]
    fn a_flag_that_is_needed_is_named() {
        let mut bytes = MARIADB.to_vec();
        let lower = bytes.windows(2).position(|two| two == [0xfe, 0xf7]).unwrap();
        bytes[lower + 1] &= !0x80;
        let error = Greeting::parse(&bytes).err().unwrap();
        assert!(error.message().contains("does not offer CLIENT_SECURE_CONNECTION"), "{error}");
    }

    #[test]
    fn damaged_greetings_do_no_harm() {
        let refusal = b"\xff\x10\x04#08004Too many connections";
        damaged_messages_do_no_harm(b"\0\n\x15\xff", &[MARIADB, refusal], |greeting| {
            let mut greeting = Greeting::parse(greeting)?;
            let (plugin, nonce) = (greeting.plugin().into_owned(), greeting.nonce());
            greeting.tls_request(true);
            Ok(greeting.response("user", Some("db"), plugin, &nonce))
        });
    }
}
