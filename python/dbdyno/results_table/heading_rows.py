"""Several rows of headings: joined to one, or, where each has a name of its own, levels of factors.

In the second form the first cell of each row of headings says what the others are levels of::

    shard function | CRC32 |   | modulo |          clients  shard function  data nodes  tpmC
    data nodes     | 3     | 9 | 9      |    is    1        CRC32           3           ...
    clients        | tpmC  | tpmC | tpmC |         1        CRC32           9           ...
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno.results_table.raw import RawRow, refuse_large
from dbdyno.results_table.vocabulary import TOTAL

Cells = tuple[str, ...]


def below_headings(
    path: Path, heads: Sequence[Cells], body: Sequence[RawRow]
) -> tuple[Cells, tuple[RawRow, ...]]:
    """Return one heading a column, and the rows below; ``heads`` has each merged cell filled.

    InputError where the table would be too large in the second form.
    """
    columns = list(zip(*_padded(heads), strict=True))
    spread = _levels(columns)
    if spread is None:
        return _joined(columns), tuple(body)
    refuse_large(path, len(body) * len(spread), len(columns) + len(heads))
    return _spread(columns, spread, body)


def _padded(heads: Sequence[Cells]) -> list[list[str]]:
    width = max(map(len, heads), default=0)
    return [[*map(str.strip, row), *[""] * (width - len(row))] for row in heads]


def _joined(columns: Sequence[Cells]) -> Cells:
    """Return the headings of each column as one; what is said twice stands once.

    A second total of that name is of other columns than the first.
    """
    names: list[str] = []
    for parts in columns:
        name = " ".join(dict.fromkeys(filter(None, parts)))
        again = sum(each == name or each.startswith(f"{name} #") for each in names)
        names.append(f"{name} #{again + 1}" if again and TOTAL.search(name) else name)
    return tuple(names)


def _levels(columns: Sequence[Cells]) -> list[Cells] | None:
    """Return the levels of all columns that have some, in their order; None in the first form."""
    first, others = columns[0], columns[1:]
    if len(first) == 1 or "" in first or len(set(first)) < len(first):
        return None
    leveled = [column for column in others if not _is_of_all(column)]
    alike = any(TOTAL.search(column[0]) for column in others if _is_of_all(column))
    whole = all(all(column) for column in leveled)
    is_once = len(set(leveled)) == len(leveled)
    levels = list(dict.fromkeys(column[:-1] for column in leveled))
    return levels if whole and is_once and not alike and len(levels) > 1 else None


def _is_of_all(column: Cells) -> bool:
    """Tell whether a column has one heading over all rows: its figures are of no level."""
    return column[0] != "" and set(column) <= {column[0], ""}


def _spread(
    columns: Sequence[Cells], levels: Sequence[Cells], body: Sequence[RawRow]
) -> tuple[Cells, tuple[RawRow, ...]]:
    places = {column: place for place, column in enumerate(columns) if place > 0}
    of_all = [column for column in places if _is_of_all(column)]
    names = list(dict.fromkeys(column[-1] for column in places if column not in of_all))
    *dimensions, key = columns[0]
    rows = []
    for row in body:
        for level in levels:
            found = [places.get((*level, name)) for name in names]
            found += [places[column] for column in of_all]
            cells = ["" if place is None else row.cells[place] for place in found]
            rows.append(RawRow(row.line, (row.cells[0], *level, *cells)))
    return (key, *dimensions, *names, *(column[0] for column in of_all)), tuple(rows)
