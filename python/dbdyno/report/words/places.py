"""Where a comparison is made: the levels that both of its cells share, as far as they tell."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from dbdyno.analysis.compare.model import Comparison
from dbdyno.experiment.plan import Cell

MOST_NAMED = 2
"""A comparison names at most so many levels that all comparisons of its factor share."""


def named_factors(comparisons: Sequence[Comparison]) -> frozenset[str]:
    """Return the factors whose levels each comparison of another factor names.

    If there are many, those that have one level in all of the comparisons are left out.
    """
    levels: dict[str, set[str]] = {}
    for each in comparisons:
        for name, level in _held(each):
            levels.setdefault(name, set()).add(level)
    if len(levels) <= MOST_NAMED:
        return frozenset(levels)
    return frozenset(name for name, known in levels.items() if len(known) > 1)


def place(comparison: Comparison, named: Iterable[str]) -> str:
    """Return the levels of these factors that both cells share: ``clients=4``; "" for none."""
    names = frozenset(named)
    return _label(level for level in _held(comparison) if level[0] in names)


def common_place(comparisons: Sequence[Comparison]) -> str:
    """Return the levels that all comparisons of a factor share and that none of them names."""
    return _label(_common(comparisons))


def common_places(by_factor: Sequence[Sequence[Comparison]]) -> tuple[str, list[str]]:
    """Return which of those levels no other factor's comparisons vary, and by factor the rest."""
    varied: dict[str, set[str]] = {}
    for comparisons in by_factor:
        for name, level in itertools.chain(*map(_held, comparisons)):
            varied.setdefault(name, set()).add(level)
    commons = [_common(comparisons) for comparisons in by_factor]
    known = set(itertools.chain(*commons))
    names = dict.fromkeys(name for members in by_factor for name, _ in members[0].cell.levels)
    everywhere = [
        (name, level)
        for name in names
        if len(levels := varied.get(name, set())) == 1
        for level in levels
        if (name, level) in known
    ]
    others = [_label(level for level in each if level not in everywhere) for each in commons]
    return _label(everywhere), others


def _common(comparisons: Sequence[Comparison]) -> list[tuple[str, str]]:
    named = named_factors(comparisons)
    return [level for level in _held(comparisons[0]) if level[0] not in named]


def _held(comparison: Comparison) -> Sequence[tuple[str, str]]:
    return comparison.cell.without(comparison.factor).levels


def _label(levels: Iterable[tuple[str, str]]) -> str:
    held = Cell(tuple(levels))
    return held.label() if held.levels else ""
