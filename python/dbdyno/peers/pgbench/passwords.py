"""A server's password, from where libpq takes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dbdyno.password import password_in
from dbdyno.variables import POSTGRESQL_PASSWORD, POSTGRESQL_PASSWORD_FILE

FIELDS = 5
"""host:port:database:user:password"""


def find_password(host: str, port: int, database: str, user: str) -> str | None:
    """Return the password of the environment, else of PostgreSQL's file of passwords."""
    password = password_in() or password_in(POSTGRESQL_PASSWORD.name)
    if password is not None:
        return password
    wanted = (host, str(port), database, user)
    for fields in _lines():
        if all(field in ("*", value) for field, value in zip(fields, wanted, strict=False)):
            return fields[-1]
    return None


def _lines() -> Iterator[list[str]]:
    """Yield the lines of ~/.pgpass, or of the file that PGPASSFILE names, in fields."""
    try:
        path = Path(POSTGRESQL_PASSWORD_FILE.value() or "~/.pgpass").expanduser()
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
