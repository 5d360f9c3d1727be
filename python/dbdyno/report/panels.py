"""The charts that come as small multiples: throughput over time, and percentile curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import altair as alt
import numpy as np

from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.drawing import (
    COLOUR,
    SHAPE,
    TITLE,
    Drawing,
    Part,
    Rows,
    draw,
    frame,
    label_expression,
    specify,
)
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.grammar import (
    Grammar,
    cell_label,
    choose,
    grouped_cells,
    transaction_in_words,
)
from dbdyno.report.language import listed, message, say
from dbdyno.report.percentiles import table_values
from dbdyno.report.readable import Attributes, scale, seconds
from dbdyno.report.series import (
    MOST_LINES,
    Line,
    drawn_lines,
    is_drawable,
    most_points,
    points,
)
from dbdyno.report.time_axis import LEFT, Steps, time_axis, time_steps
from dbdyno.report.words.throughput import counted_many, measure_words

WIDTH = 250
"""Of a panel's plot, in pixels; labels and titles stand in the room that ``frame`` keeps."""
RIGHT = WIDTH + 12
RATE_HEIGHT, TIME_HEIGHT = 90, 68

_PERCENTILES = {
    "response": message("p{percentile}: {time} ms"),
    "service": message("service time, p{percentile}: {time} ms"),
}
_LARGEST = {
    "response": message("largest: {time} ms"),
    "service": message("service time, largest: {time} ms"),
}
"""What a mark of a curve says, by what the curve is of."""

_CURVE = (
    ("50", 0.30103),
    ("90", 1.0),
    ("95", 1.30103),
    ("99", 2.0),
    ("99.9", 3.0),
)
"""Label and place on the axis of nines, which is −log10(1 − quantile)."""
_MAXIMUM_AT = 3.7
"""The largest value has no place on that axis; it stands to the right, not joined to the curve."""


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
    specification = specify(_over_time_chart(steps, measure))
    drawings = []
    for _, members in grouped_cells(cells, _all_but_colour(grammar)):
        drawn = [cell for cell in members if cell.series]
        rates = [float(line.per_s.max(initial=0.0)) for cell in drawn for line in lines[cell.cell]]
        highest = measure.of(1.05 * max(rates, default=0.0)) or 1.0
        for cell in drawn:
            label, colour = cell_label(cell.cell), grammar.mark(cell.cell).colour
            title = say("Throughput and response time over time: {cell}", cell=label)
            words = say(
                "{cell}. Rounds: {rounds}; intervals of each: {intervals}.",
                cell=label,
                rounds=len(cell.series),
                intervals=len(cell.series[0].start_s),
            )
            data = _line_rows(lines[cell.cell], colour, most, measure)
            data["highest"] = [{"rate": highest}]
            read = _read_by(cell, lines[cell.cell], highest, steps)
            drawings.append(Drawing(label, draw(specification, data, title, words, read)))
    return drawings


def _read_by(
    cell: CellSummary, lines: Sequence[Line], highest: float, steps: Steps | None
) -> Attributes:
    """Return what the page's script needs to tell the values of a panel."""
    names = [str(trial.round) for trial in cell.series]
    plots = [scale("linear", (0, highest), RATE_HEIGHT)]
    if steps:
        plots.append(scale("log", steps[0], TIME_HEIGHT))
    return {
        "seconds": seconds((line.start_s for line in lines), WIDTH),
        "plots": ",".join(plots),
        # Three lines stand for many rounds; the page has their names.
        "rounds": " ".join(names) if len(names) <= MOST_LINES else "",
    }


def _times_axis(lines: Iterable[Sequence[Line]]) -> Steps | None:
    """Return the logarithmic axis of all response times."""
    known = [line.p95_ms[~np.isnan(line.p95_ms)] for each in lines for line in each]
    ends = [float(end) for values in known if len(values) for end in (values.min(), values.max())]
    return time_steps(ends, most=5)


def _all_but_colour(grammar: Grammar) -> tuple[FactorLevels, ...]:
    return (*([grammar.across] if grammar.across else []), *grammar.panels)


def _line_rows(
    lines: Sequence[Line], colour: str, most: int, measure: ThroughputMeasure
) -> dict[str, Rows]:
    """Return a row for each point.

    Later rounds are stronger, so that drift between rounds shows.
    """
    rows: dict[str, Rows] = {"rates": [], "times": []}
    for place, line in enumerate(lines, start=1):
        common = {
            "line": place,
            "colour": colour,
            "opacity": round(0.3 + 0.7 * place / len(lines), 2),
        }
        rows["rates"] += [
            common | {"s": start_s, "rate": None if rate is None else measure.of(rate)}
            for start_s, rate in points(line.start_s, line.per_s, most)
        ]
        rows["times"] += [
            common | {"s": start_s, "p95": p95_ms}
            for start_s, p95_ms in points(line.start_s, line.p95_ms, most)
        ]
    return rows


def _over_time_chart(steps: Steps | None, measure: ThroughputMeasure) -> alt.VConcatChart:
    """Return throughput above p95 response time; unseen, ``highest`` ends the throughput axis."""
    rate = alt.Y(
        "rate:Q",
        title=measure_words(measure),
        scale=alt.Scale(zero=True, nice=False),
        axis=alt.Axis(tickCount=4, format=",~f", titleX=-LEFT),
    )
    highest = alt.Chart(alt.NamedData("highest")).mark_point(color="transparent", size=0)
    above = _over_seconds("rates", rate, highest.encode(x=alt.value(0), y=rate), last=steps is None)
    plots = [above.properties(width=WIDTH, height=RATE_HEIGHT)]
    if steps:
        time = time_axis("p95", _time_title(measure), steps)
        below = _over_seconds("times", time, last=True)
        plots.append(below.properties(width=WIDTH, height=TIME_HEIGHT))
    return alt.vconcat(*plots, spacing=26)


