"""Response time against throughput: each point at its figures, joined in the order of load."""

from __future__ import annotations

import itertools
import math
import re
import time
from dataclasses import replace

import pytest

from dbdyno.analysis.findings import Estimate, Findings
from dbdyno.analysis.knee import FoundKnee
from dbdyno.experiment.plan import Cell, FactorLevels, PlannedSearch
from dbdyno.report import load_curves, load_labels
from dbdyno.report.load_labels import Point, labelled_points
from dbdyno.report.sections import response_time
from dbdyno.report.time_axis import time_steps
from tests.unit.report.test_report_size import page_bytes

from .report_examples import (
    TRANSACTION,
    names_only,
    nothing_valid,
    overloaded,
    scaling_laws,
    summary,
    three_factors,
    two_factors,
    two_scripts,
)
from .report_page import axis_labels, axis_titles, positions


def searched(findings: Findings, quantile: float, limit_s: float | None) -> Findings:
    search = PlannedSearch(1, 64, 3, quantile, limit_s)
    return replace(findings, knees=(FoundKnee(Cell(()), search, None, is_open=False),))


def many(engines: int, levels: int) -> Findings:
    """Return findings of so many series."""
    factors = (
        FactorLevels("engine", tuple(f"e{n}" for n in range(engines)), "server.engine"),
        FactorLevels("clients", tuple(str(n + 1) for n in range(levels)), "load.clients"),
    )
    cells = tuple(
        summary(
            Cell((("engine", engine), ("clients", clients))),
            1000.0 + place + 10 * int(clients),
            int(clients),
            rounds=1,
            intervals=2,
        )
        for place, engine in enumerate(factors[0].levels)
        for clients in factors[1].levels
    )
    return replace(two_factors(), factors=factors, cells=cells, compared=(), rounds=1)


def points(svg: str) -> list[tuple[float, float]]:
    """Return where the points of a panel stand, in pixels."""
    return max(positions(svg, "symbol"), key=len)


def test_a_percentile_of_too_few_transactions_has_no_point_as_it_has_no_figure() -> None:
    findings = two_factors()
    first, *others = findings.cells
    few = {TRANSACTION: replace(first.response[TRANSACTION], count=999)}
    one = replace(findings, cells=(replace(first, response=few), *others))
    *_, p99 = load_curves.load_curves(one)
    assert (p99.heading, len(points(p99.svg))) == ("p99", len(findings.cells) - 1)
    none = [
        replace(each, response={TRANSACTION: replace(each.response[TRANSACTION], count=999)})
        for each in findings.cells
    ]
    drawings = load_curves.load_curves(replace(findings, cells=tuple(none)))
    assert [each.heading for each in drawings] == ["p50", "p95"]


def test_a_panel_has_a_point_for_each_cell_where_its_figures_put_it() -> None:
    findings = two_factors()
    drawings = load_curves.load_curves(findings)
    assert [each.heading for each in drawings] == ["p50", "p95", "p99"]
    highest = load_curves.BEYOND * max(c.throughput_per_s.mean for c in findings.cells)
    times = {name: [getattr(c.response[TRANSACTION], f"{name}_ms") for c in findings.cells]
             for name in ("p50", "p95", "p99")}  # fmt: skip
    known = list(itertools.chain(*times.values()))
    steps = time_steps(known, most=8)
    assert steps is not None
    (low, high), _ = steps
    for drawing in drawings:
        expected = [
            (
                load_curves.WIDTH * cell.throughput_per_s.mean / highest,
                load_curves.HEIGHT * math.log(high / time_ms) / math.log(high / low),
            )
            for cell, time_ms in zip(findings.cells, times[drawing.heading], strict=True)
        ]
        assert points(drawing.svg) == [pytest.approx(each, abs=0.1) for each in expected]


def test_a_line_joins_a_series_by_load_also_where_throughput_falls() -> None:
    drawing = load_curves.load_curves(two_factors())[0]
    lines = re.findall(r'<path d="M([^"]+)" stroke="(var[^"]+)"', drawing.svg)
    assert len(lines) == 2
    first = float(lines[0][0].split(",")[0])
    (delete,) = (line for line in load_curves.all_lines(two_factors()) if line.rates[0] < 300)
    assert delete.rates[0] > delete.rates[-1], "more clients are slower"
    assert [cell.cell.level("clients") for cell in delete.cells] == ["1", "2", "4", "8"]
    assert first == pytest.approx(points(drawing.svg)[0][0], abs=0.1)


def test_levels_in_any_order_are_joined_by_their_size() -> None:
    findings = two_factors()
    mode, clients = findings.factors
    shuffled = replace(
        findings,
        factors=(mode, replace(clients, levels=("8", "1", "4", "2"))),
        cells=findings.cells[::-1],
    )
    for line in load_curves.all_lines(shuffled):
        assert [cell.cell.level("clients") for cell in line.cells] == ["1", "2", "4", "8"]
    assert load_curves.all_lines(shuffled)[0].cells[0].cell.level("journal_mode") == "delete"


