"""libpq's connection strings: ``host=db1 dbname='my bench'`` and ``postgresql://db1/my%20bench``.

Both are taken apart as libpq does it (``conninfo_parse`` and ``conninfo_uri_parse_options`` in its
fe-connect.c). No message repeats a value: it may be a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from dbdyno.errors import InputError
from dbdyno.peers.call.libpq.keywords import check_name

PREFIXES = ("postgresql://", "postgres://")
OWN_NAMES = {
    "ssl_mode": "sslmode",
    "ssl-mode": "sslmode",
    "ssl_ca": "sslrootcert",
    "load_balance": "load_balance_hosts",
    "socket": "host",
}
"""What dbdyno's URLs call libpq's parameters."""

_PAIR = re.compile(
    r"([^=\s]*)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(?!')((?:[^\s\\]|\\.|\\\Z)*))\s*", re.S | re.A
)
_ESCAPED = re.compile(r"\\(.?)", re.S)
_HOST = re.compile(r"(?:\[([^\]]+)\](?=[:/?,]|\Z)|([^:/?,]*))(?::([^/?,]*))?")
_NO_BYTE = re.compile(r"%(?![0-9a-fA-F]{2})|%00")


def is_connection_string(database: str) -> bool:
    """Tell whether what stands for a database says more than its name."""
    return database.startswith(PREFIXES) or "=" in database


def read_connection_string(text: str) -> dict[str, str]:
    """Return its parameters by libpq's names; of one that is repeated the last."""
    if text.startswith(PREFIXES):
        where, pairs = "the URL", _of_uri(text)
    else:
        where, pairs = "the connection string", _of_pairs(text)
    found: dict[str, str] = {}
    for name, value in pairs:
        if name == "requiressl":
            # The older name of sslmode.
            found["sslmode"] = "require" if value.startswith("1") else "prefer"
            continue
        check_name(name, where, may_be_shown="password" not in found)
        found[name] = value
    return found


def _of_pairs(text: str) -> Iterator[tuple[str, str]]:
    position, count = len(text) - len(text.lstrip(" \t\n\v\f\r")), 0
    while position < len(text):
        pair = _PAIR.match(text, position)
        if pair is None:
            raise InputError(
                f"the connection string is not understood behind {count} of its parameters; "
                "write NAME=VALUE, separated by spaces, and '…' around values with spaces"
            )
        name, quoted, plain = pair.groups()
        yield name, _ESCAPED.sub(r"\1", plain if quoted is None else quoted)
        position, count = pair.end(), count + 1


def _of_uri(text: str) -> Iterator[tuple[str, str]]:
    rest = text.partition("://")[2]
    who, at, behind = rest.partition("@")
    if at and "/" not in who:
        rest = behind
        user, _, password = who.partition(":")
        yield from _given("user", user)
        yield from _given("password", password)
    hosts, ports, rest = _take_hosts(rest)
    yield from _given("host", ",".join(hosts))
    yield from _given("port", ",".join(ports))
    if rest.startswith("/"):
        database, question, query = rest[1:].partition("?")
        yield from _given("dbname", database)
    else:
        _, question, query = rest.partition("?")
    if question and query:
        yield from _of_query(query)


def _given(name: str, written: str) -> Iterator[tuple[str, str]]:
    if written:
        yield name, _decoded(written)


def _take_hosts(text: str) -> tuple[list[str], list[str], str]:
    """Return hosts, their ports, which may be empty, and what stands behind them."""
    hosts, ports, position = [], [], 0
    while True:
        found = _HOST.match(text, position)
        if found is None or (text[position : position + 1] == "[" and found[1] is None):
            raise InputError("the URL has an address in […] that is none; write it as [::1]:5432")
        hosts.append(found[1] or found[2] or "")
        ports.append(found[3] or "")
        position = found.end()
        if text[position : position + 1] != ",":
            # A list of empty ports is one without a comma where there is one host.
            return hosts, ports, text[position:]
        position += 1


def _of_query(query: str) -> Iterator[tuple[str, str]]:
    pairs = query.removesuffix("&").split("&")
    for number, pair in enumerate(pairs, 1):
        if pair.count("=") != 1:
            raise InputError(
                f"parameter {number} behind the ? of the URL is not NAME=VALUE; in values write = "
                "as %3D, & as %26 and % as %25"
            )
        name, value = map(_decoded, pair.split("="))
        # As libpq has it for URLs that were written for JDBC.
        is_jdbc = (name, value) == ("ssl", "true")
        yield ("sslmode", "require") if is_jdbc else (OWN_NAMES.get(name, name), value)


def _decoded(text: str) -> str:
    if _NO_BYTE.search(text):
        raise InputError("the URL has a % that begins no character; write % as %25")
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise InputError("a part of the URL is not UTF-8 after percent-decoding") from error
