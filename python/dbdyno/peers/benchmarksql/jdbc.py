"""Reads a JDBC URL: hosts, database, options, and what the options come to here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from dbdyno.errors import InputError
from dbdyno.peers.benchmarksql.jdbc_options import (
    NO_EFFECT,
    REFUSED,
    SESSION_PARAMETERS,
    SSL_MODES,
    TRANSLATED,
)
from dbdyno.peers.call.address import place, server_url

_URL = re.compile(r"jdbc:([a-z0-9-]+):(?:([a-z0-9:+]+):)?//([^/?]*)(?:/([^?]*))?(?:\?(.*))?", re.I)
_SHORT = re.compile(r"jdbc:(postgresql|opengauss|gaussdb):(?://)?/?([^/?]*)(?:\?(.*))?", re.I)

SCHEMES = {
    **dict.fromkeys(("mysql", "mariadb", "oceanbase"), "mysql"),
    **dict.fromkeys(("postgresql", "pgsql", "opengauss", "gaussdb", "vastbase"), "postgresql"),
    **dict.fromkeys(("polardb", "kingbase8", "highgo"), "postgresql"),
}
"""Drivers by their names in URLs, and whose protocol they speak."""

PORTS = {"mysql": 3306, "postgresql": 5432}
FORMS = (
    "jdbc:mysql://host:3306/database, jdbc:mysql:loadbalance://h1:3306,h2:3306/database, "
    "jdbc:mariadb://host:3306/database or jdbc:postgresql://host:5432/database"
)

_WRITTEN_WITH_PERCENT = (
    "in a user and a password before a host write @ as %40, / as %2F, ? as %3F, # as %23, , as %2C "
    "and % as %25"
)

BALANCES = {"": "disabled", "loadbalance": "random", "sequential": "disabled"}
"""Several hosts without a word between are for fail-over: the first that answers is taken."""

DEFAULT_MODES = {"mysql": "preferred", "mariadb": "disabled", "oceanbase": "disabled"} | {
    driver: "preferred" for driver, kind in SCHEMES.items() if kind == "postgresql"
}
"""Whether connections are encrypted where nothing says so: as the drivers do it."""

SWITCHES = {"true": True, "yes": True, "1": True, "": True, "false": False, "no": False, "0": False}
ISOLATIONS = ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE")
_ISOLATION = re.compile(
    r"@*(?:session\.)?(?:transaction_isolation|tx_isolation)='?([A-Z-]+)'?", re.I
)


@dataclass(frozen=True)
class Jdbc:
    """A JDBC URL that was understood. ``url`` is dbdyno's, without a password."""

    url: str
    user: str | None
    password: str | None
    protocol: str
    isolation: str | None
    connect_s: float | None
    statement_s: float | None
    warnings: tuple[str, ...]


def read_jdbc(conn: str, user: str | None) -> Jdbc:
    """Read the property ``conn``; InputError says what cannot be honoured."""
    driver, mode, hosts, database, query = _take_apart(conn)
    hosts, in_hosts = _take_credentials(hosts)
    options = in_hosts | _options(query)
    _refuse(options)
    scheme = SCHEMES[driver]
    warnings = _Warnings(options)
    parameters = _Reader(driver, options, warnings)
    places = [_place(text, PORTS[scheme]) for text in hosts.split(",")] if hosts else []
    who = user if user is not None else options.get("user")
    url = server_url(
        scheme,
        who or "",
        places or [place("localhost", PORTS[scheme])],
        database,
        parameters.tls()
        | parameters.balance(mode, len(places))
        | parameters.socket()
        | parameters.session(),
    )
    return Jdbc(
        url=url,
        user=who,
        password=options.get("password"),
        protocol=parameters.protocol(),
        isolation=parameters.isolation(),
        connect_s=parameters.seconds("connectTimeout", "loginTimeout"),
        statement_s=parameters.seconds("socketTimeout"),
        warnings=warnings.all(),
    )


