"""Throughput by round, as published reports have it: a column for each round, and the mean."""

from __future__ import annotations

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import Comparison
from dbdyno.analysis.compare.rules import question_factor
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Table
from dbdyno.report.grammar import VARIANT, choose, name_in_words
from dbdyno.report.language import say
from dbdyno.report.matrix import names_of_baselines
from dbdyno.report.verdicts import by_cell
from dbdyno.report.words.throughput import measure_title

MOST_ROUNDS = 12
"""A table with more columns is wider than a page; the table of trials has them all."""


def round_table(findings: Findings) -> list[Table]:
    """Return the table; nothing where there is one round, or more than fit beside each other."""
    rounds = sorted({number for cell in findings.cells for number, _ in cell.throughput_by_round})
    if not 1 < len(rounds) <= MOST_ROUNDS:
        return []
    known = {each.name: name_in_words(each) for each in findings.factors}
    question = question_factor(findings.factors, list(findings.by_cell))
    factor = VARIANT if VARIANT in known else question
    comparisons = by_cell(
        each
        for by_metric in findings.compared
        for each in by_metric.comparisons
        if by_metric.metric is THROUGHPUT and each.factor == factor
    )
    against = names_of_baselines(comparisons, choose(findings.factors).systems)
    headings = [
        *(say("round {number}", number=number) for number in rounds),
        say("mean"),
        *([say("effect of {factor}", factor=known[factor])] if factor and comparisons else []),
    ]
    rows = [
        [
            *cells.level_headers(cell.cell, findings.factors),
            *_rates(cell, rounds, findings),
            *(
                [_effect(comparisons.get(cell.cell), against.get(cell.cell, ""))]
                if comparisons
                else []
            ),
        ]
        for cell in findings.cells
    ]
    return [
        Table(
            label=say("Throughput by round"),
            caption=_caption(findings, is_compared=bool(comparisons)),
            columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
            bodies=[Body(rows)],
            id="rounds",
        )
    ]


def _caption(findings: Findings, *, is_compared: bool) -> str:
    throughput = measure_title(findings.measure)
    if not is_compared:
        return say("{throughput} by round, and the geometric mean", throughput=throughput)
    return say(
        "{throughput} by round, and the geometric mean over those rounds that compared cells have "
        "in common",
        throughput=throughput,
    )


def _rates(cell: CellSummary, rounds: list[int], findings: Findings) -> list[Cell]:
    known = dict(cell.throughput_by_round)
    mean = cell.throughput_per_s.mean if cell.throughput_per_s.count else None
    rates = [*(known.get(number) for number in rounds), mean]
    return [cells.rate(None if each is None else findings.measure.of(each)) for each in rates]


def _effect(comparison: Comparison | None, against: str) -> Cell:
    """Return the effect on a cell; an en dash of the baseline, and of what is not compared.

    ``against`` is what it is compared with, where that is not the same for all.
    """
    found = comparison.effect if comparison is not None else None
    if found is None:
        return cells.NONE
    text, interval = figures.effect_of(found)
    if against:
        text = say("{effect} against {baseline}", effect=text, baseline=against)
    return Cell(text, value=found.percent, below=interval)
