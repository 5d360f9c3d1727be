//! Who can read a password on its way to the server.

use crate::stream::Stream;
use crate::target::Target;

/// Who can read along on the way to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Anybody on the network.
    Open,
    /// Somebody who pretends to be the server: the connection is encrypted, and the server not verified.
    Encrypted,
    /// Nobody: the connection is encrypted, and the server verified.
    Verified,
    /// Nobody: it does not leave the machine.
    Local,
}

impl Privacy {
    pub fn of(stream: &Stream, is_local: bool, target: &Target) -> Self {
        match (stream.is_encrypted(), is_local) {
            (true, _) if target.is_verified => Self::Verified,
            (true, _) => Self::Encrypted,
            (false, true) => Self::Local,
            (false, false) => Self::Open,
        }
    }

    /// Why the password itself is not sent; `is_allowed` is what the user says of a server that was not
    /// verified.
    pub fn check_clear_text(self, is_allowed: bool) -> Result<(), &'static str> {
        match self {
            Self::Verified | Self::Local => Ok(()),
            Self::Encrypted if is_allowed => Ok(()),
            Self::Encrypted => Err(
                "the server wants the password in clear text, and it was not verified that it is the one \
                 that is meant: use ssl_mode=verify_identity with ssl_ca, or allow it with \
                 enable_cleartext_plugin=true in the URL",
            ),
            Self::Open => Err(
                "the server wants the password in clear text, which is not sent without encryption: add \
                 ssl_mode=verify_identity and ssl_ca to the URL (or ssl_mode=required and \
                 enable_cleartext_plugin=true)",
            ),
        }
    }
}
