"""Certificates for one campaign: an authority that signs two, and is forgotten.

Keys exist in memory alone. Who has no certificate of this authority is refused by both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

VALID = timedelta(days=400)
SKEW = timedelta(days=1)
"""Another host's wall clock may be behind."""


@dataclass(frozen=True)
class Identity:
    """A certificate and its key, in PEM."""

    certificate: str
    key: str


@dataclass(frozen=True)
class Certificates:
    """The authority's certificate in PEM, and who it vouches for."""

    authority: str
    runner: Identity
    agents: Identity


def make_certificates() -> Certificates:
    """Return certificates that nobody has seen before."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.now(UTC)
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dbdyno campaign")])
    authority_key = ec.generate_private_key(ec.SECP256R1())

    def sign(name: x509.Name, key: ec.EllipticCurvePrivateKey, *, is_authority: bool) -> str:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(authority_name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - SKEW)
            .not_valid_after(now + VALID)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        certificate = builder.sign(authority_key, hashes.SHA256())
        return certificate.public_bytes(serialization.Encoding.PEM).decode()

    def identity(name: str) -> Identity:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Identity(sign(subject, key, is_authority=False), pem.decode())

    authority = sign(authority_name, authority_key, is_authority=True)
    return Certificates(authority, identity("runner"), identity("agent"))
