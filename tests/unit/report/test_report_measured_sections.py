"""Sections as a document: tables that fit their columns, matrices, bounds and legends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.document.model import Details, Figure, Layout, Section, Table, TableKind
from dbdyno.report.matrix import matrices
from tests.unit.report.written import sections_by_id

from .report_examples import (
    EXAMPLES,
    TRANSACTION,
    nothing_valid,
    one_cell,
    overloaded,
    scaling_laws,
    three_factors,
    tpcc,
    two_factors,
    watched,
)
from .words.test_limits import with_limits

MADE = {**EXAMPLES, "limits": with_limits, "watched": watched, "scaling": scaling_laws}


def section(findings: Findings, name: str) -> Section:
    found = sections_by_id(findings)[name]
    assert found is not None
    return found


def tables(findings: Findings, name: str) -> list[Table]:
    return [block for block in section(findings, name).blocks if isinstance(block, Table)]


@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_the_rows_of_each_table_fill_its_columns(make: Callable[[], Findings]) -> None:
    """A header that stands for several rows fills its column in all of them."""
    written = filter(None, sections_by_id(make()).values())
    blocks = (block for section in written for block in section.blocks)
    for table in (block for block in blocks if isinstance(block, Table)):
        width = len(table.columns) or 2
        for body in table.bodies:
            spanned = sum(cell.rows - 1 for row in body.rows for cell in row)
            assert sum(map(len, body.rows)) + spanned == width * len(body.rows), table.label
            assert not body.rows or len(body.rows[0]) == width


def test_a_section_that_has_nothing_to_say_is_none() -> None:
    found = sections_by_id(one_cell())
    assert found["throughput"] is not None
    assert found["scaling"] is found["limits"] is found["steadiness"] is None
    findings = replace(nothing_valid(), setup=None)
    cells = tuple(replace(cell, series=(), response={}, service={}) for cell in findings.cells)
    found = sections_by_id(replace(findings, cells=cells))
    assert found["throughput"] is not None
    assert found["setup"] is found["over_time"] is found["response_time"] is None


def test_a_matrix_is_a_table_with_levels_across_and_the_effect_below() -> None:
    findings = two_factors()
    (matrix,) = matrices(findings, THROUGHPUT)
    table, *_ = tables(findings, "throughput")
    assert (table.kind, table.across) == (TableKind.MATRIX, "clients")
    assert [each.heading for each in table.columns] == ["journal_mode", *findings.factors[1].levels]
    assert "the effect of journal_mode against its baseline" in str(table.caption)
    (body,) = table.bodies
    for (level, members), (header, *row) in zip(matrix.rows, body.rows, strict=True):
        assert (header.text, header.is_header) == (level, True)
        for member, cell in zip(members, row, strict=True):
            assert member is not None
            assert cell.value == member.summary.throughput_per_s.mean
            assert (cell.text, cell.below) == (figures.rate(cell.value), member.effect[0])
            shown = member.comparison.kind if member.comparison and member.is_shown else ""
            assert cell.tone == shown


def test_a_matrix_has_a_blank_place_for_what_was_not_planned() -> None:
    findings = two_factors()
    table, *_ = tables(replace(findings, cells=findings.cells[:-1]), "throughput")
    last = table.bodies[0].rows[-1][-1]
    assert (last.text, last.value, last.below) == ("", None, "")


def test_a_third_factor_gives_a_matrix_to_each_of_its_levels() -> None:
    *found, percentiles = tables(three_factors(), "response_time")
    assert [table.kind for table in found] == [TableKind.MATRIX, TableKind.MATRIX]
    for table, level in zip(found, ("buffer_pool=128M", "buffer_pool=1G"), strict=True):
        what = "p95 of response time in milliseconds, geometric mean over rounds"
        assert str(table.caption).startswith(f"{what}, {level}")
    assert percentiles.kind is TableKind.PLAIN


def drawn(findings: Findings, name: str) -> list[Figure]:
    return [block for block in section(findings, name).blocks if isinstance(block, Figure)]


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("throughput", Layout.WIDE),
        ("over_time", Layout.SMALL_MULTIPLES),
        ("response_time", Layout.SMALL_MULTIPLES),
    ],
)
def test_a_figure_has_the_legend_of_the_coloured_factor(name: str, layout: Layout) -> None:
    found = drawn(two_factors(), name)
    assert len(found) == (2 if name == "response_time" else 1)
    for figure in found:
        assert figure.layout is layout
        assert figure.legend is not None
        assert (figure.legend.name, [level for level, _ in figure.legend.marks]) == (
            "journal_mode",
            ["delete", "wal"],
        )
    (alone,) = drawn(one_cell(), name)
    assert alone.legend is None


def test_all_transactions_over_time_are_beside_new_orders() -> None:
    def highest(figure: Figure) -> list[float]:
        """Return where each panel's axis of throughput ends."""
        plots = [
            re.findall(r' data-plots="linear 0 ([0-9.]+)', each.svg) for each in figure.drawings
        ]
        return [float(end) for (end,) in plots]

    findings = tpcc()
    new_orders, details = section(findings, "over_time").blocks
    assert isinstance(new_orders, Figure)
    assert isinstance(details, Details)
    assert details.summary == "All transactions per minute (tpmTOTAL)"
    (of_all,) = details.blocks
    assert isinstance(of_all, Figure)
    assert highest(of_all) == pytest.approx([2 * end for end in highest(new_orders)], rel=1e-3)
    (alone,) = section(two_factors(), "over_time").blocks
    assert isinstance(alone, Figure)


def test_a_time_that_is_a_lower_bound_has_its_mark_and_its_exact_figure() -> None:
    findings = overloaded()
    (table,) = tables(findings, "response_time")
    kept_up, fell_behind = (body.rows[0] for body in table.bodies)
    for row, cell, mark in zip(
        (kept_up, fell_behind), findings.cells, ("", "≥\N{NO-BREAK SPACE}"), strict=True
    ):
        p50_ms = cell.response[TRANSACTION].p50_ms
        assert row[3].value == p50_ms
        assert row[3].text == mark + figures.milliseconds(p50_ms)
