"""A table of the cases that an experiment names: what each varies, and its highest throughput."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import Case, FactorLevels
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.grammar import levels_in_words, varied
from dbdyno.report.language import listed, say
from dbdyno.report.levels import numeric_levels
from dbdyno.report.words.throughput import measure_heading

MOST_LEVELS_NAMED = 4
"""Of more numbers than these, the first and the last are named."""


def case_table(findings: Findings) -> list[Table]:
    """Return the table; nothing where no cells have a name."""
    factors = varied(findings.factors)
    rows = [_row(case, factors, findings) for case in findings.cases]
    if not rows:
        return []
    columns = [
        Column(say("case")),
        *(Column(factor.name) for factor in factors),
        cells.number(say("highest mean, {measure}", measure=measure_heading(findings.measure))),
        Column(say("at")),
    ]
    caption = say("Cases, each with its levels and its highest mean")
    return [Table(say("Cases"), caption, columns, [Body(rows)], id="cases")]


def _row(case: Case, factors: tuple[FactorLevels, ...], findings: Findings) -> list[Cell]:
    levels = dict(case.levels)
    own = [each for each in findings.cells if case.has(each.cell) and each.throughput_per_s.count]
    best = max(own, key=lambda each: each.throughput_per_s.mean, default=None)
    open_factors = tuple(factor for factor in factors if len(levels[factor.name]) > 1)
    mean = None if best is None else findings.measure.of(best.throughput_per_s.mean)
    return [
        cells.header(case.name),
        *(Cell(_levels_in_words(factor, levels[factor.name])) for factor in factors),
        cells.rate(mean),
        Cell("" if best is None else levels_in_words(best.cell, open_factors)),
    ]


def _levels_in_words(factor: FactorLevels, levels: tuple[str, ...]) -> str:
    if len(levels) <= MOST_LEVELS_NAMED or numeric_levels(factor) is None:
        return listed(levels)
    return say("{low} to {high}", low=levels[0], high=levels[-1])
