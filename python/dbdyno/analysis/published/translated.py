"""The cells of a published table by the factors and levels of an experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.metric import THROUGHPUT, Metric
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.published.model import MatchedFactor


@dataclass(frozen=True)
class TranslatedCell:
    """A cell of a table whose matched columns have levels of the experiment.

    ``levels`` are those, by factor, and ``told`` what the table calls them; ``rest`` are the levels
    of the columns that are not matched.
    """

    levels: Mapping[str, str]
    told: Mapping[str, str]
    rest: tuple[tuple[str, str], ...]
    summary: CellSummary

    def by_round(self, metric: Metric) -> dict[int, float]:
        """Return a metric by round; empty where the table does not have it."""
        if metric is THROUGHPUT:
            return dict(self.summary.throughput_by_round)
        return dict(self.summary.values_by_round.get(metric.name, ()))


def translated_cells(
    told: Findings,
    match: Mapping[str, MatchedFactor],
    at: Mapping[str, str],
    factors: Sequence[FactorLevels],
) -> list[TranslatedCell]:
    """Return the cells all of whose matched columns have a level that the experiment has.

    ``at`` has levels that all cells have and no column tells.
    """
    known = {factor.name: factor.levels for factor in factors}
    fixed = {factor: level for factor, level in at.items() if factor in known}
    constant = _constant_columns(told)
    found = []
    for summary in told.cells:
        all_levels = dict(summary.cell.levels) | constant[summary.cell]
        shared = {column: all_levels[column] for column in match if column in all_levels}
        levels, told_levels = dict(fixed), dict(fixed)
        for name, level in shared.items():
            levels |= match[name].own_levels(level)
            told_levels |= {**match[name].further(level), match[name].factor: level}
        if shared and all(level in known[factor] for factor, level in levels.items()):
            rest = tuple(each for each in summary.cell.levels if each[0] not in match)
            found.append(TranslatedCell(levels, told_levels, rest, summary))
    return found


def _constant_columns(told: Findings) -> Mapping[Cell, dict[str, str]]:
    """Return, by cell, the columns that are the same in all of a table."""
    found: defaultdict[Cell, dict[str, str]] = defaultdict(dict)
    for cell, options in _options(told):
        found[cell].update(options)
    return found


def _options(told: Findings) -> Iterator[tuple[Cell, Mapping[str, str]]]:
    for trial in told.imported.trials if told.imported else ():
        yield Cell(trial.levels), trial.options
