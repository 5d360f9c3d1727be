"""libpq's parameters as a URL of dbdyno's, and the password beside it."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.peers.call.address import place, server_url
from dbdyno.peers.call.libpq.defaults import with_defaults
from dbdyno.peers.call.libpq.keywords import check_values
from dbdyno.peers.call.libpq.passwords import find_password
from dbdyno.peers.call.libpq.strings import is_connection_string, read_connection_string
from dbdyno.variables import POSTGRESQL_SESSION

USUAL_SOCKETS = ("/var/run/postgresql", "/tmp")
"""Where libpq looks for a server's socket when no host is named."""

USUAL_PORT = "5432"
SHORTEST_LIMIT_S = 2
"""libpq takes a limit of one second for two."""

MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
OWN_MODES = {
    "disabled": "disable",
    "preferred": "prefer",
    "required": "require",
    "verify_ca": "verify-ca",
    "verify_identity": "verify-full",
}


@dataclass(frozen=True)
class LibpqAddress(Address):
    """Where libpq's parameters lead."""

    connect_s: float | None
    """The limit for connecting; None where there is none."""
    warnings: tuple[str, ...]
    """What was given and has no effect."""


@dataclass(frozen=True)
class _Host:
    """One of the hosts: its name, or the folder of its socket, and where that is."""

    name: str
    address: str
    port: str

    @property
    def is_socket(self) -> bool:
        return self.address.startswith("/")

    @property
    def place(self) -> str:
        """As a URL has it; of a socket the file."""
        if self.is_socket:
            return f"{self.address.rstrip('/')}/.s.PGSQL.{self.port}"
        return place(self.address, self.port)


def read_parameters(given: Mapping[str, str]) -> dict[str, str]:
    """Return all parameters that count, of what is given, services and the environment.

    What is given and empty says nothing. Where ``dbname`` is a connection string, its parameters
    count before the others that are given, as in ``PQconnectdbParams``.
    """
    said = {name: value for name, value in given.items() if value}
    if is_connection_string(said.get("dbname", "")):
        said |= read_connection_string(said.pop("dbname"))
    return with_defaults(said)


def find_address(given: Mapping[str, str]) -> LibpqAddress:
    """Return where the given parameters lead to; ``InputError`` where one cannot be honoured."""
    parameters = read_parameters(given)
    warnings = check_values(parameters)
    user = parameters.get("user") or _user_of_system()
    database = parameters.get("dbname") or user
    _refuse_url(database)
    hosts = _hosts(parameters)
    url = server_url(
        "postgresql",
        user,
        ["localhost"] if hosts[0].is_socket else [host.place for host in hosts],
        database,
        _of_url(parameters, hosts),
    )
    names = [(host.name or host.address, host.port) for host in hosts]
    password = parameters.get("password") or find_password(
        names, database, user, parameters.get("passfile", "")
    )
    return LibpqAddress(url, password, _limit_s(parameters, len(hosts)), warnings)


def _refuse_url(database: str) -> None:
    if "://" in database or ("@" in database and ":" in database):
        # The rest may hold a password.
        raise InputError(
            "the database has the form of a URL, and none of PostgreSQL's; "
            "write postgresql://user@host:5432/database"
        )


def _user_of_system() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise InputError("the operating system knows no name of this user; give -U NAME") from error


def _hosts(parameters: Mapping[str, str]) -> list[_Host]:
    """Return the hosts, each with its address and its port, as libpq puts its lists together."""
    names, addresses, ports = (
        parameters.get(name, "").split(",") for name in ("host", "hostaddr", "port")
    )
    count = len(names) if addresses == [""] else len(addresses)
    if names != [""] and len(names) != count:
        raise InputError(f"{len(names)} hosts, but {count} addresses in hostaddr")
    if len(ports) not in {1, count}:
        raise InputError(f"{len(ports)} ports for {count} hosts; give one for each, or one for all")
    hosts = [
        _host(*each)
        for each in zip(
            _as_many(names, count), _as_many(addresses, count), _as_many(ports, count), strict=True
        )
    ]
    if len({host.is_socket for host in hosts}) > 1:
        raise InputError("a call goes to Unix sockets, or to hosts over TCP, not to both")
    return hosts


