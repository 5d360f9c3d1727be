"""Throughput by round: a panel for cells that differ in the coloured factor, a line a cell."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import figures
from dbdyno.report.drawing import INK, Drawing
from dbdyno.report.drawn import is_measured
from dbdyno.report.grammar import Grammar, choose, grouped_cells
from dbdyno.report.language import say
from dbdyno.report.named_lines import NamedLine, Point, draw_lines
from dbdyno.report.vega_lite import quantity
from dbdyno.report.words.throughput import measure_words

FEWEST_ROUNDS = 3
MOST_PANELS = 12


def round_curves(findings: Findings) -> list[Drawing]:
    """Draw the rounds of cells that have several; of very many panels the first ones."""
    grammar = choose(findings.factors)
    cells = [cell for cell in findings.cells if is_measured(cell)]
    panels = [
        (heading, members)
        for heading, members in grouped_cells(cells, grammar.all_but_colour)
        if max(len(each.throughput_by_round) for each in members) >= FEWEST_ROUNDS
    ]
    return [
        Drawing(heading, _panel(findings, grammar, members))
        for heading, members in panels[:MOST_PANELS]
    ]


def _panel(findings: Findings, grammar: Grammar, cells: Sequence[CellSummary]) -> str:
    lines = [_line(findings, grammar, cell) for cell in cells]
    rounds = sorted({number for cell in cells for number, _ in cell.throughput_by_round})
    ends = [rounds[0] - 0.2, rounds[-1] + 0.2]
    x = quantity(
        "across",
        title=say("round"),
        scale={"domain": ends, "nice": False, "zero": False},
        axis={"values": rounds, "format": "d", "labelOverlap": "greedy"},
    )
    return draw_lines([(measure_words(findings.measure), lines)], x, say("Throughput by round"))


def _line(findings: Findings, grammar: Grammar, cell: CellSummary) -> NamedLine:
    name = grammar.level(cell.cell) if grammar.colour else ""
    where = f"{name}, " if name else ""
    points = []
    for number, per_s in sorted(cell.throughput_by_round):
        rate = findings.measure.of(per_s)
        title = where + say("round {number}", number=number)
        points.append(Point(number, rate, f"{title}: {figures.rate(rate)}"))
    return NamedLine(name, grammar.mark(cell.cell).colour if name else INK, points)