def test_a_mark_has_its_cell_and_its_figures() -> None:
    drawing = load_curves.load_curves(two_factors())[1]
    cell = two_factors().cells[0]
    text = drawing.svg.replace("\N{NO-BREAK SPACE}", " ")
    mean = f"{cell.throughput_per_s.mean:.1f}"
    assert f"<title>journal_mode=delete, clients=1: {mean} transactions/s, p95 " in text


def test_times_of_a_cell_that_did_not_keep_up_are_told_as_lower_bounds() -> None:
    findings = many(1, 3)
    behind = replace(findings, cells=tuple(replace(c, kept_up=False) for c in findings.cells))
    assert ", p50 ≥" in load_curves.load_curves(behind)[0].svg
    assert "≥" not in load_curves.load_curves(findings)[0].svg


def test_the_limit_of_a_search_is_a_line_in_the_panel_of_its_percentile() -> None:
    drawings = load_curves.load_curves(searched(two_factors(), 0.95, 0.025))
    assert ["limit 25.0 ms" in each.svg for each in drawings] == [False, True, False]
    assert ["stroke-dasharray" in each.svg for each in drawings] == [False, True, False]
    more = load_curves.load_curves(searched(two_factors(), 0.9, 100.0))
    assert [each.heading for each in more] == ["p50", "p90", "p95", "p99"]
    assert "100,000" in axis_labels(more[0].svg), "the limit is on the axis, however far it is"
    for quantile, limit in ((0.95, None), (0.42, 0.1)):
        without = load_curves.load_curves(searched(two_factors(), quantile, limit))
        assert not any(">limit " in each.svg for each in without)


def labels(svg: str) -> list[str]:
    """Return the levels that stand beside points."""
    return re.findall(r'font-size="11px"[^>]*>([^<]+)</text>', svg)


def test_the_last_point_that_meets_the_limit_is_labelled_before_all_others() -> None:
    findings = many(1, 60)
    last = findings.cells[29].response[TRANSACTION].p95_ms
    without = load_curves.load_curves(searched(findings, 0.95, 1e-4))[1]
    drawing = load_curves.load_curves(searched(findings, 0.95, last / 1000))[1]
    assert "30" not in labels(without.svg), "points lie close together"
    assert "30" in labels(drawing.svg)


@pytest.mark.parametrize("make", [names_only, nothing_valid, overloaded])
def test_without_three_levels_of_load_there_is_no_drawing(make: object) -> None:
    assert callable(make)
    assert load_curves.load_curves(make()) == []


def test_cells_that_did_nothing_stand_at_zero() -> None:
    findings = many(1, 4)
    idle = Estimate(0.0, None, None, 1)
    cells = tuple(replace(cell, throughput_per_s=idle) for cell in findings.cells)
    drawing = load_curves.load_curves(replace(findings, cells=cells))[0]
    assert {x for x, _ in points(drawing.svg)} == {0.0}


def test_a_numeric_factor_that_is_no_load_has_no_drawing() -> None:
    findings = many(1, 4)
    engine, clients = findings.factors
    assert load_curves.load_curves(findings)
    size = replace(findings, factors=(engine, replace(clients, sets="server.cache_size")))
    assert load_curves.load_curves(size) == []


def test_a_third_factor_has_panels_of_its_own() -> None:
    drawings = load_curves.load_curves(three_factors())
    assert [each.heading for each in drawings[:2]] == ["p50, buffer_pool=128M",
                                                      "p95, buffer_pool=128M"]  # fmt: skip
    assert len(drawings) == 6
    assert len({tuple(axis_labels(each.svg)) for each in drawings}) == 1, "all have the same axes"
    assert axis_titles(drawings[0].svg) == ["transactions per second", "time, ms"]


def test_scripts_have_axes_of_their_own() -> None:
    drawings = load_curves.load_curves(two_scripts())
    assert len(drawings) == 6
    assert len({tuple(axis_labels(each.svg)) for each in drawings}) == 2


def test_no_label_lies_on_another_or_on_a_point_and_ends_have_theirs() -> None:
    ends = [Point(100.0, 10.0, "1", 1), Point(900.0, 90.0, "64", 1)]
    near = [Point(901.0, 91.0, "48", 2), Point(500.0, 50.0, "8", 2)]
    kept = labelled_points([*near, *ends], 1000.0, (1.0, 100.0), (250, 190))
    assert [each.text for each in kept] == ["1", "64", "8"]
    right = 100.0 + 1000 * (load_labels.DX_PX + 2) / 250
    below = 10.0 / 100 ** (load_labels.DY_PX / 190)
    under = labelled_points([*ends, Point(right, below, "2", 2)], 1000.0, (1.0, 100.0),
                            (250, 190))  # fmt: skip
    assert "1" not in [each.text for each in under]


def test_the_section_says_what_is_drawn_of_many_lines_quickly_and_within_its_size() -> None:
    findings = many(50, 20)
    before = time.process_time()
    drawings = load_curves.load_curves(findings)
    assert time.process_time() - before < 1.5
    assert [len(points(each.svg)) for each in drawings] == [20 * load_curves.MOST_LINES] * 3
    section = response_time.section(findings)
    assert section is not None
    assert "Of 50 lines, 10 are drawn" in str(section.blocks)
    assert "lines," not in str(response_time.section(scaling_laws()))
    assert page_bytes(findings) < 5_000_000
