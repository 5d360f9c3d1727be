"""What ``--conn-params`` and ``--ssl-ca`` come to: parameters of Go's drivers, as tables.

What would change the load or lead elsewhere is refused, because connections take no variables of a
session. A message names a parameter and never its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

from dbdyno.errors import InputError
from dbdyno.peers.go_tpc.values import parse_duration_s
from dbdyno.variables import POSTGRESQL

MYSQL, POSTGRES = "mysql", "postgres"

MYSQL_MODES = {
    **dict.fromkeys(("false", "0", ""), "disabled"),
    **dict.fromkeys(("skip-verify",), "required"),
    **dict.fromkeys(("preferred",), "preferred"),
    **dict.fromkeys(("true", "1"), "verify_identity"),
}
"""Values of ``tls``; any other is the name of certificates that a program has registered."""

POSTGRES_MODES = {
    "disable": "disabled",
    "allow": "preferred",
    "prefer": "preferred",
    "require": "required",
    "verify-ca": "verify_ca",
    "verify-full": "verify_identity",
}
POSTGRES_USUAL = "require"
"""What Go's driver takes where nothing is said."""

ISOLATIONS = ("read_uncommitted", "read_committed", "repeatable_read", "serializable")

TRANSLATED = {
    MYSQL: {"tls", "timeout", "readTimeout", "transaction_isolation", "tx_isolation"},
    POSTGRES: {"sslmode", "sslrootcert", "connect_timeout", "default_transaction_isolation"},
}

NO_EFFECT = {
    MYSQL: {
        *("allowAllFiles", "allowCleartextPasswords", "allowFallbackToPlaintext"),
        *("allowNativePasswords", "allowOldPasswords", "charset", "checkConnLiveness"),
        *("clientFoundRows", "collation", "columnsWithAlias", "compress", "connectionAttributes"),
        *("interpolateParams", "loc", "maxAllowedPacket", "multiStatements", "parseTime"),
        *("rejectReadOnly", "serverPubKey", "tinyInt1IsBit", "writeTimeout"),
    },
    POSTGRES: {
        *("application_name", "fallback_application_name", "binary_parameters"),
        *("client_encoding", "datestyle", "disable_prepared_binary_result"),
    },
}
"""Parameters of the drivers that change nothing of the load."""

REFUSED = {
    **dict.fromkeys(("sslcert", "sslkey"), "connections have no client certificates"),
    **dict.fromkeys(("host", "port", "user", "password", "dbname"), "give it as a flag of its own"),
}
SET_ELSEWHERE = {
    MYSQL: "set it for all sessions of the server with SET GLOBAL",
    POSTGRES: "set it for the user with ALTER ROLE … SET",
}


@dataclass(frozen=True)
class Parameters:
    """Parameters that were understood."""

    encryption: Mapping[str, str]
    """ssl_mode and ssl_ca, as dbdyno's URLs have them."""
    isolation: str | None
    connect_s: float | None
    statement_s: float | None
    warnings: tuple[str, ...]


def read_parameters(driver: str, written: str, authorities: str) -> Parameters:
    """Read ``--conn-params`` for a driver; ``authorities`` is the file of ``--ssl-ca``."""
    pairs = dict(_pair(part) for part in written.lstrip("?").split("&") if part)
    for name in pairs:
        _refuse(driver, name)
    if driver == MYSQL:
        encryption = _mysql_encryption(pairs, authorities)
        level = pairs.get("transaction_isolation", pairs.get("tx_isolation"))
        connect_s, statement_s = _seconds(pairs, "timeout"), _seconds(pairs, "readTimeout")
    else:
        named = pairs.get("sslrootcert") or POSTGRESQL["sslrootcert"].value() or ""
        encryption = _postgres_encryption(pairs, authorities or named)
        level = pairs.get("default_transaction_isolation")
        connect_s, statement_s = _seconds(pairs, "connect_timeout", "s"), None
    return Parameters(
        encryption=encryption,
        isolation=None if level is None else _isolation(level),
        connect_s=connect_s,
        statement_s=statement_s,
        warnings=tuple(
            f"--conn-params {name} has no effect on the load"
            for name in pairs
            if name in NO_EFFECT[driver]
        ),
    )


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return unquote_plus(name), unquote_plus(value)


def _refuse(driver: str, name: str) -> None:
    if name in TRANSLATED[driver] or name in NO_EFFECT[driver]:
        return
    # What has no name is all of it, and may be a password.
    shown = name if name.replace("_", "").replace(".", "").isalnum() else "a parameter"
    reason = REFUSED.get(
        name, f"connections take no variables of a session; {SET_ELSEWHERE[driver]}"
    )
    raise InputError(f"--conn-params: {shown} is not supported: {reason}")


def _mysql_encryption(pairs: Mapping[str, str], authorities: str) -> dict[str, str]:
    usual = "true" if authorities else "false"
    mode = MYSQL_MODES.get(pairs.get("tls", usual).lower(), "verify_identity")
    return _with_authorities(mode, authorities, "tls")


def _postgres_encryption(pairs: Mapping[str, str], authorities: str) -> dict[str, str]:
    # Go's driver reads the variables of PostgreSQL's own clients.
    written = pairs.get("sslmode") or POSTGRESQL["sslmode"].value() or POSTGRES_USUAL
    if written not in POSTGRES_MODES:
        where = "--conn-params: sslmode" if "sslmode" in pairs else "PGSSLMODE"
        raise InputError(f"{where} is not one of {', '.join(POSTGRES_MODES)}")
    mode = POSTGRES_MODES[written]
    # As in PostgreSQL's own clients: whoever names authorities wants them to be looked at.
    mode = "verify_ca" if mode == "required" and authorities else mode
    return _with_authorities(mode, authorities, "sslmode")


def _with_authorities(mode: str, authorities: str, name: str) -> dict[str, str]:
    if not mode.startswith("verify"):
        return {"ssl_mode": mode}
    if not authorities:
        raise InputError(
            f"--conn-params: {name} asks to verify the server, which takes the certificates of its "
            "authorities; add --ssl-ca FILE"
        )
    return {"ssl_mode": mode, "ssl_ca": authorities}


def _isolation(text: str) -> str:
    level = text.strip("'\"").lower().replace("-", "_").replace(" ", "_")
    if level not in ISOLATIONS:
        raise InputError(f"--conn-params: the isolation is not one of {', '.join(ISOLATIONS)}")
    return level


def _seconds(pairs: Mapping[str, str], name: str, unit: str = "") -> float | None:
    """Return a limit; None where there is none, which 0 says, too."""
    if name not in pairs:
        return None
    seconds = parse_duration_s(f"{pairs[name]}{unit}")
    if seconds is None:
        raise InputError(f"--conn-params: {name} is not a duration")
    return seconds or None
