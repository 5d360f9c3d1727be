"""The tables of resources: of few cells a column for each, of many a row; and those of servers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dbdyno.analysis.usage import Resource, Usage, UsageKey
from dbdyno.report.sections.resources import MOST_COLUMNS
from dbdyno.report.usage import groups
from tests.unit.report.written import render_html

from .report_examples import two_factors
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)


def key(resource: Resource, device: str = "", member: str = "", host: str = "local") -> UsageKey:
    return UsageKey(host, member, device, resource)


USED = {
    key(Resource.PROCESS_CPU_CORES, member="server"): Usage(0.756, 0.9),
    key(Resource.NETWORK_SEND_BYTES_PER_S, "eth0"): Usage(0.0, 0.0),
    key(Resource.DISK_AWAIT_S, "vda"): Usage(0.0021, 0.0153),
    key(Resource.MEMORY_AVAILABLE_BYTES): Usage(8.5 * 2**30, 8.0 * 2**30),
    key(Resource.CPU_CORES): Usage(1.5, 1.9),
    key(Resource.CPU_COUNT): Usage(1.999, 2.01),
    key(Resource.CPU_CORES, host="db1"): Usage(0.0, 0.0),
}


def test_rows_stand_host_by_host_and_what_is_not_known_is_absent() -> None:
    findings = two_factors()
    few = findings.cells[:MOST_COLUMNS]
    findings = replace(findings, cells=few, usage={few[0].cell: USED})
    page = read_page(render_html(findings, NOON))
    rows = [
        [text.replace("\N{NO-BREAK SPACE}", " ") for text in row] for row in page.tables["usage"]
    ]
    assert [row[:3] for row in rows] == [
        ["resource", "journal_mode=delete, clients=1", "journal_mode=delete, clients=2"],
        ["host local (where dbdyno ran)"],
        ["busy CPUs of 2", "1.50p95 1.90", "–"],
        ["memory available, GiB", "8.50p5 8.00", "–"],
        ["disk vda, time of a request (await), ms", "2.10p95 15.3", "–"],
        ["server, CPUs", "0.76p95 0.90", "–"],
        ["host db1"],
        ["busy CPUs", "0.00p95 0.00", "–"],
    ]


def test_many_cells_are_rows_with_a_table_for_each_host() -> None:
    findings = two_factors()
    first, second = (each.cell for each in findings.cells[:2])
    only_db1 = {of: usage for of, usage in USED.items() if of.host == "db1"}
    findings = replace(findings, usage={first: USED, second: only_db1})
    tables = read_page(render_html(findings, NOON)).tables
    local, db1 = (
        [[text.replace("\N{NO-BREAK SPACE}", " ") for text in row] for row in tables[name]]
        for name in ("usage-0", "usage-1")
    )
    assert local == [
        [
            "journal_mode",
            "clients",
            "busy CPUs of 2",
            "memory available, GiB",
            "disk vda, time of a request (await), ms",
            "server, CPUs",
        ],
        ["host local (where dbdyno ran)"],
        ["delete", "1", "1.50p95 1.90", "8.50p5 8.00", "2.10p95 15.3", "0.76p95 0.90"],
    ]
    assert db1[1:] == [
        ["host db1"],
        ["delete", "1", "0.00p95 0.00"],
        ["delete", "2", "0.00p95 0.00"],
    ]


def test_servers_stand_by_cell_with_their_cpu_and_network() -> None:
    findings = two_factors()
    received, sent = Resource.NETWORK_RECEIVE_BYTES_PER_S, Resource.NETWORK_SEND_BYTES_PER_S
    used = USED | {
        key(Resource.PROCESS_CPU_CORES, member="storage-2"): Usage(0.5, 0.9),
        key(received, "eth0", member="storage-2"): Usage(2_655_000.0, 3e6),
        key(sent, "eth0", member="storage-2"): Usage(12_000.0, 3e6),
        key(Resource.CPU_COUNT, host="db1"): Usage(4.0, 4.0),
        key(received, "eth0", host="db1"): Usage(1000.0, 3e6),
        key(received, "eth1", host="db1"): Usage(500.0, 3e6),
        key(received, "lo", host="db1"): Usage(7e6, 9e6),
    }
    findings = replace(findings, usage={findings.cells[0].cell: used})
    page = read_page(render_html(findings, NOON))
    rows = [row[-5:] for row in page.tables["servers-table"]]
    assert [[text.replace("\N{NO-BREAK SPACE}", " ") for text in row] for row in rows] == [
        ["server or host", "CPUs", "of its host's CPUs", "received, kB/s", "sent, kB/s"],
        ["server", "0.76p95 0.90", "37.8 %", "–", "–"],
        ["storage-2", "0.50p95 0.90", "25.0 %", "2,655", "12.00"],
        ["db1", "0.00p95 0.00", "0.0 %", "1.500", "–"],
    ]
    assert not any("storage-2" in text for text in page.tables["usage-0"][0])


def test_this_machine_alone_has_no_table_of_servers() -> None:
    findings = two_factors()
    findings = replace(findings, usage={findings.cells[0].cell: USED})
    assert "servers-table" not in read_page(render_html(findings, NOON)).tables


def test_without_figures_there_is_no_section() -> None:
    nothing = replace(two_factors(), usage={})
    assert groups(nothing) == []
    tables = read_page(render_html(nothing, NOON)).tables
    assert not [name for name in tables if name.startswith("usage")]


def test_a_table_shows_that_it_goes_on_and_keeps_its_first_column() -> None:
    """What a browser makes of it was looked at; here is only that the rules are there."""
    page = read_page(render_html(two_factors(), NOON))
    assert "no-repeat local" in page.styles
    assert "position: sticky; left: 0" in page.styles
    regions = [e for e in page.elements if e.attributes.get("class") == "scroll"]
    assert all(e.attributes.get("tabindex") == "0" for e in regions)
    assert all(e.attributes.get("aria-label") for e in regions)
