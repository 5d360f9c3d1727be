"""Where the server is: pgbench's options, PostgreSQL's environment variables, and its defaults."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dbdyno.direct.address import Address, place, read_url, server_url
from dbdyno.errors import InputError
from dbdyno.pgbench.arguments import Arguments
from dbdyno.pgbench.passwords import find_password

USUAL_SOCKETS = ("/var/run/postgresql", "/tmp")
"""Where libpq looks for a server's socket when no host is named."""

NOT_READ = ("PGOPTIONS", "PGSERVICE", "PGHOSTADDR")
"""Variables that change what libpq does, and that nobody reads here."""

SSL_MODES = {"allow": "prefer", "": "prefer"}
"""How libpq's modes are called here, where they are called otherwise; prefer is libpq's default."""


def read_address(arguments: Arguments) -> Address:
    """Return where a call leads to; InputError where it leads nowhere."""
    for variable in NOT_READ:
        if os.environ.get(variable):
            raise InputError(
                f"the variable {variable} is set, and dbdyno does not read it; unset it"
            )
    database = arguments.database
    if database.startswith(("postgresql://", "postgres://")):
        return _of_url(arguments, database.replace("postgres://", "postgresql://", 1))
    if "=" in database:
        raise InputError(
            f"{database.partition('=')[0]}=… is not read here; write "
            "postgresql://USER@HOST:PORT/DATABASE"
        )
    user = _user(arguments)
    return _of_parts(arguments, user, database or os.environ.get("PGDATABASE") or user)


def _of_parts(arguments: Arguments, user: str, database: str) -> Address:
    host, port = arguments.text("host") or os.environ.get("PGHOST", ""), _port(arguments)
    socket = host if host.startswith("/") else ""
    if not host:
        socket = next((folder for folder in USUAL_SOCKETS if _has_socket(folder, port)), "")
    hosts = ["localhost"] if socket or not host else host.split(",")
    parameters = {"socket": socket} if socket else _encryption()
    url = server_url(
        "postgresql", user, [place(each, port) for each in hosts], database, parameters
    )
    return Address(url, find_password(hosts[0], port, database, user))


def _of_url(arguments: Arguments, url: str) -> Address:
    for name in ("host", "port", "username"):
        if arguments.has(name):
            raise InputError(f"--{name} cannot stand beside a URL; write it into the URL")
    address = read_url(url)
    first = urlsplit(address.host_urls[0])
    user = unquote(first.username or "") or _user(arguments)
    database = unquote(first.path.lstrip("/")) or os.environ.get("PGDATABASE") or user
    if not first.hostname:
        whole = _of_parts(arguments, user, database)
        return whole if address.password is None else Address(whole.url, address.password)
    if not first.username:
        address = Address(address.url.replace("://", f"://{user}@", 1), address.password)
    if address.password is not None:
        return address
    port = first.port or arguments.integer("port")
    return Address(address.url, find_password(first.hostname, port, database, user))


def _user(arguments: Arguments) -> str:
    named = arguments.text("username") or os.environ.get("PGUSER")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError("the operating system knows no name of this user; give -U NAME") from error


def _port(arguments: Arguments) -> int:
    text = os.environ.get("PGPORT", "")
    if arguments.has("port") or not text:
        return arguments.integer("port")
    if not text.isdecimal():
        raise InputError(f"the variable PGPORT is {text!r}, which is not a valid port")
    return int(text)


def _encryption() -> dict[str, str]:
    mode = os.environ.get("PGSSLMODE", "")
    mode = SSL_MODES.get(mode, mode)
    if not mode.startswith("verify"):
        return {"ssl_mode": mode}
    usual = Path("~/.postgresql/root.crt").expanduser()
    return {"ssl_mode": mode, "ssl_ca": os.environ.get("PGSSLROOTCERT") or str(usual)}


def _has_socket(folder: str, port: int) -> bool:
    return Path(folder, f".s.PGSQL.{port}").exists()
