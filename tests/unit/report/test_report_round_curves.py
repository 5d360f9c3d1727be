"""Throughput by round, drawn: each round of each cell has its point."""

from __future__ import annotations

import re
from dataclasses import replace

from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report.round_curves import MOST_PANELS, round_curves

from .report_examples import summary, tpcc, two_factors
from .test_report_size import experiment


def told(svg: str) -> dict[str, float]:
    """Return what each point says when it is pointed at."""
    said = re.findall(r"<title>([^<]*round \d+): ([\d.,]+)</title>", svg)
    return {name: float(value.replace(",", "")) for name, value in said}


def test_cells_that_differ_in_the_coloured_factor_share_a_panel() -> None:
    findings = two_factors()
    drawings = round_curves(findings)
    assert [each.heading for each in drawings] == [f"clients={n}" for n in ("1", "2", "4", "8")]
    for drawing in drawings:
        cells = [each for each in findings.cells if each.cell.label().endswith(drawing.heading)]
        assert told(drawing.svg) == {
            f"{cell.cell.level('journal_mode')}, round {number}": float(f"{rate:.4g}")
            for cell in cells
            for number, rate in cell.throughput_by_round
        }
        assert len(cells) == 2


def test_rates_are_those_of_the_measure() -> None:
    findings = tpcc()
    (first, _) = (told(each.svg) for each in round_curves(findings))
    per_s = dict(findings.cells[0].throughput_by_round)
    assert first == {f"round {number}": round(60 * rate) for number, rate in per_s.items()}


def test_few_rounds_are_in_the_table_alone_and_many_panels_are_cut() -> None:
    findings = experiment(1, 3, 2)
    (cell,) = findings.cells
    two = replace(cell, throughput_by_round=cell.throughput_by_round[:2])
    assert len(round_curves(findings)) == 1
    assert round_curves(replace(findings, cells=(two,))) == []
    levels = tuple(map(str, range(1, MOST_PANELS + 3)))
    cells = tuple(summary(Cell((("clients", level),)), 900.0, int(level)) for level in levels)
    clients = FactorLevels("clients", levels, "load.clients")
    many = replace(findings, factors=(clients,), cells=cells)
    assert [each.heading for each in round_curves(many)] == [
        f"clients={level}" for level in levels[:MOST_PANELS]
    ]
