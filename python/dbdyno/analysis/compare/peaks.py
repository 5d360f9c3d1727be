"""The number of clients at which throughput was highest, and what more of them do to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.cells import figure_by_round
from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import Effect
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.findings import CellSummary
from dbdyno.experiment.plan import Cell, FactorLevels

FEWEST_LOADS = 3
"""Of two, their comparison says as much."""


@dataclass(frozen=True)
class Peak:
    """Cells that differ in the number of clients alone."""

    load: FactorLevels
    best: CellSummary
    """Whose throughput is highest on the mean."""
    last: CellSummary
    """That with the most clients."""
    change: Effect | None
    """From the highest mean to the most clients, paired by round; None where they are the same cell
    or a round had no throughput. That the highest was chosen makes a fall look larger than it is.
    """


def find_peaks(cells: Sequence[CellSummary], factors: Iterable[FactorLevels]) -> Iterator[Peak]:
    """Yield the peak of each combination of the other factors that has cells at several loads."""
    load = next((each for each in factors if each.sets == "load.clients"), None)
    if load is None:
        return
    series: dict[Cell, list[CellSummary]] = {}
    for each in cells:
        if each.throughput_per_s.count:
            series.setdefault(each.cell.without(load.name), []).append(each)
    for members in series.values():
        if len(members) >= FEWEST_LOADS:
            best = max(members, key=lambda each: each.throughput_per_s.mean)
            # Levels stand in the order of the file, which may begin with the most clients.
            last = max(members, key=lambda each: int(each.cell.level(load.name)))
            yield Peak(load, best, last, _change(load, last, best))


def _change(load: FactorLevels, last: CellSummary, best: CellSummary) -> Effect | None:
    if last is best or last.idle_rounds or best.idle_rounds:
        return None  # There is no ratio to nothing.
    own, other = (figure_by_round(each, THROUGHPUT) for each in (last, best))
    step = math.hypot(*(each.resolution.get(THROUGHPUT.name, 0.0) for each in (last, best)))
    pair = Pair(load.name, last.cell, best.cell, own, other, resolution=step)
    return over_all(THROUGHPUT, [pair]).effect
