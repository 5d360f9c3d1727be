"""Which cells are compared: those that differ in one factor alone; and which levels never are.

Where not every combination of levels runs, a level may have no cell that differs from one at the
baseline in its factor alone. Another factor differs there as well, and nobody can tell which of
the two made a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.varied_together import determines


def compared_pairs(
    factors: Sequence[FactorLevels], cells: Sequence[Cell]
) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield factor, cell and baseline: they differ in that factor only, and both exist."""
    known = set(cells)
    for factor in factors:
        for cell in cells:
            for level in factor.baselines_of(cell.level(factor.name)):
                baseline = cell.at(factor.name, level)
                if baseline in known:
                    yield factor.name, cell, baseline


@dataclass(frozen=True)
class Uncompared:
    """Levels of a factor that no cell holds against its baseline with all other levels alike.

    ``together`` are the factors that differ as well wherever these levels do; none where no single
    one always does. ``is_whole`` tells whether the factor has no other level to compare either.
    """

    factor: str
    baseline: str
    levels: tuple[str, ...]
    together: tuple[str, ...]
    is_whole: bool


def uncompared(factors: Sequence[FactorLevels], cells: Iterable[Cell]) -> tuple[Uncompared, ...]:
    """Return the levels that are never compared, in the order of the factors."""
    known = list(dict.fromkeys(cells))
    return tuple(each for factor in factors for each in _of_factor(factor, factors, known))


def _of_factor(
    factor: FactorLevels, factors: Sequence[FactorLevels], cells: Sequence[Cell]
) -> Iterator[Uncompared]:
    """Yield the levels of one factor, those with the same other factors beside them together."""
    compared = {
        own.contrast(factor.name, other) for _, own, other in compared_pairs([factor], cells)
    }
    there = {cell.level(factor.name) for cell in cells}
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for level, baseline in factor.contrasts:
        if level in there and (level, baseline) not in compared:
            together = _together(factor, {level, baseline}, factors, cells)
            groups.setdefault((baseline, together), []).append(level)
    for (baseline, together), levels in groups.items():
        yield Uncompared(factor.name, baseline, tuple(levels), together, is_whole=not compared)


def _together(
    factor: FactorLevels, pair: Set[str], factors: Sequence[FactorLevels], cells: Sequence[Cell]
) -> tuple[str, ...]:
    """Return the other factors that always differ between a level and its baseline."""
    concerned = [dict(cell.levels) for cell in cells if cell.level(factor.name) in pair]
    return tuple(
        other.name
        for other in factors
        if other is not factor and determines(concerned, other.name, factor.name)
    )
