"""Percentile curves: response and service time, a panel a kind of transaction and level of load."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.report import figures
from dbdyno.report.drawing import (
    Drawing,
    Rows,
    draw,
    label_expression,
    specify,
)
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.grammar import Grammar, choose, grouped_cells, transaction_in_words
from dbdyno.report.language import listed, message, say
from dbdyno.report.over_seconds import RIGHT, WIDTH
from dbdyno.report.percentiles import table_values
from dbdyno.report.series import is_drawable
from dbdyno.report.time_axis import LEFT, Steps, time_axis, time_steps
from dbdyno.report.vega_lite import (
    COLOUR,
    SHAPE,
    TITLE,
    Part,
    category,
    frame,
    layers,
    marks,
    quantity,
)

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
        for levels, members in grouped_cells(drawn, grammar.all_but_colour):
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


def _percentile_chart(steps: Steps) -> Part:
    """Return response time as solid lines, and service time as dashed ones with hollow marks."""
    places = [*(place for _, place in _CURVE), _MAXIMUM_AT]
    labels = [*(label for label, _ in _CURVE), say("max")]
    x = quantity(
        "nines",
        title=say("percentile of transactions"),
        axis={
            "values": places,
            "labelExpr": label_expression(places, labels),
            "labelFontSize": 11,
        },
        scale={"domain": [0.15, _MAXIMUM_AT + 0.15], "nice": False},
    )
    at = {"x": x, "y": time_axis("ms", say("time, ms"), steps)} | COLOUR
    return layers(
        *frame(LEFT, RIGHT),
        *_curve("response", at, {"strokeWidth": 1.5}, is_filled=True),
        *_curve("service", at, {"strokeWidth": 1.2, "strokeDash": [2, 3]}, is_filled=False),
        width=WIDTH,
        height=180,
    )


def _curve(dataset: str, at: Part, line: Part, *, is_filled: bool) -> tuple[Part, Part]:
    """Return the line up to p99.9, and the marks of all values with the largest among them."""
    joined = at | {"detail": category("colour")}
    point: Part = {"size": 28, "opacity": 1, "strokeWidth": 1.2, "filled": is_filled}
    return (
        marks("line", dataset, joined, only="!datum.largest", **line),
        marks("point", dataset, at | SHAPE | TITLE, aria=True, **point),
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
