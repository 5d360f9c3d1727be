"""The tables of a server of the MySQL family on disk, each as its storage engine tells it.

``DATA_LENGTH`` and ``INDEX_LENGTH`` are what the optimizer believes: of InnoDB they leave out what
is allocated and not used, and of compressed pages and MyRocks they are estimates. So InnoDB is
asked for its files, MyRocks for its sorted files, and only engines with a file a table for the
lengths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from dbdyno._native import Session
from dbdyno.size import myrocks
from dbdyno.size.asking import UnknownSizeError
from dbdyno.size.model import DiskSize

# The lengths are asked for because that has the server open the tables: MariaDB's list of
# tablespaces has only those that were opened since it was started.
_TABLES = """
    SELECT table_name, engine, data_length + index_length FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')"""

_TABLESPACES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_schema = 'information_schema'
      AND table_name IN ('INNODB_SYS_TABLESPACES', 'INNODB_TABLESPACES')"""

LENGTH_IS_SIZE = {"aria", "myisam"}
"""Engines of which the lengths are those of files."""

_PARTITION = re.compile(r"#p#.*", re.IGNORECASE | re.DOTALL)
_ENCODED = re.compile(r"@([0-9a-f]{4})")
"""A character that names of files do not have, as the server writes it there."""


def size_on_disk(session: Session, tables: Sequence[str] | None) -> DiskSize:
    """Return the size of some tables of the session's database, or of all of them."""
    present = {
        str(name): (str(engine or "no engine").lower(), int(length or 0))
        for name, engine, length in session.query(_TABLES)
    }
    by_engine: dict[str, dict[str, int]] = {}
    for name in present if tables is None else tables:
        if name not in present:
            raise UnknownSizeError(f"there is no table {name}")
        engine, length = present[name]
        by_engine.setdefault(engine, {})[name] = length
    return _sum(_of_engine(session, engine, lengths) for engine, lengths in by_engine.items())


def _of_engine(session: Session, engine: str, lengths: Mapping[str, int]) -> DiskSize:
    if engine in LENGTH_IS_SIZE:
        return DiskSize(sum(lengths.values()), f"{engine}'s lengths", tables_bytes=lengths)
    if engine not in _ENGINES:
        raise UnknownSizeError(
            f"table {next(iter(lengths))} is in the storage engine {engine}, which does not tell "
            "what it takes on disk"
        )
    return _ENGINES[engine](session, list(lengths))


def _sum(parts: Iterable[DiskSize]) -> DiskSize:
    known = list(parts)
    return DiskSize(
        sum(part.size_bytes or 0 for part in known),
        ", ".join(part.source for part in known),
        note="; ".join(part.note for part in known if part.note) or None,
        tables_bytes={name: size for part in known for name, size in part.tables_bytes.items()},
    )


def _of_innodb(session: Session, tables: Sequence[str]) -> DiskSize:
    """Add up the blocks of the tables' own files: holes punched into them take none."""
    views = [str(name) for (name,) in session.query(_TABLESPACES)]
    if not views:
        raise UnknownSizeError("the server has no list of InnoDB's tablespaces")
    database = session.query("SELECT DATABASE()")[0][0] or ""
    rows = session.query(f"SELECT name, allocated_size FROM information_schema.{views[0]}")
    sizes: dict[str, int] = {}
    for name, size in rows:
        folder, _, file = str(name).partition("/")
        table = _decoded(_PARTITION.sub("", file))
        if _decoded(folder) == database and table in tables:
            sizes[table] = sizes.get(table, 0) + int(size or 0)
    missing = [name for name in tables if name not in sizes]
    if missing:
        raise UnknownSizeError(
            f"InnoDB's table {missing[0]} has no file of its own (innodb_file_per_table)"
        )
    return DiskSize(
        sum(sizes.values()), f"{views[0]}: blocks of the tables' files", tables_bytes=sizes
    )


def _decoded(name: str) -> str:
    """Return the name that a file's stands for: ``my@002dtable`` is ``my-table``."""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), name)


_ENGINES: dict[str, Callable[[Session, Sequence[str]], DiskSize]] = {
    "innodb": _of_innodb,
    "rocksdb": myrocks.size_on_disk,
}
