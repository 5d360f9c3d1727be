"""Cost per transaction and steadiness in the page: figures, units, shading, dips."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dbdyno.analysis.cost.model import CostName
from dbdyno.analysis.findings import Estimate
from dbdyno.analysis.steadiness.model import Steadiness
from dbdyno.report.words.costs import EMBEDDED, ratio_in_words
from dbdyno.report.words.steadiness import dips_in_words
from tests.unit.report.written import render_html

from .report_examples import two_factors, watched
from .report_page import Page, read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def html() -> str:
    return render_html(watched(), NOON)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return read_page(html)


def test_costs_stand_under_headings_with_units(page: Page) -> None:
    heading, *rows = page.tables["costs"]
    assert heading[2:] == [
        "server CPU (ms)",
        "client CPU (ms)",
        "server reads (bytes)",
        "disk writes (bytes), whole host",
        "disk flushes, whole host",
        "memory resident, in all",
        "transactions per CPU second of the server",
    ]
    assert len(rows) == 8


def test_each_cost_is_that_of_the_findings_and_its_ratio_stands_below(page: Page) -> None:
    findings = watched()
    wal = findings.costs[4]
    cost = wal.costs[CostName.SERVER_CPU]
    assert page.tables["costs"][5][2].endswith(ratio_in_words(cost.ratio))
    own = sum(len(each.costs) + 1 for each in findings.costs[:4])
    assert page.values["costs"][own] == pytest.approx(1000 * cost.mean.mean)
    assert cost.ratio is not None
    assert cost.ratio.mean == pytest.approx(4 / 9, rel=0.1)


def test_the_baseline_is_one_what_is_not_known_a_dash_and_zero_a_zero(page: Page) -> None:
    delete, wal = page.tables["costs"][1], page.tables["costs"][5]
    assert delete[2].endswith("1.00")
    assert wal[6] == "–"
    assert delete[4] == wal[4] == "0–"


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (Estimate(1.25, 1.2, 1.312, 3), "1.25 [1.20, 1.31]"),
        (Estimate(1.012, 1.002, 1.022, 3), "1.012 [1.002, 1.022]"),
        (Estimate(0.0312, 0.0061, 0.158, 3), "0.03 [0.01, 0.16]"),
        (Estimate(2.5, None, None, 1), "2.50"),
        (None, "–"),
    ],
)
def test_a_ratio_never_looks_like_one_that_it_is_not(ratio: Estimate | None, words: str) -> None:
    assert ratio_in_words(ratio) == words


def test_only_what_is_apart_is_shaded(html: str) -> None:
    findings = watched()
    table = html[html.index('<table id="costs"') :]
    table = table[: table.index("</table>")]
    apart = [cost for each in findings.costs for cost in each.costs.values() if cost.is_apart]
    assert 4 <= len(apart) < 40
    assert len(re.findall(r'<td class="apart">', table)) == len(apart)


def test_sqlite_is_told_to_share_the_generator_s_process(page: Page) -> None:
    assert EMBEDDED in page.text


def test_steadiness_has_a_row_a_cell(page: Page) -> None:
    row = page.tables["steady"][1]
    assert row[:6] == ["delete", "1", "3", "10.0\u00a0%", "80.0\u00a0%", "110.0\u00a0%"]
    assert row[6] == "−1.80\u00a0%"
    assert row[8:] == ["3", "3", "6.7\u00a0%"]


def test_the_worst_dips_are_listed_with_what_was_beside_them(page: Page) -> None:
    rows = page.tables["dips"][1:]
    assert len(rows) == 10
    beside = "checkpoint, requested, autovacuum"
    assert rows[0][2:] == ["3", "10.00", "2.000", "25.0\u00a0%", "1.700", beside]
    assert "24 dips in all; listed: the 10 worst" in page.text


def test_without_dips_the_page_says_so() -> None:
    findings = watched()
    steady = Steadiness(findings.steadiness.cells)
    assert dips_in_words(replace(findings, steadiness=steady)).startswith("No interval of any")


def test_where_nothing_was_watched_there_is_no_section() -> None:
    page = read_page(render_html(two_factors(), NOON))
    assert not {"costs", "steady", "dips"} & page.tables.keys()
