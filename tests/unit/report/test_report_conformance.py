"""TPC-C in the page and in the terminal: every requirement, and the words beside the figures."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

import pytest
from rich.console import Console

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.tpcc.model import Standing
from dbdyno.report import charts, figures
from dbdyno.report.conformance import CELLS_ABREAST
from dbdyno.report.terminal import print_verdicts
from dbdyno.report.words.tpcc import allowed, observed
from tests.unit.report.written import render_html

from .report_examples import tpcc, tpcc_of_many_cells, two_factors
from .report_page import Page, positions, read_page

PHRASE = "NOPM (the unpaced figure that BenchmarkSQL and tpcc-mysql call tpmC)"


Make = Callable[[], Findings]


@cache
def page_of(make: Make) -> Page:
    """Return the page of an example; drawing takes so long that each is drawn once."""
    return read_page(render_html(make(), datetime(2025, 11, 20, tzinfo=UTC)))


def printed(make: Make) -> str:
    file = io.StringIO()
    print_verdicts(make(), Console(file=file, width=200))
    return " ".join(file.getvalue().split())


def words(make: Make) -> str:
    """Return the page without its glossary, which explains both names of throughput."""
    text = " ".join(page_of(make).text.split())
    before, _, rest = text.partition("What the terms mean")
    return before + rest[rest.index("Written from the trials") :]


def test_every_requirement_of_every_cell_stands_in_the_page() -> None:
    for make in (tpcc, tpcc_of_many_cells):
        findings, page = make(), page_of(make)
        tables = [rows for name, rows in page.tables.items() if name.startswith("requirements")]
        assert len(tables) == -(-len(findings.cells) // CELLS_ABREAST)
        for place, cell in enumerate(findings.cells):
            assert cell.conformance is not None
            rows = tables[place // CELLS_ABREAST]
            column = 3 + place % CELLS_ABREAST
            assert rows[0][column] == cell.cell.label()
            shown = [(row[0], row[1], row[2], row[column]) for row in rows[1:] if len(row) > 1]
            assert shown == [
                (
                    each.name,
                    each.clause,
                    allowed(each) or "–",
                    observed(each) + (each.reason or each.standing.value),
                )
                for each in cell.conformance.requirements
            ]


def test_what_is_outside_is_marked() -> None:
    below = page_of(tpcc).all("small")
    marked = [each for each in below if "outside" in each.attributes.get("class", "")]
    assert len(marked) == 1


def test_many_cells_are_counted_and_their_requirements_folded_away() -> None:
    for make, is_folded in ((tpcc, False), (tpcc_of_many_cells, True)):
        findings, page = make(), page_of(make)
        assert ("Each requirement for each of" in page.text) is is_folded
        for cell, row in zip(findings.cells, page.tables["nopm"][1:], strict=True):
            assert cell.conformance is not None
            outside = len(cell.conformance.of_standing(Standing.OUTSIDE))
            assert row[-2:] == [str(outside), "1"]


def test_new_orders_per_minute_are_the_figures_everywhere() -> None:
    findings, page = tpcc(), page_of(tpcc)
    mean = figures.rate(60 * findings.cells[0].throughput_per_s.mean)
    assert page.tables["cells"][0][1] == "NOPM"
    assert page.tables["cells"][1][1] == page.tables["nopm"][1][1] == mean
    assert mean in printed(tpcc)
    assert "New-Orders per minute (NOPM), committed or rolled back on purpose" in words(tpcc)
    assert "Percentiles are of New-Orders' response time, of all trials merged." in printed(tpcc)


def test_rates_are_drawn_in_the_unit_of_their_axis() -> None:
    (drawing,) = charts.throughput(tpcc())
    assert "12,000" in drawing.svg
    assert positions(drawing.svg, "symbol")


@pytest.mark.parametrize("show", [words, printed])
def test_the_figure_is_called_by_its_name_and_no_result_of_the_tpc(
    show: Callable[[Make], str],
) -> None:
    unpaced, paced, other = show(tpcc), show(tpcc_of_many_cells), show(two_factors)
    assert unpaced.count(PHRASE) == 1
    assert unpaced.count("tpmC") == 1
    assert PHRASE not in paced
    assert "NOPM" not in paced
    for text in (unpaced, paced):
        assert text.count("Not a TPC result.") == 1
        assert "results of TPC" not in text
        assert "warm-up and drain included" in text
    assert "TPC-C" not in other


def test_paced_cells_show_their_share_of_what_can_be_asked_for() -> None:
    findings, page = tpcc_of_many_cells(), page_of(tpcc_of_many_cells)
    heading, row = page.tables["nopm"][:2]
    per_warehouse = findings.cells[0].throughput_per_s.mean * 60 / 1000
    shown = dict(zip(heading, row, strict=True))
    assert shown["tpmC per warehouse"] == figures.rate(per_warehouse)
    assert shown["of 12.86"] == figures.share(per_warehouse / 12.86)
    share = " ".join(shown["of 12.86"].split())
    assert f"{share} of 12.86 tpmC per warehouse" in printed(tpcc_of_many_cells)


def test_the_terminal_says_what_is_not_met_and_keeps_it_short() -> None:
    text = printed(tpcc)
    assert (
        "TPC-C conformance of terminals=10: 11 of 11 requirements that can be judged are met; "
        "too few to tell: Remote lines." in text
    )
    assert (
        "TPC-C conformance of terminals=20: 10 of 11 requirements that can be judged are met; "
        "outside: New-Orders rolled back 2.10 % (0.9 to 1.1 %); too few to tell: Remote lines."
        in text
    )
    assert "3 more groups of cells have other results: see the report." in printed(
        tpcc_of_many_cells
    )
