"""Where a command goes, as its options or its URL say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv6Address
from pathlib import Path
from urllib.parse import quote

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
    scheme: str,
    user: str,
    places: Iterable[str],
    database: str,
    parameters: Mapping[str, str | tuple[str, ...]],
) -> str:
    """Put a server's URL together; places are ``host:port``, and empty parameters are left out.

    A parameter may have several values, such as the paths of sockets.
    """
    query = "&".join(f"{name}={_written(value)}" for name, value in parameters.items() if value)
    who = f"{_quoted(user)}@" if user else ""
    url = f"{scheme}://{who}{','.join(places)}/{_quoted(database)}?{query}"
    return url.rstrip("?")


def _quoted(text: str, safe: str = "") -> str:
    # Bytes of a command line that are no UTF-8 are refused by the drivers.
    return quote(text, safe=safe, errors="surrogateescape")


def _written(value: str | tuple[str, ...]) -> str:
    """Return a value as the drivers read it, for which + is no blank."""
    values = (value,) if isinstance(value, str) else value
    return ",".join(_quoted(each, safe="/") for each in values)


def place(host: str, port: int | str) -> str:
    """Return a host and a port as a URL has them; ``InputError`` where the host is none."""
    if ":" not in host:
        # What has a meaning in a URL has none in the name of a host.
        return f"{_quoted(host)}:{port}"
    try:
        return f"[{IPv6Address(host)}]:{port}"
    except ValueError:
        # Where somebody wrote a URL, it may have a password.
        raise InputError(
            "a host has a colon and is no address of IPv6; write its name or address alone, and "
            "the port in the option for ports"
        ) from None


def usual_socket() -> str | None:
    """Return the Unix socket that a client of MySQL would take for localhost."""
    return next((path for path in USUAL_SOCKETS if Path(path).exists()), None)
