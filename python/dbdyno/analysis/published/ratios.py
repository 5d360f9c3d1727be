"""Ratios between two levels: in a published table, and in this experiment.

All that is matched is held fixed, so that both ratios are of the same levels. Over the levels of
what is not matched either side takes a geometric mean, and tells over how many combinations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dbdyno.analysis.compare.cells import figure_by_round
from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import Comparison, Effect
from dbdyno.analysis.compare.ratios import ByRound, Pair, common_rounds
from dbdyno.analysis.compare.unpaired import means_by_round, welch
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.published.model import MatchedLevel, Ratio, RatioPair
from dbdyno.analysis.published.translated import TranslatedCell
from dbdyno.experiment.plan import Contrast, FactorLevels

Levels = Mapping[str, str]
Sides = tuple[ByRound, ByRound]
"""A figure by round, of the level and of its baseline."""


def ratio_pairs(
    metric: Metric, cells: Sequence[TranslatedCell], own: Findings
) -> Iterator[RatioPair]:
    """Yield every ratio of a table against an experiment's baseline, with that of the experiment.

    They come by the experiment's factors and levels, and among those in the order of the table.
    """
    for factor in own.factors:
        for contrast in factor.contrasts:
            for at in _others(cells, factor, contrast[0]):
                published = _published(metric, cells, factor, contrast, at)
                if published is not None:
                    yield RatioPair(
                        metric,
                        factor.name,
                        _matched(cells, factor.name, contrast[0]),
                        _matched(cells, factor.name, contrast[1]),
                        tuple((name, _matched(cells, name, each)) for name, each in at.items()),
                        published,
                        _own(metric, own, factor, contrast, at),
                    )


def _matched(cells: Sequence[TranslatedCell], factor: str, level: str) -> MatchedLevel:
    told = next(cell.told[factor] for cell in cells if cell.levels.get(factor) == level)
    return MatchedLevel(level, told)


def _others(cells: Sequence[TranslatedCell], factor: FactorLevels, level: str) -> list[Levels]:
    """Return the levels of the other factors with which a table has a level."""
    found: list[Levels] = []
    for cell in cells:
        others = {name: each for name, each in cell.levels.items() if name != factor.name}
        if cell.levels.get(factor.name) == level and others not in found:
            found.append(others)
    return found


def _published(
    metric: Metric,
    cells: Sequence[TranslatedCell],
    factor: FactorLevels,
    contrast: Contrast,
    at: Levels,
) -> Ratio | None:
    """Return the ratio of a table; None where it lacks the baseline or the metric."""
    own, other = (
        {
            cell.rest: cell.by_round(metric)
            for cell in cells
            if cell.levels == {**at, factor.name: each}
        }
        for each in contrast
    )
    sides = [
        (own[rest], other[rest]) for rest in own if rest in other and own[rest] and other[rest]
    ]
    if not sides:
        return None
    rounds = [means_by_round(list(side)) for side in zip(*sides, strict=True)]
    return _ratio(sides, welch(*rounds), min(map(len, rounds)))


def _own(
    metric: Metric, own: Findings, factor: FactorLevels, contrast: Contrast, at: Levels
) -> Ratio | None:
    """Return the ratio of this experiment; None where it compares no such cells."""
    wanted = {**at, factor.name: contrast[0]}.items()
    by_metric = next((each for each in own.compared if each.metric is metric), None)
    compared = [
        each
        for each in (by_metric.comparisons if by_metric else ())
        if each.factor == factor.name
        and each.contrast == contrast
        and each.reason is None
        and wanted <= dict(each.cell.levels).items()
    ]
    pairs = [pair for each in compared if (pair := _pair(metric, own, each)).logarithms]
    if not pairs:
        return None
    sides = [(pair.own, pair.other) for pair in pairs]
    if len(compared) == 1:
        return _ratio(sides, compared[0].effect, compared[0].rounds)
    members, rounds = common_rounds(pairs)
    sides = [(pair.own, pair.other) for pair in members]
    return _ratio(sides, over_all(metric, members).effect, len(rounds))


def _pair(metric: Metric, own: Findings, compared: Comparison) -> Pair:
    cells = (own.by_cell[each] for each in (compared.cell, compared.baseline))
    figures = (figure_by_round(cell, metric) for cell in cells)
    return Pair(compared.factor, compared.cell, compared.baseline, *figures)


def _ratio(sides: Sequence[Sides], effect: Effect | None, rounds: int) -> Ratio:
    ratios = [_geometric_mean(own) / _geometric_mean(other) for own, other in sides]
    ends = (None, None) if effect is None else (effect.low_percent, effect.high_percent)
    low, high = (None if end is None else 1 + end / 100 for end in ends)
    mean = _geometric_mean(dict(enumerate(ratios))) if effect is None else 1 + effect.percent / 100
    return Ratio(mean, low, high, rounds, len(ratios), min(ratios), max(ratios))


def _geometric_mean(values: ByRound) -> float:
    return math.exp(float(np.mean([math.log(value) for value in values.values()])))
