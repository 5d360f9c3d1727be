"""The matrix: a numeric factor across, another down, and the effect below each figure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.matrix import matrices
from tests.unit.report.written import render_html

from .report_examples import names_only, three_factors, tpcc, two_factors
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


def test_two_factors_are_one_matrix_and_three_are_one_for_each_level() -> None:
    (matrix,) = matrices(two_factors(), THROUGHPUT)
    assert (matrix.across.name, matrix.down.name) == ("clients", "journal_mode")
    assert (matrix.heading, matrix.compared) == ("", "journal_mode")
    headings = [each.heading for each in matrices(three_factors(), THROUGHPUT)]
    assert headings == ["buffer_pool=128M", "buffer_pool=1G"]
    assert matrices(names_only(), THROUGHPUT) == matrices(tpcc(), THROUGHPUT) == []


def test_each_cell_has_its_own_figures_and_effect() -> None:
    findings = two_factors()
    for metric in (THROUGHPUT, RESPONSE_P95):
        (matrix,) = matrices(findings, metric)
        by_metric = next(each for each in findings.compared if each.metric == metric)
        for level, cells in matrix.rows:
            for column, cell in zip(matrix.across.levels, cells, strict=True):
                assert cell is not None
                levels = (("journal_mode", level), ("clients", column))
                assert cell.summary.cell.levels == levels
                assert cell.is_baseline is (level == "delete")
                if not cell.is_baseline:
                    assert cell.comparison in by_metric.comparisons
                    assert cell.comparison.metric == metric


def test_a_cell_that_was_not_run_is_absent() -> None:
    findings = two_factors()
    (matrix,) = matrices(replace(findings, cells=findings.cells[:-1]), THROUGHPUT)
    assert matrix.rows[1][1][-1] is None


def effects(findings: Findings) -> list[tuple[VerdictKind, str]]:
    return [
        (each.kind, figures.effect(found.percent, found.low_percent, found.high_percent)[0])
        for each in findings.comparisons
        if each.factor == "journal_mode" and (found := each.effect)
    ]


def test_the_page_has_it_before_the_long_tables_and_bold_where_shown() -> None:
    findings = two_factors()
    html = render_html(findings, NOON)
    assert html.index('aria-label="Matrix of throughput"') < html.index('id="cells"')
    assert html.index('aria-label="Matrix of response time"') < html.index('id="percentiles"')
    for kind, effect in effects(findings):
        assert f'<small class="{kind}">{effect}</small>' in html
    nothing = replace(findings, compared=())
    page = read_page(render_html(nothing, NOON))
    assert "the effect of" not in page.text
    assert figures.rate(findings.cells[0].throughput_per_s.mean) in page.text
