"""How far the values in tables can be compressed: whether they say anything, or are mere filler.

The first rows of the largest tables are compressed as the server writes them as text, by zlib,
which any engine, file system or disk that compresses comes near to.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno._native import Session
from dbdyno.size.asking import Connect, ask
from dbdyno.size.dialect import DIALECTS, Dialect

TABLES_SAMPLED = 16
ROWS_SAMPLED = 500
"""Of each table. Tools fill all rows of a table alike, so that its first rows tell."""


@dataclass(frozen=True)
class Compression:
    """How many times smaller values become, by a sample of so many bytes of them.

    ``ratio`` is None where it is not known, for the ``reason``.
    """

    ratio: float | None = None
    sample_bytes: int = 0
    reason: str | None = None


def compression_of(connect: Connect, database: str, tables_bytes: Mapping[str, int]) -> Compression:
    """Return the compression of tables, each with the weight of its logical size in bytes."""
    found = ask(connect, lambda session: _compression(session, DIALECTS[database], tables_bytes))
    return Compression(reason=found) if isinstance(found, str) else found


def _compression(
    session: Session, dialect: Dialect, tables_bytes: Mapping[str, int]
) -> Compression:
    largest = sorted(tables_bytes, key=lambda name: (-tables_bytes[name], name))[:TABLES_SAMPLED]
    whole_bytes = compressed_bytes = 0.0
    sample_bytes = 0
    for name in largest:
        sample = _sample(session, dialect, name)
        if sample:
            whole_bytes += tables_bytes[name]
            compressed_bytes += tables_bytes[name] * len(zlib.compress(sample)) / len(sample)
            sample_bytes += len(sample)
    if not compressed_bytes:
        return Compression(reason="the tables have no rows")
    return Compression(whole_bytes / compressed_bytes, sample_bytes)


def _sample(session: Session, dialect: Dialect, name: str) -> bytes:
    rows = session.query(f"SELECT * FROM {dialect.quoted(name)} LIMIT {ROWS_SAMPLED}")
    return "\n".join("\t".join(value or "" for value in row) for row in rows).encode()
