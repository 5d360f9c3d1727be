"""Where the server is: pgbench's options, PostgreSQL's environment variables, and its defaults."""

from __future__ import annotations

import getpass
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.peers.call.address import place, read_url, server_url
from dbdyno.peers.pgbench.arguments import Arguments
from dbdyno.peers.pgbench.connection_string import read_connection_string
from dbdyno.peers.pgbench.passwords import find_password
from dbdyno.variables import (
    POSTGRESQL_ADDRESS,
    POSTGRESQL_DATABASE,
    POSTGRESQL_HOST,
    POSTGRESQL_OPTIONS,
    POSTGRESQL_PORT,
    POSTGRESQL_SERVICE,
    POSTGRESQL_SSL_MODE,
    POSTGRESQL_SSL_ROOT,
    POSTGRESQL_USER,
)

USUAL_SOCKETS = ("/var/run/postgresql", "/tmp")
"""Where libpq looks for a server's socket when no host is named."""

NOT_READ = (
    POSTGRESQL_OPTIONS,
    POSTGRESQL_SERVICE,
    POSTGRESQL_ADDRESS,
)
"""Variables that change what libpq does, and that nobody reads here."""

SSL_MODES = {"allow": "prefer", "": "prefer"}
"""How libpq's modes are called here, where they are called otherwise; prefer is libpq's default."""


@dataclass(frozen=True)
class Parts:
    """Where a server is, in libpq's words; what is empty is as libpq has it by default."""

    host: str
    port: int
    user: str
    database: str
    ssl_mode: str
    ssl_root: str
    password: str | None = None

    def address(self) -> Address:
        """Return the same as a URL, and the password, wherever it is kept."""
        socket = self.host if self.host.startswith("/") else ""
        if not self.host:
            folders = (folder for folder in USUAL_SOCKETS if _has_socket(folder, self.port))
            socket = next(folders, "")
        hosts = ["localhost"] if socket or not self.host else self.host.split(",")
        parameters = {"socket": socket} if socket else self._encryption()
        places = [place(host, self.port) for host in hosts]
        url = server_url("postgresql", self.user, places, self.database, parameters)
        found = find_password(hosts[0], self.port, self.database, self.user)
        return Address(url, found if self.password is None else self.password)

    def _encryption(self) -> dict[str, str]:
        mode = SSL_MODES.get(self.ssl_mode, self.ssl_mode)
        if not mode.startswith("verify"):
            return {"ssl_mode": mode}
        usual = Path("~/.postgresql/root.crt").expanduser()
        return {"ssl_mode": mode, "ssl_ca": self.ssl_root or str(usual)}


def read_address(arguments: Arguments) -> Address:
    """Return where a call leads to; InputError where it leads nowhere."""
    for variable in NOT_READ:
        if variable.value():
            raise InputError(
                f"the variable {variable.name} is set, and dbdyno does not read it; unset it"
            )
    database = arguments.database
    if database.startswith(("postgresql://", "postgres://")):
        return _of_url(arguments, database.replace("postgres://", "postgresql://", 1))
    if "=" in database:
        return _of_string(arguments, database)
    return _parts(arguments, _user(arguments), database).address()


def _parts(arguments: Arguments, user: str, database: str) -> Parts:
    """Return what options and environment say, and a user and a database that are known."""
    return Parts(
        host=arguments.text("host") or POSTGRESQL_HOST.value() or "",
        port=_port(arguments),
        user=user,
        database=database or POSTGRESQL_DATABASE.value() or user,
        ssl_mode=POSTGRESQL_SSL_MODE.value() or "",
        ssl_root=POSTGRESQL_SSL_ROOT.value() or "",
    )


def _of_string(arguments: Arguments, text: str) -> Address:
    _refuse_places(arguments, "a connection string")
    given = read_connection_string(text)
    usual = _parts(arguments, given.get("user") or _user(arguments), given.get("dbname", ""))
    return replace(
        usual,
        host=given.get("host", usual.host),
        port=_port_of(given["port"], "port=") if "port" in given else usual.port,
        ssl_mode=given.get("sslmode", usual.ssl_mode),
        ssl_root=given.get("sslrootcert", usual.ssl_root),
        password=given.get("password"),
    ).address()


def _refuse_places(arguments: Arguments, other: str) -> None:
    for name in ("host", "port", "username"):
        if arguments.has(name):
            raise InputError(f"--{name} cannot stand beside {other}; write it into that")


def _of_url(arguments: Arguments, url: str) -> Address:
    _refuse_places(arguments, "a URL")
    address = read_url(url)
    first = urlsplit(address.host_urls[0])
    user = unquote(first.username or "") or _user(arguments)
    database = unquote(first.path.lstrip("/")) or POSTGRESQL_DATABASE.value() or user
    if not first.hostname:
        return replace(_parts(arguments, user, database), password=address.password).address()
    if not first.username:
        address = Address(address.url.replace("://", f"://{user}@", 1), address.password)
    if address.password is not None:
        return address
    port = first.port or arguments.integer("port")
    return Address(address.url, find_password(first.hostname, port, database, user))


def _user(arguments: Arguments) -> str:
    named = arguments.text("username") or POSTGRESQL_USER.value()
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError("the operating system knows no name of this user; give -U NAME") from error


def _port(arguments: Arguments) -> int:
    text = POSTGRESQL_PORT.value() or ""
    if arguments.has("port") or not text:
        return arguments.integer("port")
    return _port_of(text, "the variable PGPORT")


def _port_of(text: str, where: str) -> int:
    if not text.isdecimal():
        raise InputError(f"{where} is {text!r}, which is not a valid port")
    return int(text)


def _has_socket(folder: str, port: int) -> bool:
    return Path(folder, f".s.PGSQL.{port}").exists()