def _take_apart(conn: str) -> tuple[str, str, str, str, str]:
    found = _URL.fullmatch(conn)
    if found is None:
        short = _SHORT.fullmatch(conn)
        if short is None:
            raise InputError(f"conn: not a URL that is known here; write {FORMS}")
        driver, database, query = short.groups()
        return driver.lower(), "", "", unquote(database), query or ""
    driver, mode, hosts, database, query = (part or "" for part in found.groups())
    driver, mode = driver.lower(), mode.lower()
    if driver not in SCHEMES:
        raise InputError(f"conn: there is no driver for jdbc:{driver}:; write {FORMS}")
    if mode not in BALANCES:
        raise InputError(
            f"conn: jdbc:{driver}:{mode}: cannot be honoured: transactions write, and are not "
            f"sent to replicas; name the hosts that take writes, as in jdbc:{driver}://h1,h2/…"
        )
    if "(" in hosts:
        raise InputError("conn: write hosts as h1:3306,h2:3306, not as address=(host=…)(port=…)")
    if not database:
        raise InputError("conn: names no database")
    if "@" in database:
        raise InputError(f"conn: {_WRITTEN_WITH_PERCENT}")
    return driver, mode, hosts, unquote(database), query


def _take_credentials(hosts: str) -> tuple[str, dict[str, str]]:
    """Return hosts alone, and the user and password that stand before one or before each."""
    if hosts.count("@") <= 1:
        who, _, places = hosts.rpartition("@")
        found = {who} - {""}
    else:
        pairs = [host.rpartition("@") for host in hosts.split(",")]
        found = {who for who, _, _ in pairs}
        places = ",".join(place for _, _, place in pairs)
    if len(found) > 1:
        raise InputError(
            "conn: hosts have different users or passwords; write them once, as the properties "
            f"user and password. If there is one of each: {_WRITTEN_WITH_PERCENT}"
        )
    if not found:
        return places, {}
    user, colon, password = found.pop().partition(":")
    credentials = {"user": user, "password": password} if colon else {"user": user}
    return places, {name: unquote(text) for name, text in credentials.items()}


