"""What tables take on disk: asks each kind of server for what it knows best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno._native import Session
from dbdyno.size import mysql, postgresql, sqlite
from dbdyno.size.asking import Connect, ask
from dbdyno.size.model import DiskSize

Tables = Sequence[str] | None

_MEASURE: dict[str, Callable[[Session, Tables], DiskSize]] = {
    "mysql": mysql.size_on_disk,
    "postgresql": postgresql.size_on_disk,
    "sqlite": sqlite.size_on_disk,
}


def size_on_disk(connect: Connect, database: str, tables: Tables) -> DiskSize:
    """Return the size of some tables, or of all; ``database`` is mysql, postgresql or sqlite."""
    size = ask(connect, lambda session: _MEASURE[database](session, tables))
    return DiskSize(None, reason=size) if isinstance(size, str) else size
