"""The matrix: a numeric factor across, another down, and the effect below each figure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.compare.model import VerdictKind
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.document.model import Details, Figure, Table
from dbdyno.report.matrix import by_other_factors, compared_with, matrices, systems_by_load
from tests.unit.report.written import render_html, sections_by_id

from .report_examples import (
    names_only,
    one_at_a_time,
    systems_of_two_factors,
    three_factors,
    tpcc,
    two_factors,
)
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


def test_two_factors_are_one_matrix_and_three_are_one_for_each_level() -> None:
    (matrix,) = matrices(two_factors(), THROUGHPUT)
    assert (matrix.across, matrix.down) == ("clients", "journal_mode")
    assert (matrix.heading, matrix.compared) == ("", ("journal_mode",))
    headings = [each.heading for each in matrices(three_factors(), THROUGHPUT)]
    assert headings == ["buffer_pool=128M", "buffer_pool=1G"]
    assert matrices(names_only(), THROUGHPUT) == matrices(tpcc(), THROUGHPUT) == []


def test_each_cell_has_its_own_figures_and_effect() -> None:
    findings = two_factors()
    for metric in (THROUGHPUT, RESPONSE_P95):
        (matrix,) = matrices(findings, metric)
        by_metric = next(each for each in findings.compared if each.metric == metric)
        for level, cells in matrix.rows:
            for column, cell in zip(matrix.columns, cells, strict=True):
                assert cell is not None
                levels = (("journal_mode", level), ("clients", column))
                assert cell.summary.cell.levels == levels
                assert cell.is_baseline is (level == "delete")
                if not cell.is_baseline:
                    assert cell.comparison in by_metric.comparisons
                    assert cell.comparison.metric == metric


def test_the_factor_that_chooses_among_matrices_has_its_own() -> None:
    """Its levels are rows there, one matrix a system, and effects are of that factor."""
    findings = three_factors()
    ((factor, found),) = by_other_factors(findings, THROUGHPUT)
    assert factor.name == "buffer_pool"
    assert [each.heading for each in found] == [
        f"isolation={level}" for level in findings.factors[0].levels
    ]
    for matrix in found:
        assert (matrix.across, matrix.down) == ("clients", "buffer_pool")
        assert matrix.compared == ("buffer_pool",)
        for level, cells in matrix.rows:
            for clients, cell in zip(matrix.columns, cells, strict=True):
                assert cell is not None
                levels = dict(cell.summary.cell.levels)
                assert (levels["buffer_pool"], levels["clients"]) == (level, clients)
                assert cell.is_baseline is (level == "128M")
                if cell.comparison is not None:
                    assert cell.comparison.baseline.level("buffer_pool") == "128M"
    assert list(by_other_factors(two_factors(), THROUGHPUT)) == []
    scripts = replace(findings.factors[1], sets="workload.script")
    of_scripts = replace(findings, factors=(findings.factors[0], scripts, findings.factors[2]))
    assert list(by_other_factors(of_scripts, THROUGHPUT)) == []


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


def test_of_four_factors_systems_are_rows_and_each_other_number_has_a_matrix() -> None:
    findings = systems_of_two_factors()
    small, large = matrices(findings, THROUGHPUT)
    assert (small.heading, large.heading) == ("buffer_pool=48G", "buffer_pool=96G")
    assert (small.down, small.across) == ("target, thread_pool", "threads")
    assert [label for label, _ in small.rows] == ["mysql, off", "greatsql, off", "greatsql, on"]
    assert small.compared == ("target", "thread_pool")
    assert small.is_full
    for _, (cell, *_) in small.rows[1:]:
        assert cell is not None
        assert cell.comparison is not None
        assert cell.comparison.cell == cell.summary.cell
    pool = small.rows[2][1][0]
    assert pool is not None
    assert pool.comparison is not None
    assert pool.comparison.factor == "thread_pool"  # MySQL has no pool to compare with.
    assert not pool.is_baseline
    baselines = [compared_with(cells) for _, cells in small.rows]
    assert baselines == ["", "against mysql, off", "against greatsql, off"]
    drawn = sections_by_id(findings)["throughput"]
    assert drawn is not None
    (figure,) = (each for each in drawn.blocks if isinstance(each, Figure))
    assert figure.legend is not None
    assert [level for level, _ in figure.legend.marks] == [label for label, _ in small.rows]
    assert [each.heading for each in figure.drawings] == ["buffer_pool=48G", "buffer_pool=96G"]


def test_factors_that_were_varied_one_at_a_time_have_a_matrix_each_with_load_down() -> None:
    findings = one_at_a_time()
    found = {matrix.across: matrix for matrix in matrices(findings, THROUGHPUT)}
    assert list(found) == ["balancing", "nodes", "collector"]
    nodes = found["nodes"]
    assert (nodes.down, nodes.columns) == ("terminals", ("3", "9", "18"))
    assert nodes.heading == "balancing=list, collector=Z"
    assert [label for label, _ in nodes.rows] == ["1", "16", "128", "1024"]
    for matrix in found.values():
        assert matrix.compared == (matrix.across,)
        for _, (first, *others) in matrix.rows:
            assert first is not None
            assert first.is_baseline
            assert all(each and each.comparison for each in others)
    assert len(list(systems_by_load(findings, THROUGHPUT))) == 0


def test_charts_of_factors_varied_one_at_a_time_join_the_levels_that_are_compared() -> None:
    findings = one_at_a_time()
    drawn = sections_by_id(findings)["throughput"]
    assert drawn is not None
    figures_ = [each for each in drawn.blocks if isinstance(each, Figure)]
    legends = [each.legend for each in figures_ if each.legend]
    assert [each.name for each in legends] == ["balancing", "nodes", "collector"]
    headings = [[panel.heading for panel in each.drawings] for each in figures_]
    assert headings == [
        ["nodes=9, collector=Z"],
        ["balancing=list, collector=Z"],
        ["balancing=list, nodes=9"],
    ]


def test_statements_a_second_stand_folded_beside_transactions() -> None:
    drawn = sections_by_id(systems_of_two_factors())["throughput"]
    assert drawn is not None
    details = [each for each in drawn.blocks if isinstance(each, Details)]
    (folded,) = (each for each in details if "QPS" in each.summary)
    first = folded.blocks[0]
    assert isinstance(first, Table)
    findings = systems_of_two_factors()
    cell = findings.cells[0]
    per_s = cell.throughput_per_s.mean * cell.statements_per_transaction
    assert first.bodies[0].rows[0][1].text == figures.rate(per_s)


def test_levels_with_baselines_of_their_own_say_which() -> None:
    findings = one_at_a_time()
    balancing, nodes, *others = findings.factors
    factors = (balancing, replace(nodes, against=(("18", "9"),)), *others)
    compared = compare_cells(factors, findings.cells, Rules())
    found = matrices(replace(findings, factors=factors, compared=compared), THROUGHPUT)
    of_nodes = next(each for each in found if each.columns == ("3", "9", "18"))
    first = [cell.effect[0] for cell in of_nodes.rows[0][1] if cell is not None]
    assert first[0] == "baseline"
    assert first[1].endswith(" against 3")
    assert first[2].endswith(" against 9")
    plain = next(each for each in found if each.columns == ("list", "lvs"))
    assert not any("against" in cell.effect[0] for _, row in plain.rows for cell in row if cell)


def test_statements_a_second_are_there_by_each_other_factor_too() -> None:
    findings = three_factors()
    many = [replace(each, statements_per_transaction=20.0) for each in findings.cells]
    drawn = sections_by_id(replace(findings, cells=tuple(many)))["throughput"]
    assert drawn is not None
    (folded,) = (b for b in drawn.blocks if isinstance(b, Details) and "QPS" in b.summary)
    tables = [each for each in folded.blocks if isinstance(each, Table)]
    by_pool = [each for each in tables if each.bodies[0].rows[0][0].text == "128M"]
    assert len(by_pool) == len(findings.factors[0].levels)
    first = next(
        each.throughput_per_s.mean
        for each in many
        if each.cell.levels[:2]
        == (("isolation", findings.factors[0].levels[0]), ("buffer_pool", "128M"))
    )
    assert by_pool[0].bodies[0].rows[0][1].text == figures.rate(20.0 * first)
