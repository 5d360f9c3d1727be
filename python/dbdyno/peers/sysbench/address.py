"""Where the server is: sysbench's options as a URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from dbdyno.database.address import Address as Place
from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.peers.call.address import place, server_url, usual_socket
from dbdyno.peers.call.libpq.address import find_address
from dbdyno.peers.call.libpq.strings import is_connection_string, read_connection_string
from dbdyno.peers.sysbench.arguments import Arguments
from dbdyno.refusal import suggest

_Place = TypeVar("_Place", str, tuple[str, int])

MYSQL_SSL_MODES = {"off": "disabled", "on": "required"} | {
    mode: mode for mode in ("disabled", "preferred", "required", "verify_ca", "verify_identity")
}


@dataclass(frozen=True)
class Address(Place):
    """Where to go, and what sysbench goes there with."""

    driver: str
    """As sysbench calls it: mysql, pgsql, sqlite."""
    connect_s: float | None = None
    """The limit for connecting; None where none is given."""
    warnings: tuple[str, ...] = ()
    """What was given and has no effect."""


def read_address(arguments: Arguments) -> Address:
    """Return where the options lead to; InputError where they lead nowhere."""
    driver = arguments.text("db-driver")
    if driver not in _READERS:
        raise InputError(f"invalid database driver: {driver!r}; {suggest(driver, _READERS)}")
    return _READERS[driver](arguments)


def _mysql(arguments: Arguments) -> Address:
    mode = arguments.text("mysql-ssl").lower()
    if mode not in MYSQL_SSL_MODES:
        raise InputError(
            f"invalid value of --mysql-ssl: {mode!r}; known: {', '.join(MYSQL_SSL_MODES)}"
        )
    places, sockets = _places(arguments, "mysql"), arguments.texts("mysql-socket")
    parameters: dict[str, str | tuple[str, ...]] = {
        "ssl_mode": MYSQL_SSL_MODES[mode],
        "ssl_ca": arguments.text("mysql-ssl-ca"),
    }
    is_local = {host for host, _ in places} == {"localhost"}
    if is_local and not sockets and "mysql-port" not in arguments.given:
        sockets = [socket] if (socket := usual_socket()) else []
    if is_local and sockets:
        places = places[:1]
        parameters["socket"] = tuple(_once(sockets, "--mysql-socket"))
    url = server_url(
        "mysql",
        arguments.text("mysql-user"),
        [place(host, port) for host, port in places],
        arguments.text("mysql-db"),
        parameters,
    )
    return Address(url, arguments.text("mysql-password") or password_in(), "mysql")


def _postgresql(arguments: Arguments) -> Address:
    """Hand options on to what reads as libpq, which knows the rest."""
    hosts, ports = zip(*_places(arguments, "pgsql"), strict=True)
    database = arguments.text("pgsql-db")
    options = {
        "host": ",".join(hosts),
        "port": ",".join(map(str, ports)),
        "user": arguments.text("pgsql-user"),
        "password": arguments.text("pgsql-password"),
        "sslmode": arguments.text("pgsql-sslmode").lower(),
        "sslrootcert": arguments.text("pgsql-sslrootcert"),
        "load_balance_hosts": "round_robin",
    }
    is_string = is_connection_string(database)
    # As in PQsetdbLogin, which sysbench calls: options count before a string.
    given = read_connection_string(database) if is_string else {"dbname": database}
    found = find_address(given | {name: value for name, value in options.items() if value})
    return Address(found.url, found.password, "pgsql", found.connect_s, found.warnings)


def _places(arguments: Arguments, driver: str) -> list[tuple[str, int]]:
    """Combine each host with each port, in sysbench's order; one named often is one."""
    hosts, ports = arguments.texts(f"{driver}-host"), arguments.integers(f"{driver}-port")
    if not (hosts and ports and arguments.text(f"{driver}-db")):
        raise InputError(f"--{driver}-host, --{driver}-port and --{driver}-db must not be empty")
    return _once(list(product(hosts, ports)), f"--{driver}-host and --{driver}-port")


def _once(places: Sequence[_Place], options: str) -> list[_Place]:
    """Name each place once: connections take turns, so that equal shares stay what they are."""
    counts = Counter(places)
    if len(set(counts.values())) > 1:
        raise InputError(
            f"{options} name some servers more often than others, which would get more of the "
            "connections; name each once"
        )
    return list(counts)


def _sqlite(arguments: Arguments) -> Address:
    file = arguments.text("sqlite-db")
    if not file:
        raise InputError("--db-driver=sqlite needs --sqlite-db=FILE")
    return Address(f"sqlite:///{quote(str(Path(file).absolute()))}", None, "sqlite")


_READERS = {"mysql": _mysql, "pgsql": _postgresql, "sqlite": _sqlite}
