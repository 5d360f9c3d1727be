"""Throughput, CPUs and network against load: a panel a series of cells, a line a host or server.

What a server uses where throughput stops growing is what it lacks. Published tests draw it by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.usage import Resource, UsageKey
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.charts import across_axis
from dbdyno.report.drawing import INK, Drawing
from dbdyno.report.drawn import is_measured
from dbdyno.report.grammar import Grammar, choose, grouped_cells, mark_of_index
from dbdyno.report.language import message, say
from dbdyno.report.load_curves import FEWEST_LEVELS
from dbdyno.report.named_lines import NamedLine, Point, draw_lines
from dbdyno.report.words.throughput import measure_words

MOST_LINES = 8
"""Of more servers, those are drawn that used most."""
MOST_PANELS = 12
_CPUS = (Resource.CPU_CORES, Resource.PROCESS_CPU_CORES)
_NETWORK = {
    Resource.NETWORK_RECEIVE_BYTES_PER_S: message("{who}, received"),
    Resource.NETWORK_SEND_BYTES_PER_S: message("{who}, sent"),
}
MEGABYTE = 1e6

Line = Mapping[str, float]
"""A figure of each level of load, by its label."""


def usage_curves(findings: Findings) -> list[Drawing]:
    """Draw the series of cells that have enough levels of load; of very many the first ones."""
    grammar = choose(findings.factors)
    across = grammar.across
    if across is None or not across.is_load:
        return []
    cells = [cell for cell in findings.cells if is_measured(cell) and findings.usage.get(cell.cell)]
    series = [
        (heading, members)
        for heading, members in grouped_cells(cells, grammar.others)
        if len(members) >= FEWEST_LEVELS
    ]
    return [
        Drawing(heading, _panel(findings, grammar, across, members))
        for heading, members in series[:MOST_PANELS]
    ]


def _panel(
    findings: Findings, grammar: Grammar, across: FactorLevels, cells: Sequence[CellSummary]
) -> str:
    cells = sorted(cells, key=lambda cell: grammar.across_value(cell.cell))
    rates = {"": [findings.measure.of(cell.throughput_per_s.mean) for cell in cells]}
    plots = [
        (measure_words(findings.measure), rates),
        (say("busy CPUs"), _most_used(_cpu_lines(findings, cells))),
        (say("network, MB/s"), _most_used(_network_lines(findings, cells))),
    ]
    at = [grammar.across_value(cell.cell) for cell in cells]
    labels = [cell.cell.level(across.name) for cell in cells]

    def line(number: int, name: str, values: Sequence[float]) -> NamedLine:
        titles = (f"{across.name}={label} {name}".strip() for label in labels)
        points = [
            Point(place, value, f"{title}: {figures.rate(value)}")
            for place, value, title in zip(at, values, titles, strict=True)
        ]
        return NamedLine(name, mark_of_index(number).colour if name else INK, points)

    shown = [
        (axis, [line(number, *each) for number, each in enumerate(lines.items())])
        for axis, lines in plots
        if lines
    ]
    title = say("Throughput, CPUs and network against {factor}", factor=across.name)
    return draw_lines(shown, across_axis(across, cells), title)


def _cpu_lines(findings: Findings, cells: Sequence[CellSummary]) -> dict[str, list[float]]:
    def name(key: UsageKey) -> str:
        return key.member or say("host {host}", host=key.host)

    return {
        name(key): _values(findings, cells, key, 1.0)
        for key in _keys(findings, cells)
        if key.resource in _CPUS
    }


def _network_lines(findings: Findings, cells: Sequence[CellSummary]) -> dict[str, list[float]]:
    return {
        say(_NETWORK[key.resource], who=key.member or f"{key.host} {key.device}"): _values(
            findings, cells, key, MEGABYTE
        )
        for key in _keys(findings, cells)
        if key.resource in _NETWORK
    }


def _keys(findings: Findings, cells: Sequence[CellSummary]) -> list[UsageKey]:
    """Return what each of the cells has a figure of."""
    keys = [findings.usage[cell.cell].keys() for cell in cells]
    return [key for key in keys[0] if all(key in each for each in keys)]


def _values(
    findings: Findings, cells: Sequence[CellSummary], key: UsageKey, unit: float
) -> list[float]:
    return [findings.usage[cell.cell][key].mean / unit for cell in cells]


def _most_used(lines: dict[str, list[float]]) -> dict[str, list[float]]:
    """Return the lines of those that used anything, the highest ones of very many."""
    used = [name for name, values in lines.items() if max(values) > 0]
    kept = sorted(used, key=lambda name: -max(lines[name]))[:MOST_LINES]
    return {name: lines[name] for name in used if name in kept}
