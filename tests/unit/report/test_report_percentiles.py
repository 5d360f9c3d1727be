"""Percentiles that say nothing of their own are not shown, and that is said once."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console

from dbdyno.analysis.clients import ClientsInEffect
from dbdyno.analysis.findings import Findings, Percentiles
from dbdyno.report import figures
from dbdyno.report.percentiles import notes, table_values
from dbdyno.report.terminal import print_verdicts
from tests.unit.report.written import render_html

from .report_examples import TRANSACTION, tpcc, two_factors
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


def measures_of(findings: Findings) -> list[str]:
    rows = [row for row in read_page(render_html(findings, NOON)).tables["percentiles"][1:] if row]
    return [row[-8] for row in rows]


def closed(factor: float) -> Findings:
    """The first cell's service times are its response times by a factor."""
    findings = two_factors()
    first = findings.cells[0]
    times = first.response[TRANSACTION]
    names = ("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms")
    service = replace(times, **{name: getattr(times, name) * factor for name in names})
    return replace(findings, cells=(replace(first, service={TRANSACTION: service}),))


def test_service_time_and_lag_are_left_out_where_they_say_nothing_new() -> None:
    assert measures_of(closed(0.995)) == ["response time"]
    assert measures_of(closed(0.98)) == ["response time", "service time", "schedule lag"]
    (note,) = notes(closed(0.995))
    assert "equals response time within 1 %" in note
    assert notes(closed(0.98)) == []


def of_count(count: int) -> Findings:
    findings = two_factors()
    first = findings.cells[0]
    times = replace(first.response[TRANSACTION], count=count)
    cell = replace(first, response={TRANSACTION: times}, service={}, lag={})
    return replace(findings, cells=(cell,), compared=())


def test_percentiles_of_few_transactions_are_absent() -> None:
    times = Percentiles(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 10_000)
    assert table_values(times) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert table_values(replace(times, count=9_999)) == (1.0, 2.0, 3.0, 4.0, None, 6.0)
    assert table_values(replace(times, count=999)) == (1.0, 2.0, 3.0, None, None, 6.0)
    assert table_values(replace(times, count=0)) == (None,) * 6
    page = read_page(render_html(of_count(999), NOON))
    assert page.tables["percentiles"][1][-4:-2] == ["–", "–"]
    assert "p99 of fewer than 1,000 transactions" in page.text
    assert notes(of_count(10_000)) == []


def test_the_terminal_leaves_them_out_too() -> None:
    for count, is_there in ((1000, True), (999, False)):
        findings = of_count(count)
        file = io.StringIO()
        print_verdicts(findings, Console(file=file, width=120))
        p99 = figures.milliseconds(findings.cells[0].response[TRANSACTION].p99_ms)
        assert (p99 in file.getvalue()) is is_there


def test_the_kinds_of_tpcc_have_the_names_of_the_specification() -> None:
    rows = read_page(render_html(tpcc(), NOON)).tables["percentiles"][1:]
    assert [row[1] for row in rows if row][:6] == [
        *("New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"),
        "all transactions",
    ]


def test_clients_in_effect_have_a_column_only_where_they_are_known() -> None:
    findings = two_factors()
    unknown = read_page(render_html(findings, NOON))
    assert "clients in effect" not in unknown.tables["percentiles"][0]
    assert "Clients in effect are not known: the kernel gives no time of arrival" in unknown.text
    first, *others = findings.cells
    cells = (replace(first, clients=ClientsInEffect(0.5, 8)), *others)
    known = read_page(render_html(replace(findings, cells=cells), NOON))
    column = known.tables["percentiles"][0].index("clients in effect")
    assert known.tables["percentiles"][1][column] == "4 of 8"
    assert "under 90" in known.text
