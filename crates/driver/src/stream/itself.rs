//! A certificate that signed itself, and is trusted as it is: it is among the given authorities
//! itself. OpenSSL's clients accept that, and most servers that sign their own are set up so.

use rustls::CertificateError;
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::SubjectAltName;

/// Looks whether a certificate is valid at this time, and is for this host where one is given.
pub(super) fn check(
    certificate: &CertificateDer<'_>,
    host: Option<&ServerName<'_>>,
    now: UnixTime,
) -> Result<(), rustls::Error> {
    let parsed = parse(certificate)?;
    let validity = parsed.tbs_certificate().validity();
    let [not_before, not_after] = [validity.not_before, validity.not_after]
        .map(|time| UnixTime::since_unix_epoch(time.to_unix_duration()));
    if now < not_before {
        return Err(CertificateError::NotValidYetContext { time: now, not_before }.into());
    }
    if now > not_after {
        return Err(CertificateError::ExpiredContext { time: now, not_after }.into());
    }
    match host {
        None => Ok(()),
        Some(host) if has_names(&parsed) => {
            verify_server_name(&ParsedCertificate::try_from(certificate)?, host)
        }
        Some(host) => check_common_name(&parsed, host),
    }
}

/// The public key of a certificate of the first version, which has no extensions; `None` of others.
pub(super) fn key_of_first_version(
    certificate: &CertificateDer<'_>,
) -> Option<SubjectPublicKeyInfoDer<'static>> {
    let parsed = parse(certificate).ok()?;
    let certified = parsed.tbs_certificate();
    if certified.version() != Version::V1 {
        return None;
    }
    certified.subject_public_key_info().to_der().ok().map(SubjectPublicKeyInfoDer::from)
}

/// Whether a certificate names itself as the authority that signed it.
pub(super) fn is_signed_by_itself(certificate: &CertificateDer<'_>) -> bool {
    parse(certificate)
        .is_ok_and(|parsed| parsed.tbs_certificate().issuer() == parsed.tbs_certificate().subject())
}

fn parse(certificate: &CertificateDer<'_>) -> Result<Certificate, rustls::Error> {
    Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding.into())
}

fn has_names(certificate: &Certificate) -> bool {
    let extensions = certificate.tbs_certificate().extensions();
    extensions.is_some_and(|all| all.iter().any(|each| each.extn_id == SubjectAltName::OID))
}

/// Without names of hosts, a certificate is for the host that its subject is called.
fn check_common_name(
    certificate: &Certificate,
    host: &ServerName<'_>,
) -> Result<(), rustls::Error> {
    let called = certificate.tbs_certificate().subject().common_name().ok().flatten();
    let name = called.map(|name| name.value().to_ascii_lowercase()).unwrap_or_default();
    let wanted = host.to_str().to_ascii_lowercase();
    let is_for_host = match (name.strip_prefix("*."), host) {
        (Some(domain), ServerName::DnsName(_)) => {
            wanted.split_once('.').is_some_and(|(_, parent)| parent == domain)
        }
        _ => name == wanted,
    };
    if is_for_host {
        return Ok(());
    }
    let (expected, presented) = (host.to_owned(), vec![format!("its subject {name:?}")]);
    Err(CertificateError::NotValidForNameContext { expected, presented }.into())
}
