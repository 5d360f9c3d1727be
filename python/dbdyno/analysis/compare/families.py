"""Which verdicts share a level of significance, and what one that was used is handed on to.

Each factor has two families: its levels, on the mean of all combinations of the other factors, and
its single cells. Whatever differs in truth, the chance of any false verdict is that of the level
with which it all begins: a family is tested at what the one before it hands on, and never more.

The levels are tested by a truncated Holm procedure, which hands on a share of its level for each
that is shown, and all of it where all are (Dmitrienko, Tamhane and Wiens 2008, Biometrical Journal
50). The cells are called only of levels that were shown, or where the effect was shown to depend on
the other factors, by Holm's procedure. What they hand on, where all are shown, goes to the other
factors and to the other metrics (graphs as those of Bretz, Maurer, Brannath and Posch 2009,
Statistics in Medicine 28).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dbdyno.analysis.compare.asked import Asked
from dbdyno.analysis.compare.model import Comparison, Effect, FactorEffect
from dbdyno.analysis.compare.multiple_testing import (
    TRUNCATION,
    holm,
    truncated_holm,
    usual_level_of_cells,
    usual_level_of_levels,
)

Judged = TypeVar("Judged", FactorEffect, Comparison)
Procedure = Callable[[Sequence[float]], list[float]]


@dataclass(frozen=True)
class Claims:
    """A factor with p-values that are below ``significance`` where a difference is shown.

    ``left`` is the level that its levels hand on, of which ``used`` is taken by its cells, as long
    as not all of these are shown.
    """

    effects: Sequence[FactorEffect]
    comparisons: Sequence[Comparison]
    left: float
    used: float


def claims(
    asked: Asked,
    significance: float,
    *,
    level: float,
    interaction_level: float,
    share_of_cells: float,
) -> Claims:
    """Test a factor's levels at ``level``, and its cells at what that and the interaction leave."""
    interacts = asked.interaction is not None and asked.interaction < interaction_level
    of_cells = interaction_level if interacts else 0.0
    if all(each.combinations < 2 for each in asked.effects):
        return _of_single_cells(asked, significance, level, of_cells)
    usual = usual_level_of_levels(level, len(asked.effects))
    effects = _corrected(asked.effects, truncated_holm, significance, level, usual)
    left = _left(effects, significance, level)
    usual = usual_level_of_cells(share_of_cells * level, len(asked.comparisons))
    open_to = asked.comparisons if interacts else _of_shown(asked, effects, significance)
    family = _corrected(open_to, holm, significance, share_of_cells * left + of_cells, usual)
    tested = {(each.cell, each.baseline): each for each in family}
    comparisons = [
        tested.get((each.cell, each.baseline)) or _untested(each, usual)
        for each in asked.comparisons
    ]
    are_shown = all(_p_value(each) < significance for each in comparisons)
    return Claims(effects, comparisons, left, 0.0 if are_shown else share_of_cells * left)


def _of_single_cells(asked: Asked, significance: float, level: float, of_cells: float) -> Claims:
    """Test levels that have one cell each: level and cell are the same, and tested once."""
    usual = usual_level_of_levels(level, len(asked.comparisons))
    tested = level if asked.main < level else of_cells
    comparisons = _corrected(asked.comparisons, truncated_holm, significance, tested, usual)
    found = {each.contrast: each.effect for each in comparisons}
    effects = [
        each
        if each.effect is None or (known := found.get(each.contrast)) is None
        else replace(each, effect=replace(each.effect, p_value=known.p_value, level=known.level))
        for each in asked.effects
    ]
    return Claims(effects, comparisons, _left(comparisons, significance, level), 0.0)


def _corrected(
    family: Sequence[Judged],
    procedure: Procedure,
    significance: float,
    level: float,
    usual_level: float,
) -> list[Judged]:
    """Return a family with p-values that are below ``significance`` where they pass ``level``."""
    effects = [each.effect for each in family if each.effect is not None]
    p_values = iter(procedure([effect.p_value for effect in effects]))

    def corrected(effect: Effect) -> Effect:
        p_value = min(1.0, next(p_values) * significance / level) if level > 0 else 1.0
        return replace(effect, p_value=p_value, level=usual_level)

    return [
        each if each.effect is None else replace(each, effect=corrected(each.effect))
        for each in family
    ]


def _left(family: Sequence[Judged], significance: float, level: float) -> float:
    """Return what a truncated Holm procedure hands on of its level."""
    p_values = [each.effect.p_value for each in family if each.effect is not None]
    shown = sum(each < significance for each in p_values)
    if not shown:
        return 0.0
    return level if shown == len(p_values) else (1 - TRUNCATION) * level * shown / len(p_values)


def _of_shown(
    asked: Asked, effects: Sequence[FactorEffect], significance: float
) -> Sequence[Comparison]:
    """Return the cells of levels that are shown: no others may be called."""
    shown = {each.contrast for each in effects if _p_value(each) < significance}
    return [each for each in asked.comparisons if each.contrast in shown]


def _untested(comparison: Comparison, usual_level: float) -> Comparison:
    if comparison.effect is None:
        return comparison
    return replace(comparison, effect=replace(comparison.effect, p_value=1.0, level=usual_level))


def _p_value(judged: FactorEffect | Comparison) -> float:
    return 1.0 if judged.effect is None else judged.effect.p_value
