"""Throughput, CPUs and network against load: a panel a series of cells, a line a host or server.

What a server uses where throughput stops growing is what it lacks. Published tests draw it by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.usage import Resource, UsageKey
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report.charts import across_axis
from dbdyno.report.drawing import INK, Drawing, Rows, draw, specify, width_of
from dbdyno.report.drawn import is_measured
from dbdyno.report.grammar import Grammar, choose, grouped_cells, mark_of_index
from dbdyno.report.language import clauses, message, say
from dbdyno.report.load_curves import FEWEST_LEVELS
from dbdyno.report.vega_lite import (
    COLOUR,
    TITLE,
    Part,
    category,
    frame,
    layers,
    marks,
    quantity,
    stacked,
)
from dbdyno.report.words.throughput import measure_words

MOST_LINES = 8
"""Of more servers, those are drawn that used most."""
MOST_PANELS = 12
WIDTH, HEIGHT, LEFT, SPACING = 320, 110, 62, 30
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
    rates = {"": [findings.measure.of(cell.throughput_per_s.mean) for cell in cells]}
    plots = [
        ("rates", measure_words(findings.measure), rates),
        ("cpus", say("busy CPUs"), _most_used(_cpu_lines(findings, cells))),
        ("network", say("network, MB/s"), _most_used(_network_lines(findings, cells))),
    ]
    shown = [plot for plot in plots if plot[2]]
    at = [grammar.across_value(cell.cell) for cell in cells]
    labels = [cell.cell.level(across.name) for cell in cells]
    room = width_of(name for _, _, lines in shown for name in lines)
    data: dict[str, Rows] = {}
    for dataset, _, lines in shown:
        data[dataset] = [
            {
                "across": place,
                "value": value,
                "name": name,
                "colour": mark_of_index(number).colour if name else INK,
                "title": f"{across.name}={label} {name}: {value:,.4g}".replace(" :", ":"),
                "is_last": place == max(at),
            }
            for number, (name, values) in enumerate(lines.items())
            for place, label, value in zip(at, labels, values, strict=True)
        ]
    x = across_axis(across, cells)
    chart = stacked(*(_plot(name, title, x, room) for name, title, _ in shown), spacing=SPACING)
    words = clauses(row["title"] for rows in data.values() for row in rows)
    title = say("Throughput, CPUs and network against {factor}", factor=across.name)
    return draw(specify(chart), data, title, words)


def _plot(dataset: str, title: str, x: Part, room: int) -> Part:
    y = quantity("value", title=title, scale={"zero": True}, axis={"tickCount": 4, "titleX": -LEFT})
    at = {"x": x, "y": y, "detail": category("name")} | COLOUR
    point: Part = {"filled": True, "aria": True, "size": 28, "opacity": 1}
    name: Part = {"align": "left", "dx": 7, "fontSize": 11}
    return layers(
        *frame(LEFT, WIDTH + 14 + room),
        marks("line", dataset, at, strokeWidth=1.5),
        marks("point", dataset, at | TITLE, **point),
        marks("text", dataset, at | {"text": category("name")}, only="datum.is_last", **name),
        width=WIDTH,
        height=HEIGHT,
    )


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
