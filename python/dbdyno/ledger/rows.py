"""Rows whose last acknowledged values are known, read back one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno._native import Session
from dbdyno.protocol.events import Writes

KEYS_A_QUERY = 100
SHOWN = 3


@dataclass(frozen=True)
class RowsAsked:
    """Where the generator's rows are: tables by number, the key's column and the one written."""

    tables: list[str]
    key: str
    value: str


@dataclass(frozen=True)
class RowsFound:
    """How many rows were read back, and how many of them hold something else.

    ``ambiguous`` rows were left out: nobody knows which write of them was the last.
    """

    checked: int
    wrong: int
    ambiguous: int
    sentence: str


def read_back(session: Session, asked: RowsAsked, writes: Writes) -> RowsFound:
    """Hold the last values that were acknowledged against those that are stored."""
    by_table: dict[str, dict[int, str | None]] = defaultdict(dict)
    for row in writes.rows:
        by_table[asked.tables[row.table]][row.id] = row.value
    wrong = []
    for table, expected in by_table.items():
        stored = _stored(session, asked, table, sorted(expected))
        wrong += [
            f"{table} {asked.key} {key}: {_shown(value)} acknowledged, {_shown(stored.get(key))} "
            "stored"
            for key, value in expected.items()
            if stored.get(key) != value
        ]
    checked, ambiguous = len(writes.rows), writes.ambiguous
    sentence = f"{checked:,} of the rows written were read back, {checked - len(wrong):,} of them "
    sentence += "hold what was acknowledged last"
    if ambiguous:
        sentence += f" ({ambiguous:,} more are ambiguous: written at one time by several clients)"
    if wrong:
        sentence += f": {'; '.join(wrong[:SHOWN])}"
    return RowsFound(checked, len(wrong), ambiguous, sentence)


def _stored(
    session: Session, asked: RowsAsked, table: str, keys: Sequence[int]
) -> dict[int, str | None]:
    found: dict[int, str | None] = {}
    for start in range(0, len(keys), KEYS_A_QUERY):
        some = ", ".join(map(str, keys[start : start + KEYS_A_QUERY]))
        rows = session.query(
            f"SELECT {asked.key}, {asked.value} FROM {table} WHERE {asked.key} IN ({some})"
        )
        # PostgreSQL fills a CHAR up with blanks.
        found |= {int(key or 0): None if value is None else value.rstrip() for key, value in rows}
    return found


def _shown(value: str | None) -> str:
    return "no row" if value is None else f"{value[:11]}…"
