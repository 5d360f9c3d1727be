"""Throughput, CPUs and network against load: which lines there are, and whose figures."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.usage import Resource, Usage, UsageKey
from dbdyno.report.named_lines import HEIGHT, LINE_HEIGHT, names_apart
from dbdyno.report.usage_curves import MOST_LINES, usage_curves

from .report_examples import names_only, two_factors

HOST = UsageKey("db1", "", "", Resource.CPU_CORES)
RECEIVED = UsageKey("db1", "", "eth0", Resource.NETWORK_RECEIVE_BYTES_PER_S)
SENT = UsageKey("db1", "", "eth0", Resource.NETWORK_SEND_BYTES_PER_S)


def server(number: int) -> UsageKey:
    return UsageKey("db1", f"node-{number}", "", Resource.PROCESS_CPU_CORES)


def used(cell: CellSummary, servers: int = 2) -> dict[UsageKey, Usage]:
    """Return what a cell uses: each figure of its own, so that none is taken for another."""
    clients = int(cell.cell.level("clients"))
    means = {HOST: 0.25 * clients, RECEIVED: 3e6 * clients, SENT: 0.0}
    means |= {server(number): 0.01 * number * clients for number in range(servers)}
    return {key: Usage(mean, 2 * mean) for key, mean in means.items()}


def example(servers: int = 2) -> Findings:
    findings = two_factors()
    return replace(findings, usage={each.cell: used(each, servers) for each in findings.cells})


def told(svg: str) -> dict[str, float]:
    """Return what each point says when it is pointed at."""
    said = re.findall(r"<title>(clients=[^:<]*): ([\d.,]+)</title>", svg)
    return {name.strip(): float(value.replace(",", "")) for name, value in said}


def test_each_series_has_a_panel_with_its_throughput_and_what_was_used() -> None:
    findings = example()
    drawings = usage_curves(findings)
    assert [each.heading for each in drawings] == ["journal_mode=delete", "journal_mode=wal"]
    for drawing in drawings:
        points = told(drawing.svg)
        cells = [each for each in findings.cells if each.cell.label().startswith(drawing.heading)]
        assert len(cells) == 4
        for cell in cells:
            clients = cell.cell.level("clients")
            rate = float(f"{cell.throughput_per_s.mean:.4g}")
            assert points[f"clients={clients}"] == rate
            assert points[f"clients={clients} host db1"] == 0.25 * int(clients)
            assert points[f"clients={clients} node-1"] == 0.01 * int(clients)
            assert points[f"clients={clients} db1 eth0, received"] == 3 * int(clients)
        # What nobody used is no line at zero.
        assert not any("node-0" in name or "sent" in name for name in points)


def test_of_many_servers_those_are_drawn_that_used_most() -> None:
    names = {name.partition(" ")[2] for name in told(usage_curves(example(12))[0].svg)}
    nodes = {name for name in names if name.startswith("node-")}
    assert nodes == {f"node-{number}" for number in range(12 - (MOST_LINES - 1), 12)}


def test_lines_run_with_the_axis_whatever_the_order_of_the_cells() -> None:
    """The baseline of load may be the highest one, which comes first."""
    findings = example()
    turned = replace(findings, cells=tuple(reversed(findings.cells)))
    of_each = ({each.heading: each.svg for each in usage_curves(one)} for one in (findings, turned))
    drawn, drawn_turned = of_each
    assert drawn == drawn_turned


def test_names_of_lines_that_end_close_to_each_other_stand_apart() -> None:
    found = names_apart({"host": 2.0, "b": 0.52, "a": 0.5, "idle": 0.0}, top=2.0)
    step = 2.0 * LINE_HEIGHT / HEIGHT
    assert found == pytest.approx({"idle": 0.0, "a": 0.5, "b": 0.5 + step, "host": 2.0})


def test_without_three_levels_of_load_there_is_nothing_to_see() -> None:
    findings = example()
    few = [each for each in findings.cells if each.cell.level("clients") in ("1", "2")]
    assert usage_curves(replace(findings, cells=tuple(few))) == []
    assert usage_curves(replace(findings, usage={})) == []
    assert usage_curves(names_only()) == []
    clients = replace(findings.factors[1], sets="server.innodb_buffer_pool_size")
    assert usage_curves(replace(findings, factors=(findings.factors[0], clients))) == []
