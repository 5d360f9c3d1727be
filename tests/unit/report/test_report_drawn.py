"""Which cells are drawn where there are too many for anybody to look at."""

from __future__ import annotations

import pytest

from dbdyno.report import charts, drawn, panels
from dbdyno.report.document.legend import legend_of
from dbdyno.report.drawn import CELLS_OF_MANY, MOST_CELLS, drawn_cells, spread
from tests.unit.report.report_page import read_page
from tests.unit.report.test_report_size import experiment, page_bytes
from tests.unit.report.written import render_html

from .test_report_html import NOON

MANY = 1000


def test_as_many_as_anybody_compares_are_all_drawn() -> None:
    findings = experiment(MOST_CELLS, 1, 20)
    assert drawn_cells(findings.cells) == findings.cells
    assert drawn.note(findings) == ""


def test_of_more_the_slowest_the_fastest_and_some_between_are_drawn() -> None:
    cells = sorted(experiment(MANY, 1, 20).cells, key=lambda cell: cell.throughput_per_s.mean)
    shown = drawn_cells(cells[::-1])
    assert len(shown) == CELLS_OF_MANY
    assert (shown[-1], shown[0]) == (cells[0], cells[-1])
    ranks = [cells.index(cell) for cell in shown]
    steps = [after - before for before, after in zip(ranks[1:], ranks, strict=False)]
    assert max(steps) - min(steps) <= 1


@pytest.mark.parametrize("count", [MOST_CELLS, MOST_CELLS + 1, 3 * MOST_CELLS])
def test_rows_keep_their_order_and_none_comes_twice(count: int) -> None:
    rows = [(each * 37) % count for each in range(count)]
    shown = list(spread(rows, float))
    assert len(set(shown)) == len(shown)
    assert [row for row in rows if row in shown] == shown
    assert {min(rows), max(rows)} <= set(shown)


def test_charts_and_legends_have_those_and_tables_have_all() -> None:
    findings = experiment(MANY, 1, 20)
    assert len(panels.over_time(findings)) == CELLS_OF_MANY
    (chart,) = charts.throughput(findings)
    assert chart.svg.count("engine500:") + chart.svg.count("engine999:") > 0
    legend = legend_of(findings)
    assert legend is not None
    assert len(legend.marks) == CELLS_OF_MANY
    page = read_page(render_html(findings, NOON))
    assert len(page.tables["cells"]) == 1 + MANY
    assert f"Of 1,000 cells, {CELLS_OF_MANY} are drawn" in page.text


def test_a_legend_has_the_levels_that_its_own_figure_draws() -> None:
    many, few = experiment(MANY, 1, 20), experiment(MOST_CELLS, 1, 20)
    own = [cell.cell for cell in many.cells[500:503]]
    legend, whole = legend_of(many, own), legend_of(few, own)
    assert legend is not None
    assert [level for level, _ in legend.marks] == ["engine500", "engine501", "engine502"]
    assert whole is not None
    assert len(whole.marks) == MOST_CELLS


@pytest.mark.parametrize(("cells", "rounds"), [(1000, 1), (330, 3), (100, 10), (50, 20)])
def test_a_thousand_trials_fit_into_five_megabytes_in_any_shape(cells: int, rounds: int) -> None:
    assert page_bytes(experiment(cells, rounds)) < 5_000_000
