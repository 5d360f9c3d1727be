"""Which cells are drawn: all, or of very many some that stand for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.language import say

Row = TypeVar("Row")

MOST_CELLS = 100
"""So many are all drawn. Nobody compares more panels than that."""

CELLS_OF_MANY = 40
"""So many are drawn where there are more: a page of a few megabytes holds them."""


def drawn_cells(cells: Sequence[CellSummary]) -> Sequence[CellSummary]:
    """Return the cells that are drawn, in their order.

    Of more than ``MOST_CELLS`` it is some that are spread evenly over their ranks by throughput,
    the slowest and the fastest among them. Those without a valid trial rank lowest.
    """
    return spread(cells, _throughput_per_s)


def spread(rows: Sequence[Row], key: Callable[[Row], float]) -> Sequence[Row]:
    """Return all rows, or of very many those that are spread evenly over their ranks by ``key``."""
    if len(rows) <= MOST_CELLS:
        return rows
    ranked = sorted(range(len(rows)), key=lambda place: key(rows[place]))
    last = CELLS_OF_MANY - 1
    drawn = {ranked[step * (len(ranked) - 1) // last] for step in range(CELLS_OF_MANY)}
    return [row for place, row in enumerate(rows) if place in drawn]


def note(findings: Findings) -> str:
    """Return which cells are drawn; "" where all of them are."""
    if len(findings.cells) <= MOST_CELLS:
        return ""
    return say(
        "Of {all} cells, {drawn} are drawn: from the slowest to the fastest, evenly spread over "
        "their ranks. The tables have all.",
        all=figures.count(len(findings.cells)),
        drawn=CELLS_OF_MANY,
    )


def _throughput_per_s(cell: CellSummary) -> float:
    mean = cell.throughput_per_s.mean
    return mean if cell.throughput_per_s.count and figures.is_known(mean) else 0.0
