"""libpq's connection strings: ``host=db1 port=5432 dbname='my bench'``."""

from __future__ import annotations

import re

from dbdyno.errors import InputError

READ = ("host", "port", "user", "dbname", "password", "sslmode", "sslrootcert")
WITHOUT_EFFECT = ("application_name", "fallback_application_name", "client_encoding")
"""What changes nothing that is measured."""

_PAIR = re.compile(r"\s*([^\s=]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?=\s|$)\s*", re.S)
_ESCAPED = re.compile(r"\\(.)", re.S)


def read_connection_string(text: str) -> dict[str, str]:
    """Return the parameters that have a value; ``InputError`` for what nobody reads here."""
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        pair = _PAIR.match(text, position)
        if pair is None:
            # The rest may hold a password.
            raise InputError(
                f"the connection string is not understood behind {len(found)} of its parameters; "
                "write NAME=VALUE, separated by spaces, and '…' around values with spaces"
            )
        found[pair[1]] = _ESCAPED.sub(r"\1", pair[2].removeprefix("'").removesuffix("'"))
        position = pair.end()
    unknown = [name for name in found if name not in (*READ, *WITHOUT_EFFECT)]
    if unknown:
        raise InputError(
            f"{unknown[0]}=… in a connection string is not read here; known: {', '.join(READ)}"
        )
    return {name: value for name, value in found.items() if value and name in READ}
