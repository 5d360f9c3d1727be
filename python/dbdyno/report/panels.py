"""Throughput and response time over the window: a panel a cell, a line a round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report.drawing import (
    INK,
    Drawing,
    Rows,
    draw,
    specify,
)
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.events import event_rows
from dbdyno.report.grammar import (
    cell_label,
    choose,
    grouped_cells,
)
from dbdyno.report.language import say
from dbdyno.report.over_seconds import (
    SPACING,
    WIDTH,
    opacity_of,
    plot_over_seconds,
    rounds_told,
    seconds_axis,
    unseen_end,
)
from dbdyno.report.readable import Attributes, scale, seconds
from dbdyno.report.series import (
    Line,
    drawn_lines,
    most_points,
    points,
)
from dbdyno.report.time_axis import LEFT, Steps, time_axis, time_steps
from dbdyno.report.vega_lite import SHAPE, TITLE, Part, marks, quantity, stacked
from dbdyno.report.words.throughput import counted_many, measure_words

RATE_HEIGHT, TIME_HEIGHT = 90, 68
EVENTS_AT = -4
"""Marks of events stand above the plot of throughput, below its title."""


def over_time(findings: Findings) -> list[Drawing]:
    """Draw throughput and p95 response time of every interval: a panel a cell, a line a round.

    Panels that differ only by the coloured factor share their throughput axis; the axis of response
    time is one for all.
    """
    grammar = choose(findings.factors)
    cells = drawn_cells(findings.cells)
    lines = {cell.cell: drawn_lines(cell.series) for cell in cells if cell.series}
    most, measure = most_points(cells), findings.measure
    steps = _times_axis(lines.values())
    specification = specify(_over_time_chart(steps, findings))
    events = event_rows(findings)
    drawings = []
    for _, members in grouped_cells(cells, grammar.beside_compared):
        drawn = [cell for cell in members if cell.series]
        rates = [float(line.per_s.max(initial=0.0)) for cell in drawn for line in lines[cell.cell]]
        highest = measure.of(1.05 * max(rates, default=0.0)) or 1.0
        for cell in drawn:
            label, colour = cell_label(cell.cell), grammar.mark(cell.cell).colour
            title = _title(findings, label)
            words = say(
                "{cell}. Rounds: {rounds}; intervals of each: {intervals}.",
                cell=label,
                rounds=len(cell.series),
                intervals=len(cell.series[0].start_s),
            )
            data = _line_rows(lines[cell.cell], colour, most, measure)
            data |= {"highest": [{"rate": highest}], "events": events.get(cell.cell, [])}
            read = _read_by(cell, lines[cell.cell], highest, steps)
            drawings.append(Drawing(label, draw(specification, data, title, words, read)))
    return drawings


def _read_by(
    cell: CellSummary, lines: Sequence[Line], highest: float, steps: Steps | None
) -> Attributes:
    """Return what the page's script needs to tell the values of a panel."""
    plots = [scale("linear", (0, highest), RATE_HEIGHT)]
    if steps:
        plots.append(scale("log", steps[0], TIME_HEIGHT))
    return {
        "seconds": seconds((line.start_s for line in lines), WIDTH),
        "plots": ",".join(plots),
        "rounds": rounds_told([trial.round for trial in cell.series]),
    }


def _times_axis(lines: Iterable[Sequence[Line]]) -> Steps | None:
    """Return the logarithmic axis of all response times."""
    known = [line.p95_ms[~np.isnan(line.p95_ms)] for each in lines for line in each]
    ends = [float(end) for values in known if len(values) for end in (values.min(), values.max())]
    return time_steps(ends, most=5)


def _line_rows(
    lines: Sequence[Line], colour: str, most: int, measure: ThroughputMeasure
) -> dict[str, Rows]:
    """Return a row for each point."""
    rows: dict[str, Rows] = {"rates": [], "times": []}
    for place, line in enumerate(lines, start=1):
        common = {"line": place, "colour": colour, "opacity": opacity_of(place, len(lines))}
        rows["rates"] += [
            common | {"s": start_s, "rate": None if rate is None else measure.of(rate)}
            for start_s, rate in points(line.start_s, line.per_s, most)
        ]
        rows["times"] += [
            common | {"s": start_s, "p95": p95_ms}
            for start_s, p95_ms in points(line.start_s, line.p95_ms, most)
        ]
    return rows


def _over_time_chart(steps: Steps | None, findings: Findings) -> Part:
    """Return throughput above p95 response time; unseen, ``highest`` ends the throughput axis."""
    rate = quantity(
        "rate",
        title=measure_words(findings.measure),
        scale={"zero": True, "nice": False},
        axis={"tickCount": 4, "format": ",~f", "titleX": -LEFT},
    )
    is_last = steps is None
    at = {"x": seconds_axis(is_last=is_last), "y": {"value": EVENTS_AT}} | SHAPE | TITLE
    events = marks("point", "events", at, size=24, color=INK, filled=True, opacity=1, aria=True)
    end = unseen_end("highest", rate)
    plots = [plot_over_seconds("rates", rate, end, events, height=RATE_HEIGHT, is_last=is_last)]
    if steps:
        time = time_axis("p95", _time_title(findings), steps)
        plots.append(plot_over_seconds("times", time, height=TIME_HEIGHT, is_last=True))
    return stacked(*plots, spacing=SPACING)


def _title(findings: Findings, cell: str) -> str:
    if findings.imported:
        return say("Throughput and times over time: {cell}", cell=cell)
    return say("Throughput and response time over time: {cell}", cell=cell)


def _time_title(findings: Findings) -> str:
    if findings.imported:
        return say("p95, ms")
    measure = findings.measure
    if measure.kind is None:
        return say("p95 response time, ms")
    return say("p95 response time of {transactions}, ms", transactions=counted_many(measure))
