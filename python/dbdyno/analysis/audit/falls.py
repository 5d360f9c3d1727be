"""Curves over load that turn down: from the best figure to the lowest at any higher load."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.analysis.audit.cells import (
    Cell,
    agrees,
    label,
    number_of,
    subjects_named,
    whole_cells_of,
)
from dbdyno.analysis.audit.model import Joined, Line
from dbdyno.analysis.audit.noise import FEW_PERCENT, Change, change
from dbdyno.analysis.audit.sides import Standing, is_open, levels_of, side, subjects_of
from dbdyno.results_table.description import Conclusion
from dbdyno.results_table.model import Levels, Role
from dbdyno.results_table.rows import THREADS


@dataclass(frozen=True)
class Fall:
    """The best cell of a curve, the lowest beyond it, and the change from one to the other."""

    best: Cell
    lowest: Cell
    change: Change

    @property
    def standing(self) -> Standing:
        """Return what the curve says to the conclusion that it falls."""
        return Standing.OPEN if is_open(self.change) else Standing.HOLDS


def falls(joined: Joined, conclusion: Conclusion, metric: str) -> Iterator[tuple[Standing, Line]]:
    """Yield what each curve says to the conclusion that it falls, or falls more than others.

    With others, a curve counts where one of them has the same levels.
    """
    curves = _curves(joined, conclusion, metric)
    own = subjects_of(joined.data, conclusion)
    named = subjects_named(joined.data, conclusion.than) if conclusion.than else []
    for (subject, levels), curve in curves.items():
        mine = _fall(curve) if subject in own else None
        if mine is None:
            continue
        if not conclusion.than:
            yield mine.standing, _line(mine, levels)
            continue
        others = [curves.get((name, levels), []) for name in named if name not in own]
        found = [fall for each in others if (fall := _fall(each))]
        if found:
            yield _compared(mine, min(found, key=lambda each: each.change.percent), levels)


def _curves(
    joined: Joined, conclusion: Conclusion, metric: str
) -> dict[tuple[str, Levels], list[Cell]]:
    """Return the cells by ascending load, of each subject at all other levels."""
    load = next(iter(joined.data.named(Role.LOAD)), THREADS)
    curves: dict[tuple[str, Levels], list[tuple[float, Cell]]] = defaultdict(list)
    for cell in whole_cells_of(joined.data, metric):
        clients = number_of(dict(cell.levels).get(load))
        if clients is not None and agrees(cell.levels, levels_of(conclusion.where)):
            rest = tuple(each for each in cell.levels if each[0] != load)
            curves[cell.subject, rest].append((clients, cell))
    return {
        key: [cell for _, cell in sorted(curve, key=lambda each: each[0])]
        for key, curve in curves.items()
    }


def _fall(curve: Sequence[Cell]) -> Fall | None:
    """Return how far a curve falls; by nothing where its best is its last. None of one point."""
    if len(curve) < 2:
        return None
    best = max(range(len(curve)), key=lambda place: curve[place].mean)
    lowest = min(curve[best:], key=lambda cell: cell.mean)
    found = change(lowest.values, curve[best].values)
    return None if found is None else Fall(curve[best], lowest, found)


def _line(fall: Fall, levels: Levels) -> Line:
    return Line(
        f"fall_{fall.standing.value}",
        cell=label(levels),
        subject=side(fall.lowest, levels),
        figure=fall.lowest.mean,
        best=fall.best.mean,
        at=side(fall.best, levels),
        change_percent=fall.change.percent,
    )


def _compared(mine: Fall, deepest: Fall, levels: Levels) -> tuple[Standing, Line]:
    """Compare a fall with the deepest of the others."""
    standing = _standing(mine, deepest)
    line = Line(
        f"fall_more_{standing.value}",
        cell=label(levels),
        subject=mine.lowest.subject,
        best=mine.best.mean,
        figure=mine.lowest.mean,
        change_percent=mine.change.percent,
        other=deepest.lowest.subject,
        other_best=deepest.best.mean,
        other_figure=deepest.lowest.mean,
        other_change_percent=deepest.change.percent,
    )
    return standing, line


def _standing(mine: Fall, other: Fall) -> Standing:
    """Tell which falls more: by intervals that do not overlap, or single runs by a few percent."""
    if mine.change.has_rounds and other.change.has_rounds:
        (low, high), (other_low, other_high) = mine.change.ends_percent, other.change.ends_percent
        is_more, is_less = high < other_low, low > other_high
    else:
        apart = 100 * ((100 + mine.change.percent) / (100 + other.change.percent) - 1)
        is_more, is_less = apart <= -FEW_PERCENT, apart >= FEW_PERCENT
    if is_less and not is_open(other.change):
        return Standing.REVERSED
    return Standing.HOLDS if is_more and not is_open(mine.change) else Standing.OPEN