def _as_many(texts: list[str], count: int) -> list[str]:
    return texts * count if len(texts) == 1 else texts


def _host(name: str, address: str, port: str) -> _Host:
    port = (port or USUAL_PORT).strip()
    if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= 65_535):
        raise InputError(f"port={port} is not a valid port, which is a number from 1 to 65535")
    if name.startswith("@"):
        raise InputError(f"host={name} is an abstract socket, which dbdyno does not know")
    if not (name or address):
        folders = (each for each in USUAL_SOCKETS if Path(each, f".s.PGSQL.{port}").exists())
        address = next(folders, "localhost")
    return _Host(name, address or name, port)


def _of_url(
    parameters: Mapping[str, str], hosts: Sequence[_Host]
) -> dict[str, str | tuple[str, ...]]:
    """Return the parameters of dbdyno's URL; what is empty is left out of it."""
    found: dict[str, str | tuple[str, ...]] = {}
    if hosts[0].is_socket:
        found["socket"] = tuple(host.place for host in hosts)
    else:
        found |= _encryption(parameters, hosts)
    if len(hosts) > 1:
        # Without a word, libpq takes the first that answers.
        found["load_balance"] = parameters.get("load_balance_hosts") or "disable"
    named = (parameters.get(f"{prefix}application_name") for prefix in ("", "fallback_"))
    return found | {
        "application_name": next(filter(None, named), ""),
        "enable_cleartext_plugin": parameters.get("enable_cleartext_plugin", ""),
        "options": _options(parameters),
    }


def _encryption(parameters: Mapping[str, str], hosts: Sequence[_Host]) -> dict[str, str]:
    written = parameters.get("sslmode") or "prefer"
    mode, file = OWN_MODES.get(written, written), parameters.get("sslrootcert", "")
    if mode == "allow":
        raise InputError(
            "sslmode=allow cannot be honoured: dbdyno does not try both; write disable or prefer"
        )
    if mode not in MODES:
        raise InputError(f"sslmode={mode} is not known; write {', '.join(MODES)}")
    if file == "system":
        raise InputError(
            "sslrootcert=system is not read; name the file, such as "
            "/etc/ssl/certs/ca-certificates.crt"
        )
    if mode == "verify-full" and any(host.name not in {"", host.address} for host in hosts):
        raise InputError("sslmode=verify-full verifies the name of a host; leave hostaddr out")
    authorities = Path(file or "~/.postgresql/root.crt").expanduser()
    if mode == "require" and authorities.exists():
        # As in libpq, where sslrootcert is older than verify-ca.
        mode = "verify-ca"
    if not mode.startswith("verify"):
        return {"ssl_mode": mode}
    if not authorities.is_file():
        raise InputError(
            f"sslmode={mode} needs certificates of authorities, and {authorities} is no file; name "
            "it in sslrootcert=FILE, or in the variable PGSSLROOTCERT"
        )
    return {"ssl_mode": mode, "ssl_ca": str(authorities)}


def _options(parameters: Mapping[str, str]) -> str:
    """Return what each session is set to: the options, and what variables set beside them."""
    settings = (
        f"-c {name}={_escaped(value)}"
        for name, variable in POSTGRESQL_SESSION.items()
        if (value := variable.value()) and value.lower() != "default"
    )
    return " ".join([text for text in (parameters.get("options", ""), *settings) if text])


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def _limit_s(parameters: Mapping[str, str], hosts: int) -> float | None:
    written = parameters.get("connect_timeout", "").strip()
    if not written:
        return None
    try:
        limit_s = int(written)
    except ValueError:
        raise InputError(f"connect_timeout={written} is not a whole number of seconds") from None
    return float(hosts * max(limit_s, SHORTEST_LIMIT_S)) if limit_s > 0 else None
