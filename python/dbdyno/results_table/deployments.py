"""What tables say each server was for: the address in one column, its role left of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.results_table.raw import RawTable

_ADDRESS = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
FARTHEST_LEFT = 2
"""Between role and address there may be a number: how many servers have the role."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Placed:
    """A server with one role in one table of a file; ``line`` is that of its row."""

    table: int
    line: int
    address: str
    role: str


def placed_in(raws: Sequence[RawTable]) -> tuple[Placed, ...]:
    """Return each server with each of its roles, once a table, in the order of the rows."""
    found: dict[tuple[int, str, str], Placed] = {}
    for raw in raws:
        for each in _rows_of(raw):
            found.setdefault((each.table, each.address, each.role), each)
    return tuple(found.values())


def _rows_of(raw: RawTable) -> Iterator[Placed]:
    for row in raw.rows:
        for place, cell in enumerate(row.cells):
            if _ADDRESS.fullmatch(cell.strip()):
                left = reversed(row.cells[max(0, place - FARTHEST_LEFT) : place])
                role = next((each.strip() for each in left if _LETTERS.search(each)), "")
                if role:
                    yield Placed(raw.position, row.line, cell.strip(), role)
