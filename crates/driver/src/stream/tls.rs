//! Encryption as a layer over the stream, which costs something only where it is on.

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore,
    SignatureScheme,
};

use super::error::StreamError;
use super::itself;

const NOT_TRUSTED: &str = "the server's certificate is signed by itself, and is not in the file \
    of those that are trusted; name a file that holds it";

/// How much of a server's certificate is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// Nothing: the connection is private from those who only listen.
    None,
    /// Who signed it.
    Authority,
    /// Who signed it, and that it is for this host.
    Identity,
}

/// Settings for connections that are verified against the authorities in a PEM file.
pub(crate) fn client_config(
    verification: Verification,
    authorities: Option<&Path>,
) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(ring::default_provider());
    let trusted = match (verification, authorities) {
        (Verification::None, _) => None,
        (_, None) => return Err("no file with certificate authorities is given".into()),
        (_, Some(path)) => Some(Trusted::read(path, &provider)?),
    };
    let verifier = Verifier { verification, trusted, provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// The certificates that are trusted, and what follows chains of signatures to them.
#[derive(Debug)]
struct Trusted {
    certificates: Vec<CertificateDer<'static>>,
    chain: Arc<WebPkiServerVerifier>,
}

impl Trusted {
    fn read(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| error.to_string())?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| error.to_string())?;
        }
        let chain =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
                .build()
                .map_err(|error| error.to_string())?;
        Ok(Self { certificates, chain })
    }
}

/// Looks at as much of a certificate as was asked for; that the server has the certificate's
/// private key is always checked.
#[derive(Debug)]
struct Verifier {
    verification: Verification,
    trusted: Option<Trusted>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        match trusted.chain.verify_server_cert(certificate, intermediates, name, ocsp_response, now)
        {
            // The name is compared last: a chain that is in order is all that was asked for.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.verification == Verification::Authority => {
                Ok(ServerCertVerified::assertion())
            }
            Err(_)
                if trusted.certificates.contains(certificate)
                    && itself::is_signed_by_itself(certificate) =>
            {
                let host = (self.verification == Verification::Identity).then_some(name);
                itself::check(certificate, host, now).map(|()| ServerCertVerified::assertion())
            }
            // Its version, say, is not what is wrong with it.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(_)))
                if itself::is_signed_by_itself(certificate) =>
            {
                Err(rustls::Error::General(NOT_TRUSTED.into()))
            }
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        match itself::key_of_first_version(certificate) {
            Some(key) => verify_tls13_signature_with_raw_key(message, &key, signature, algorithms),
            None => {
                rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
            }
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The two ends of encryption: plain bytes here, records there. It never touches a socket.
pub(super) struct TlsSession(ClientConnection);

impl TlsSession {
    pub fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, StreamError> {
        let mut connection = ClientConnection::new(config, name)?;
        // What is to be sent is bounded by whoever hands it over, and leaves at once.
        connection.set_buffer_limit(None);
        Ok(Self(connection))
    }

    pub fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }

    /// Appends the records of `plain`, and whatever the protocol itself has to say.
    pub fn encrypt(&mut self, plain: &[u8], records: &mut Vec<u8>) -> Result<(), StreamError> {
        self.0.writer().write_all(plain)?;
        while self.0.wants_write() {
            self.0.write_tls(records)?;
        }
        Ok(())
    }

    /// Takes received records in and gives their plain bytes, piece by piece, to `take` until it
    /// has what it wants; what is left then is given at the next call.
    pub fn decrypt<T>(
        &mut self,
        mut records: &[u8],
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, StreamError> {
        let mut taken = self.take_plain(take)?;
        while !records.is_empty() {
            self.0.read_tls(&mut records)?;
            self.0.process_new_packets().map_err(|error| self.failure(error))?;
            if taken.is_none() {
                taken = self.take_plain(take)?;
            }
        }
        Ok(taken)
    }

    /// Who can't agree on encryption is told so. Once it is agreed upon, a record that does not decrypt
    /// is the end of the connection like any other damage on the way.
    #[cold]
    fn failure(&self, error: rustls::Error) -> StreamError {
        if self.is_handshaking() {
            return error.into();
        }
        StreamError::Lost(format!("TLS: {error}"))
    }

    fn take_plain<T>(
        &mut self,
        take: &mut impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, StreamError> {
        loop {
            let mut reader = self.0.reader();
            let piece = match reader.fill_buf() {
                Ok([]) => return Err(StreamError::closed()),
                Ok(piece) => piece,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let taken = take(piece);
            let length = piece.len();
            reader.consume(length);
            if taken.is_some() {
                return Ok(taken);
            }
        }
    }
}