def _time_title(measure: ThroughputMeasure) -> str:
    if measure.kind is None:
        return say("p95 response time, ms")
    return say("p95 response time of {transactions}, ms", transactions=counted_many(measure))


def _over_seconds(
    dataset: str, y: alt.Y, *layers: alt.Chart, last: bool
) -> alt.LayerChart | alt.FacetChart:
    """Return one plot over the seconds of the window; the last one carries their labels."""
    axis = alt.Axis(tickCount=6, labels=last, ticks=last)
    title = say("seconds since the window began") if last else None
    x = alt.X("s:Q", title=title, axis=axis, scale=alt.Scale(nice=False))
    opacity = alt.Opacity("opacity:Q", scale=None)
    lines = alt.Chart(alt.NamedData(dataset)).mark_line(strokeWidth=1.2)
    lines = lines.encode(x, y, COLOUR, opacity, detail="line:N")
    return alt.layer(*frame(LEFT, RIGHT), *layers, lines)


def percentile_curves(findings: Findings) -> list[Drawing]:
    """Draw response and service time at each percentile, a panel a transaction and load."""
    grammar = choose(findings.factors)
    drawn = drawn_cells(findings.cells)
    transactions = dict.fromkeys(name for cell in drawn for name in cell.response)
    times = (
        value
        for cell in drawn
        for percentiles in (*cell.response.values(), *cell.service.values())
        for value in table_values(percentiles)
    )
    steps = time_steps(times, most=10)
    if steps is None:
        return []
    specification = specify(_percentile_chart(steps))
    words = say(
        "Response time solid, service time dashed, in milliseconds; the table has the figures."
    )
    drawings = []
    for transaction in transactions:
        for levels, members in grouped_cells(drawn, _all_but_colour(grammar)):
            cells = [cell for cell in members if transaction in cell.response]
            heading = listed(filter(None, [transaction_in_words(transaction), levels]))
            rows = {
                name: _curve_rows(grammar, name, [(c, times.get(transaction)) for c, times in of])
                for name, of in (
                    ("response", [(c, c.response) for c in cells]),
                    ("service", [(c, c.service) for c in cells]),
                )
            }
            if cells:
                title = say("Percentiles of {what}", what=heading)
                svg = draw(specification, rows, title, words)
                drawings.append(Drawing(heading, svg))
    return drawings


def _percentile_chart(steps: Steps) -> alt.LayerChart | alt.FacetChart:
    """Return response time as solid lines, and service time as dashed ones with hollow marks."""
    places = [*(place for _, place in _CURVE), _MAXIMUM_AT]
    labels = [*(label for label, _ in _CURVE), say("max")]
    x = alt.X(
        "nines:Q",
        title=say("percentile of transactions"),
        axis=alt.Axis(values=places, labelExpr=label_expression(places, labels), labelFontSize=11),
        scale=alt.Scale(domain=[0.15, _MAXIMUM_AT + 0.15], nice=False),
    )
    y = time_axis("ms", say("time, ms"), steps)
    solid = _curve_layers("response", {"strokeWidth": 1.5}, {"filled": True})
    dashed = _curve_layers("service", {"strokeWidth": 1.2, "strokeDash": [2, 3]}, {"filled": False})
    layers = (layer.encode(x=x, y=y) for layer in (*solid, *dashed))
    return alt.layer(*frame(LEFT, RIGHT), *layers).properties(width=WIDTH, height=180)


def _curve_layers(dataset: str, line: Part, point: Part) -> tuple[alt.Chart, alt.Chart]:
    """Return the line up to p99.9, and the marks of all values with the largest among them."""
    base = alt.Chart(alt.NamedData(dataset)).encode(COLOUR)
    return (
        base.transform_filter("!datum.largest").mark_line(**line).encode(detail="colour:N"),
        base.mark_point(size=28, opacity=1, strokeWidth=1.2, aria=True, **point).encode(
            SHAPE, TITLE
        ),
    )


def _curve_rows(
    grammar: Grammar, of: str, curves: Sequence[tuple[CellSummary, Percentiles | None]]
) -> Rows:
    places = [*(place for _, place in _CURVE), _MAXIMUM_AT]
    return [
        {
            "nines": place,
            "ms": value,
            "largest": place == _MAXIMUM_AT,
            "colour": grammar.mark(cell.cell).colour,
            "shape": grammar.mark(cell.cell).shape,
            "title": _mark_title(grammar, cell, of, place, value),
        }
        for cell, percentiles in curves
        if percentiles is not None
        for place, value in zip(places, table_values(percentiles), strict=False)
        if is_drawable(value)
    ]


def _mark_title(grammar: Grammar, cell: CellSummary, of: str, place: float, time_ms: float) -> str:
    """Return what a mark stands for; the level is told where colours tell levels apart."""
    names = {at: label for label, at in _CURVE}
    time = figures.milliseconds(time_ms)
    if place in names:
        text = say(_PERCENTILES[of], percentile=names[place], time=time)
    else:
        text = say(_LARGEST[of], time=time)
    level = [cell.cell.level(grammar.colour.name)] if grammar.colour else []
    return listed([*level, text])
