"""What a level does over some of the other factors: over all loads, or at each load.

A mean over scripts describes none of them. Published reports give one mean for each script, over
the numbers of clients, and one for each number of clients, over the sizes of the buffer pool; so
does this. These effects are estimates: they have no verdict, and they use nothing of the level of
significance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import PartialMean
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.unpaired import over_all as over_all_unpaired
from dbdyno.experiment.plan import Cell, Contrast, FactorLevels


def partial_means(
    metric: Metric, pairs: Sequence[Pair], factors: Sequence[FactorLevels]
) -> Iterator[PartialMean]:
    """Yield a level's effect over all loads, then at each load over what sets no transactions."""
    loads = {factor.name for factor in factors if factor.is_load}
    work = {factor.name for factor in factors if factor.sets_transactions}
    others = {factor.name for factor in factors} - loads
    unpaired = {factor.name for factor in factors if not factor.is_paired}
    compared = [pair for pair in pairs if pair.factor not in loads]
    if loads:
        yield from _means(loads, metric, compared, unpaired, is_over_load=True)
        yield from _means(others - work, metric, compared, unpaired, is_over_load=False)


def _means(
    over: set[str],
    metric: Metric,
    pairs: Sequence[Pair],
    unpaired: set[str],
    *,
    is_over_load: bool,
) -> Iterator[PartialMean]:
    """Yield the means over some factors, one for each combination of the others."""
    of_level: dict[tuple[str, Contrast], dict[Cell, list[Pair]]] = {}
    for pair in pairs:
        levels = pair.cell.without(pair.factor).levels
        at = Cell(tuple(level for level in levels if level[0] not in over))
        groups = of_level.setdefault((pair.factor, pair.contrast), {})
        groups.setdefault(at, []).append(pair)
    for (factor, contrast), groups in of_level.items():
        effect_of_all = over_all_unpaired if factor in unpaired else over_all
        # Single pairs are comparisons of their own, and one group alone is all combinations.
        varied = {at: _varied(members, over - {factor}) for at, members in groups.items()}
        if len(groups) < 2 or not any(varied.values()):
            continue
        for at, members in groups.items():
            found = effect_of_all(metric, members)
            if found.effect is not None:
                count = found.combinations
                averaged = varied[at] or next(filter(None, varied.values()))
                yield PartialMean(
                    factor, *contrast, at, averaged, count, found.effect, is_over_load
                )


def _varied(pairs: Sequence[Pair], factors: set[str]) -> tuple[str, ...]:
    """Return those of some factors that have more than one level in the pairs' cells."""
    levels = [pair.cell.levels for pair in pairs]
    return tuple(
        name
        for name, _ in levels[0]
        if name in factors and len({dict(each)[name] for each in levels}) > 1
    )
