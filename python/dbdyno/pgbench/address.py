"""Where the server is: pgbench's options, PostgreSQL's environment variables, and its defaults."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dbdyno.direct.address import Address, place, read_url, server_url
from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.pgbench.arguments import Arguments

USUAL_SOCKETS = ("/var/run/postgresql", "/tmp")
"""Where libpq looks for a server's socket when no host is named."""

PASSWORD_FIELDS = 5
"""host:port:database:user:password"""


def read_address(arguments: Arguments) -> Address:
    """Return where a call leads to; InputError where it leads nowhere."""
    database = arguments.database
    if database.startswith(("postgresql://", "postgres://")):
        return _of_url(arguments, database)
    if "=" in database:
        raise InputError(
            f"{database.partition('=')[0]}=… is not read here; write "
            "postgresql://USER@HOST:PORT/DATABASE"
        )
    host = arguments.text("host") or os.environ.get("PGHOST", "")
    user = arguments.text("username") or os.environ.get("PGUSER") or getpass.getuser()
    database = database or os.environ.get("PGDATABASE") or user
    port = _port(arguments)
    socket = host if host.startswith("/") else ""
    if not host:
        socket = next((folder for folder in USUAL_SOCKETS if _has_socket(folder, port)), "")
    host = "localhost" if socket or not host else host
    parameters = {"socket": socket, "ssl_mode": _ssl_mode(socket)}
    if parameters["ssl_mode"].startswith("verify"):
        parameters["ssl_ca"] = os.environ.get("PGSSLROOTCERT") or str(
            Path.home() / ".postgresql" / "root.crt"
        )
    url = server_url("postgresql", user, [place(host, port)], database, parameters)
    return Address(url, _password(host, port, database, user))


def _of_url(arguments: Arguments, url: str) -> Address:
    for name in ("host", "port", "username"):
        if arguments.has(name):
            raise InputError(f"--{name} cannot stand beside a URL; write it into the URL")
    address = read_url(url.replace("postgres://", "postgresql://", 1))
    if address.password is not None:
        return address
    parts = urlsplit(address.url)
    password = _password(
        parts.hostname or "localhost",
        parts.port or 5432,
        unquote(parts.path.lstrip("/")),
        unquote(parts.username or ""),
    )
    return Address(address.url, password)


def _port(arguments: Arguments) -> int:
    text = os.environ.get("PGPORT", "")
    if arguments.has("port") or not text:
        return arguments.integer("port")
    if not text.isdecimal():
        raise InputError(f"the variable PGPORT is {text!r}, which is no port")
    return int(text)


def _ssl_mode(socket: str) -> str:
    return "" if socket else os.environ.get("PGSSLMODE", "")


def _has_socket(folder: str, port: int) -> bool:
    return Path(folder, f".s.PGSQL.{port}").exists()


def _password(host: str, port: int, database: str, user: str) -> str | None:
    """Return the password of the environment, else of PostgreSQL's file of passwords."""
    password = password_in() or password_in("PGPASSWORD")
    if password is not None:
        return password
    wanted = (host, str(port), database, user)
    for fields in _password_file():
        if all(field in ("*", value) for field, value in zip(fields, wanted, strict=False)):
            return fields[-1]
    return None


def _password_file() -> Iterator[list[str]]:
    """Yield the lines of ~/.pgpass, or of the file that PGPASSFILE names, in fields."""
    path = Path(os.environ.get("PGPASSFILE") or Path.home() / ".pgpass")
    try:
        # As libpq, which does not read a file that others may read.
        lines = path.read_text().splitlines() if path.stat().st_mode & 0o077 == 0 else []
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        fields = _fields(line)
        if not line.startswith("#") and len(fields) == PASSWORD_FIELDS:
            yield fields


def _fields(line: str) -> list[str]:
    """Cut a line at its colons; a backslash takes the next character as it is."""
    fields, letters = [""], iter(line)
    for letter in letters:
        if letter == "\\":
            fields[-1] += next(letters, "")
        elif letter == ":" and len(fields) < PASSWORD_FIELDS:
            fields.append("")
        else:
            fields[-1] += letter
    return fields
