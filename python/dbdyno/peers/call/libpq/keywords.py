"""libpq's parameters, as tables: those that lead somewhere, and which values of others are taken.

The names are those of PostgreSQL 15 to 18, from "Parameter Key Words" in the manual of libpq, and
one of dbdyno's for what libpq does without being asked: to answer with the password in clear text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.errors import InputError
from dbdyno.refusal import suggest

USED = (
    *("host", "hostaddr", "port", "user", "password", "passfile", "dbname", "service"),
    *("connect_timeout", "options", "application_name", "fallback_application_name"),
    *("sslmode", "sslrootcert", "load_balance_hosts", "enable_cleartext_plugin"),
)


@dataclass(frozen=True)
class Limited:
    """A parameter of which only some values are honoured: those, and why no other one is."""

    values: tuple[str, ...]
    reason: str


_NO_CERTIFICATE = "dbdyno has no client certificates"
_NO_KERBEROS = "dbdyno does not sign on by Kerberos"
_NO_LISTS = "dbdyno reads no lists of revoked certificates"

LIMITED = {
    "target_session_attrs": Limited(("any",), "dbdyno takes every host that answers"),
    "client_encoding": Limited(
        ("auto", "utf8", "utf-8", "unicode"), "dbdyno sends everything as UTF-8"
    ),
    "channel_binding": Limited(
        ("disable", "prefer"), "dbdyno does not bind the proof of the password to the encryption"
    ),
    "gssencmode": Limited(("disable", "prefer"), _NO_KERBEROS),
    "sslcert": Limited((), _NO_CERTIFICATE),
    "sslkey": Limited((), _NO_CERTIFICATE),
    "sslpassword": Limited((), _NO_CERTIFICATE),
    "sslcertmode": Limited(("disable", "allow"), _NO_CERTIFICATE),
    "sslcrl": Limited((), _NO_LISTS),
    "sslcrldir": Limited((), _NO_LISTS),
    "requirepeer": Limited((), "dbdyno does not ask who runs the server at a Unix socket"),
    "require_auth": Limited((), "dbdyno signs on as the server asks for"),
    "ssl_min_protocol_version": Limited(
        ("tlsv1", "tlsv1.1", "tlsv1.2"), "dbdyno takes TLS 1.2 and 1.3"
    ),
    "ssl_max_protocol_version": Limited(("tlsv1.3",), "dbdyno takes TLS 1.2 and 1.3"),
    "sslnegotiation": Limited(("postgres",), "dbdyno asks for encryption before it begins"),
    "replication": Limited(("false", "off", "no", "0"), "no benchmark runs on such a connection"),
}
"""Values in small letters; an empty one is libpq's default, which is honoured."""

WITHOUT_EFFECT = {
    **dict.fromkeys(
        ("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"),
        "a server that is silent is given up at the statement's limit",
    ),
    "tcp_user_timeout": "a server that is silent is given up at the statement's limit",
    "sslcompression": "no connection is compressed",
    "sslsni": "the name of the host is always in the request for encryption",
    **dict.fromkeys(("krbsrvname", "gsslib", "gssdelegation"), _NO_KERBEROS),
    **dict.fromkeys(("authtype", "tty"), "libpq does nothing with it, either"),
}

KNOWN = (*USED, *LIMITED, *WITHOUT_EFFECT)


def check_name(name: str, where: str, *, may_be_shown: bool) -> None:
    """Refuse a name that is none of libpq's; it may be a piece of a password with a blank in it."""
    if name in KNOWN:
        return
    if may_be_shown and name.replace("_", "").isalnum():
        raise InputError(f"{where}: {name}=… is not read here; {suggest(name, KNOWN)}")
    raise InputError(f"{where}: one of its names is not libpq's; known: {', '.join(KNOWN)}")


def check_values(parameters: Mapping[str, str]) -> tuple[str, ...]:
    """Refuse values that cannot be honoured; return a warning for each without an effect."""
    for name, limited in LIMITED.items():
        value = parameters.get(name, "")
        if value and value.lower() not in limited.values:
            known = f"; {name} may be {', '.join(limited.values)}" if limited.values else ""
            raise InputError(f"{name}={value} cannot be honoured: {limited.reason}{known}")
    return tuple(
        f"{name}={parameters[name]} has no effect: {reason}"
        for name, reason in WITHOUT_EFFECT.items()
        if parameters.get(name)
    )
