"""Columns with two figures a cell, as ``latency (avg / p95)`` above ``8 ms / 12 ms``: they part."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from dbdyno.results_table.column_plan import MOSTLY
from dbdyno.results_table.numbers import is_missing, plain_text, read_number
from dbdyno.results_table.raw import RawRow, RawTable

_HEADING = re.compile(r"(?P<common>.*?)[(\[](?P<one>[^/()\[\]]+)/(?P<other>[^/()\[\]]+)[)\]]\s*$")
_TWO_NAMES = re.compile(r"(?P<common>)(?P<one>[^/()]+)/(?P<other>[^/()]+)$")
_PERCENTILE = re.compile(r"0?\.(\d\d+)$")


def split_pairs(raw: RawTable, given: Collection[str]) -> RawTable:
    """Return a table whose columns have one figure a cell; described ones stay as they are."""
    for place in reversed(range(len(raw.headings))):
        match = _HEADING.match(raw.headings[place]) or _TWO_NAMES.match(raw.headings[place])
        cells = [row.cells[place] for row in raw.rows]
        if match and raw.headings[place] not in given and _are_pairs(cells):
            common = match["common"].strip()
            names = [f"{common} {_statistic(match[side])}".strip() for side in ("one", "other")]
            raw = _split(raw, place, names)
    return raw


def _statistic(text: str) -> str:
    """Return the name of a statistic, that of a quantile as ``p95``."""
    bare = plain_text(text)
    quantile = _PERCENTILE.match(bare)
    return f"p{quantile[1]}" if quantile else bare


def _are_pairs(cells: list[str]) -> bool:
    told = [cell for cell in cells if not is_missing(cell)]
    pairs = sum(all(map(read_number, _parts(cell))) for cell in told if "/" in cell)
    return bool(told) and pairs >= MOSTLY * len(told)


def _parts(cell: str) -> tuple[str, str]:
    one, _, other = cell.partition("/")
    return one.strip(), other.strip()


def _split(raw: RawTable, place: int, names: list[str]) -> RawTable:
    headings = (*raw.headings[:place], *names, *raw.headings[place + 1 :])
    rows = tuple(
        RawRow(row.line, (*row.cells[:place], *_parts(row.cells[place]), *row.cells[place + 1 :]))
        for row in raw.rows
    )
    return replace(raw, headings=headings, rows=rows)