def _options(query: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return {unquote(name): unquote(value) for name, _, value in pairs}


def _refuse(options: Mapping[str, str]) -> None:
    for name in options:
        if name in REFUSED:
            raise InputError(f"conn: {name} cannot be honoured: {REFUSED[name]}")


def _place(text: str, default_port: int) -> str:
    """Return a host as dbdyno's URLs have it."""
    found = re.fullmatch(r"(\[[^\]]+\]|[^:]+)(?::(\d+))?", text.strip())
    if found is None:
        # Where the @ is missing, what stands here is a password.
        raise InputError("conn: has a host that is none; write hosts as h1:3306,h2:3306")
    return f"{found[1]}:{found[2] or default_port}"


class _Warnings:
    """Collects what has no effect."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._said: list[str] = []
        for name in options:
            if name in NO_EFFECT:
                self.add(f"{name} has no effect: {NO_EFFECT[name]}")
            elif name not in TRANSLATED:
                self.add(f"{name} has no effect: it is not known here")

    def add(self, warning: str) -> None:
        self._said.append(f"conn: {warning}")

    def all(self) -> tuple[str, ...]:
        return tuple(self._said)


class _Reader:
    """Turns a driver's options into dbdyno's."""

    def __init__(self, driver: str, options: Mapping[str, str], warnings: _Warnings) -> None:
        self._driver = driver
        self._is_postgresql = SCHEMES[driver] == "postgresql"
        self._options = options
        self._warnings = warnings

    def _switch(self, name: str) -> bool | None:
        """Return a switch; None where it is not given."""
        text = self._options.get(name)
        if text is None:
            return None
        if text.lower() not in SWITCHES:
            raise InputError(f"conn: {name}={text} is neither true nor false")
        return SWITCHES[text.lower()]

    def tls(self) -> dict[str, str]:
        """Return ssl_mode and ssl_ca, and whether MySQL is asked for its public key."""
        options = self._options
        authority = next(
            (
                options[name]
                for name in ("ssl_ca", "sslrootcert", "serverSslCert")
                if name in options
            ),
            "",
        )
        mode = self._ssl_mode()
        if mode.startswith("verify") and not authority:
            raise InputError(
                "conn: to verify the server takes the certificates of an authority, which Java "
                "has in a key store; add ssl_ca=/path/to/authorities.pem"
            )
        if authority and not mode.startswith("verify"):
            self._warnings.add("certificates have no effect: the server is not verified")
            authority = ""
        asks = self._driver != "postgresql" and self._switch("allowPublicKeyRetrieval")
        key = "true" if asks else ""
        return {"ssl_mode": mode, "ssl_ca": authority, "get_server_public_key": key}

    def _ssl_mode(self) -> str:
        written = self._options.get("sslMode") or self._options.get("sslmode")
        if written is not None:
            word = written.lower().replace("-", "_")
            if word not in SSL_MODES:
                raise InputError(f"conn: sslMode={written} is not known; {', '.join(SSL_MODES)}")
            return SSL_MODES[word]
        return self._postgresql_mode() if self._is_postgresql else self._switched_mode()

    def _switched_mode(self) -> str:
        """Return what the older switches of MySQL's and MariaDB's drivers come to."""
        uses = self._switch("useSSL")
        if uses and self._driver == "mariadb":
            return self._mariadb_mode()
        if uses and self._switch("verifyServerCertificate"):
            return "verify_ca"
        if uses and self._switch("requireSSL"):
            return "required"
        if uses is None:
            return DEFAULT_MODES[self._driver]
        return "preferred" if uses else "disabled"

    def _mariadb_mode(self) -> str:
        """MariaDB's driver verifies the server unless it is asked not to; MySQL's does not."""
        if self._switch("trustServerCertificate"):
            return "required"
        spares_name = self._switch("disableSslHostnameVerification")
        return "verify_ca" if spares_name else "verify_identity"

    def _postgresql_mode(self) -> str:
        if not self._switch("ssl"):
            return DEFAULT_MODES[self._driver]
        if "sslrootcert" in self._options:
            return "verify_identity"
        self._warnings.add(
            "ssl=true without sslrootcert: encrypted, but the server is not verified"
        )
        return "required"

    def balance(self, mode: str, hosts: int) -> dict[str, str]:
        """Return how connections are spread over several hosts."""
        if hosts < 2:
            return {}
        spread = self._switch("loadBalanceHosts")
        return {"load_balance": "random" if spread else BALANCES[mode]}

    def socket(self) -> dict[str, str]:
        """Return the Unix socket that MariaDB's driver may be told."""
        return {"socket": self._options.get("localSocket", "")}

    def session(self) -> dict[str, str]:
        """Return what PostgreSQL's driver sets each session to at sign-on."""
        given = {name: self._options.get(name, "") for name in SESSION_PARAMETERS}
        if self._is_postgresql:
            return {SESSION_PARAMETERS[name]: value for name, value in given.items()}
        for name in filter(given.get, given):
            self._warnings.add(f"{name} has no effect: it is PostgreSQL's")
        return {}

    def protocol(self) -> str:
        """Return how statements are to travel, as this driver would have sent them."""
        if self._is_postgresql:
            protocol = "extended" if self._options.get("prepareThreshold") == "0" else "prepared"
            if self._options.get("preferQueryMode", "").startswith("simple"):
                protocol = "text"
            batched = self._switch("reWriteBatchedInserts")
        else:
            protocol = "prepared" if self._switch("useServerPrepStmts") else "text"
            batched = self._switch("rewriteBatchedStatements")
        if batched and protocol == "text":
            return "multi"
        if batched:
            self._warnings.add(
                "batches are rewritten in no prepared statement here: rows are loaded many at a "
                "time anyway, and in the run each statement is one of its own"
            )
        return protocol

    def isolation(self) -> str | None:
        """Return the isolation that session variables ask for; any other variable is a warning."""
        found = None
        for variable in filter(None, re.split("[,;]", self._options.get("sessionVariables", ""))):
            match = _ISOLATION.fullmatch(variable.strip())
            if match is not None and match[1].upper() in ISOLATIONS:
                found = match[1].lower().replace("-", "_")
            else:
                self._warnings.add(f"sessionVariables {variable.strip()} has no effect")
        return found

    def seconds(self, *names: str) -> float | None:
        """Return a limit in seconds; MySQL's drivers count milliseconds. 0 is none."""
        for name in names:
            text = self._options.get(name)
            if text is None:
                continue
            try:
                value = float(text)
            except ValueError:
                raise InputError(f"conn: {name}={text} is not a number") from None
            return (value if self._is_postgresql else value / 1000) or None
        return None
