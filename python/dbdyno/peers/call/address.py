"""Where a command goes, as its options or its URL say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.password import password_in, split_password

USUAL_SOCKETS = ("/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock")
"""Where MySQL's client library looks when the host is localhost."""


def read_url(written: str) -> Address:
    """Read a URL from a command line; its password, or that of the environment, is put aside."""
    from pydantic_core import PydanticCustomError

    from dbdyno.database.url import check_url

    url, in_url = split_password(written)
    try:
        check_url(url)
    except PydanticCustomError as error:
        raise InputError(f"URL: {error}") from error
    return Address(url, password_in() if in_url is None else in_url)


def server_url(
    scheme: str, user: str, places: Iterable[str], database: str, parameters: Mapping[str, str]
) -> str:
    """Put a server's URL together; places are ``host:port``, and empty parameters are left out."""
    query = urlencode({name: value for name, value in parameters.items() if value}, safe="/,")
    who = f"{quote(user, safe='')}@" if user else ""
    url = f"{scheme}://{who}{','.join(places)}/{quote(database, safe='')}?{query}"
    return url.rstrip("?")


def place(host: str, port: int | str) -> str:
    """Return a host and a port as a URL has them."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def usual_socket() -> str | None:
    """Return the Unix socket that a client of MySQL would take for localhost."""
    return next((path for path in USUAL_SOCKETS if Path(path).exists()), None)
