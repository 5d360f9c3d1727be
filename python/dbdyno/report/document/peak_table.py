"""A table of the load at which throughput was highest, and of what more load does to it."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.compare.cells import figure_by_round
from dbdyno.analysis.compare.judge import over_all
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import Effect
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.grammar import grouped_cells
from dbdyno.report.language import say
from dbdyno.report.words.throughput import measure_heading

FEWEST_LOADS = 3
"""Of two, the matrix says as much."""


def peak_table(findings: Findings) -> list[Table]:
    """Return the table; nothing without a number of clients at three levels or more."""
    load = next((each for each in findings.factors if each.sets == "load.clients"), None)
    if load is None:
        return []
    others = tuple(each for each in findings.factors if each is not load)
    rows = [
        _row(heading, load, measured, findings)
        for heading, members in grouped_cells(findings.cells, others)
        for measured in [[each for each in members if each.throughput_per_s.count]]
        if len(measured) >= FEWEST_LOADS
    ]
    if not rows:
        return []
    unit = measure_heading(findings.measure)
    columns = [
        Column(say("cells")),
        cells.number(say("highest mean, {measure}", measure=unit)),
        cells.number(say("at {factor}", factor=load.name)),
        cells.number(say("at the highest load, {measure}", measure=unit)),
        cells.number(say("change from the highest mean")),
    ]
    caption = say(
        "Highest mean, and what is left of it at the highest load. Intervals are paired by round, "
        "for each by itself; that the highest was chosen makes a fall look larger than it is"
    )
    return [Table(say("Highest throughput"), caption, columns, [Body(rows)], id="peaks")]


def _row(
    heading: str, load: FactorLevels, members: Sequence[CellSummary], findings: Findings
) -> list[Cell]:
    best = max(members, key=lambda each: each.throughput_per_s.mean)
    last = max(members, key=lambda each: load.levels.index(each.cell.level(load.name)))
    measure = findings.measure
    effect = None if last is best else _change(load, last, best)
    return [
        cells.header(heading or say("all")),
        cells.rate(measure.of(best.throughput_per_s.mean)),
        Cell(best.cell.level(load.name)),
        cells.rate(measure.of(last.throughput_per_s.mean)),
        cells.NONE if effect is None else Cell(" ".join(figures.effect_of(effect))),
    ]


def _change(load: FactorLevels, last: CellSummary, best: CellSummary) -> Effect | None:
    if last.idle_rounds or best.idle_rounds:
        return None  # There is no ratio to nothing.
    rates = (figure_by_round(each, THROUGHPUT) for each in (last, best))
    return over_all(THROUGHPUT, [Pair(load.name, last.cell, best.cell, *rates)]).effect
