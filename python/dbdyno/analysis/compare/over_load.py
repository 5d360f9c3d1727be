"""What a level does over all loads, for each combination of the factors that are no load.

A mean over scripts describes none of them. Published reports give one mean for each script, over
the numbers of clients, and so does this. These effects are estimates: they have no verdict, and
they use nothing of the level of significance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import EffectOverLoad
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.unpaired import over_all as over_all_unpaired
from dbdyno.experiment.plan import Cell, Contrast, FactorLevels


def effects_over_load(
    metric: Metric, pairs: Sequence[Pair], factors: Sequence[FactorLevels]
) -> Iterator[EffectOverLoad]:
    """Yield a level's effect over its loads, where other factors than load are varied, too."""
    loads = {factor.name for factor in factors if factor.is_load}
    unpaired = {factor.name for factor in factors if not factor.is_paired}
    of_level: dict[tuple[str, Contrast], dict[Cell, list[Pair]]] = {}
    for pair in pairs:
        if pair.factor not in loads:
            levels = pair.cell.without(pair.factor).levels
            at = Cell(tuple(level for level in levels if level[0] not in loads))
            groups = of_level.setdefault((pair.factor, pair.contrast), {})
            groups.setdefault(at, []).append(pair)
    for (factor, contrast), groups in of_level.items():
        effect_of_all = over_all_unpaired if factor in unpaired else over_all
        for at, members in groups.items():
            # Single pairs are comparisons of their own, and one group alone is all combinations.
            if len(groups) < 2 or all(len(each) < 2 for each in groups.values()):
                continue
            found = effect_of_all(metric, members)
            if found.effect is not None:
                count = found.combinations
                yield EffectOverLoad(factor, *contrast, at, count, found.effect)
