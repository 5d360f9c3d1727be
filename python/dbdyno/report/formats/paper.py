"""Tables for paper: one with more columns than fit beside each other becomes several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from dbdyno.report.document.model import Body, Cell, Table
from dbdyno.report.document.parts import parts
from dbdyno.report.language import say

MOST_COLUMNS = 12
"""Of a table that stays whole."""
COLUMNS_OF_PART = 8
"""Of a part at most, besides the headers of its rows, which each part repeats."""


def for_paper(table: Table) -> list[Table]:
    """Return a table, or the parts of it that are narrow enough for a page."""
    if len(table.columns) <= MOST_COLUMNS:
        return [table]
    headers = _headers(table)
    bounds = _bounds(headers, len(table.columns))
    return [
        _part(
            table,
            headers,
            (first, end),
            say("Part {number} of {count}.", number=n, count=len(bounds)),
        )
        for n, (first, end) in enumerate(bounds, start=1)
    ]


def _headers(table: Table) -> int:
    """Return how many columns name what a row is about."""
    rows = (row for body in table.bodies for row in body.rows)
    longest: Sequence[Cell] = max(rows, key=len, default=())
    return max(1, sum(1 for _ in takewhile(lambda cell: cell.is_header, longest)))


def _bounds(headers: int, columns: int) -> list[tuple[int, int]]:
    """Return where each part begins and ends; all are about equally wide."""
    width = columns - headers
    count = -(-width // COLUMNS_OF_PART)
    return list(pairwise(headers + width * each // count for each in range(count + 1)))


def _part(table: Table, headers: int, bounds: tuple[int, int], name: str) -> Table:
    kept = [*range(headers), *range(*bounds)]
    bodies = [
        Body([list(_cells(row, len(table.columns), kept)) for row in body.rows], body.heading)
        for body in table.bodies
    ]
    return replace(
        table,
        caption=(*parts(table.caption), " ", name),
        columns=[table.columns[place] for place in kept],
        bodies=bodies,
        id="",
    )


def _cells(row: Sequence[Cell], columns: int, kept: Sequence[int]) -> Iterator[Cell]:
    """Yield the cells of a row in some columns: a row below a header that spans begins later."""
    left_out = columns - len(row)
    for place in kept:
        if place >= left_out:
            yield row[place - left_out]
