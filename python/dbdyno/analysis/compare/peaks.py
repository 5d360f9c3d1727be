"""The number of clients at which throughput was highest, and what more of them do to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.cells import pair_of
from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import Effect
from dbdyno.analysis.findings import CellSummary
from dbdyno.experiment.plan import Cell, FactorLevels

FEWEST_LOADS = 3
"""Of two, their comparison says as much."""


@dataclass(frozen=True)
class MeasuredPeak:
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


def find_peaks(
    cells: Sequence[CellSummary], factors: Iterable[FactorLevels]
) -> Iterator[MeasuredPeak]:
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
            yield MeasuredPeak(load, best, last, _change(load, last, best))


def _change(load: FactorLevels, last: CellSummary, best: CellSummary) -> Effect | None:
    if last is best or last.idle_rounds or best.idle_rounds:
        return None  # There is no ratio to nothing.
    return over_all(THROUGHPUT, [pair_of(load.name, last, best, THROUGHPUT)]).effect
