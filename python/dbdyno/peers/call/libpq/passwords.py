"""A server's password, from where libpq takes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.variables import POSTGRESQL

FIELDS = 5
"""host:port:database:user:password"""

USUAL_SOCKET = "/var/run/postgresql"
"""The file of passwords has localhost for it; for another socket it has the folder."""


def find_password(
    hosts: Sequence[tuple[str, str]], database: str, user: str, passfile: str = ""
) -> str | None:
    """Return the password of the environment, else of PostgreSQL's file of passwords.

    ``hosts`` are names, or folders of sockets, each with its port.
    """
    password = password_in() or password_in(POSTGRESQL["password"].name)
    if password is not None:
        return password
    lines = list(_lines(passfile))
    found = {_of_host(lines, (*host, database, user)) for host in hosts}
    if len(found) > 1:
        raise InputError(
            "the file of passwords has different ones for the hosts of this call; set PGPASSWORD, "
            "or call each host by itself"
        )
    return found.pop()


def _of_host(lines: Sequence[list[str]], wanted: tuple[str, ...]) -> str | None:
    host, *others = wanted
    texts = ("localhost" if host.rstrip("/") == USUAL_SOCKET else host, *others)
    for fields in lines:
        if all(field in ("*", text) for field, text in zip(fields, texts, strict=False)):
            return fields[-1]
    return None


def _lines(passfile: str) -> Iterator[list[str]]:
    """Yield the lines of ~/.pgpass, or of the file that is named, in fields."""
    try:
        path = Path(passfile or "~/.pgpass").expanduser()
        # As libpq, which does not read a file that others may read.
        lines = path.read_text().splitlines() if path.stat().st_mode & 0o077 == 0 else []
    except (OSError, RuntimeError, UnicodeDecodeError):
        return
    for line in lines:
        fields = fields_of(line)
        if not line.startswith("#") and len(fields) == FIELDS:
            yield fields


def fields_of(line: str) -> list[str]:
    """Cut a line at its colons; a backslash takes the next character as it is."""
    fields, letters = [""], iter(line)
    for letter in letters:
        if letter == "\\":
            fields[-1] += next(letters, "")
        elif letter == ":" and len(fields) < FIELDS:
            fields.append("")
        else:
            fields[-1] += letter
    return fields
