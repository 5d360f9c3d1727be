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


def spread(
    rows: Sequence[Row],
    key: Callable[[Row], float],
    most: int = MOST_CELLS,
    of_many: int = CELLS_OF_MANY,
) -> Sequence[Row]:
    """Return all rows, or some that are spread evenly over their ranks by ``key``.

    Of more than ``most`` it is ``of_many``.
    """
    if len(rows) <= most:
        return rows
    ranked = sorted(range(len(rows)), key=lambda place: key(rows[place]))
    drawn = {ranked[step * (len(ranked) - 1) // (of_many - 1)] for step in range(of_many)}
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


def is_measured(cell: CellSummary) -> bool:
    """Tell whether a cell has at least one valid trial, and so a throughput."""
    return cell.throughput_per_s.count > 0 and figures.is_known(cell.throughput_per_s.mean)


def _throughput_per_s(cell: CellSummary) -> float:
    return cell.throughput_per_s.mean if is_measured(cell) else 0.0
