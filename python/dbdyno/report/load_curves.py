"""Response time against throughput: what each step of load adds, and from where on it only waits.

A panel has one percentile, a line one series of cells that differ in load alone. Beyond the most
that a server can do, throughput stays or falls while response times go on growing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures, percentiles
from dbdyno.report.drawing import Drawing, Rows, draw, specify
from dbdyno.report.drawn import is_measured, spread
from dbdyno.report.grammar import Grammar, cell_label, choose, levels_in_words
from dbdyno.report.language import listed, say
from dbdyno.report.load_labels import DX_PX, DY_PX, Point, labelled_points
from dbdyno.report.matrix import response_of
from dbdyno.report.partial_service import time_mark
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
from dbdyno.report.words.throughput import measure_heading, measure_words

FEWEST_LEVELS = 3
"""With fewer there is no bend to see."""
MOST_LINES = 10
"""In all panels of a percentile; of more, so many are drawn."""
WIDTH, HEIGHT = 250, 190
"""Of a panel's plot, in pixels."""
BEYOND = 1.12
"""The axis of throughput ends so far beyond the highest, for the labels there."""

_SHOWN = (0.5, 0.95, 0.99)


@dataclass(frozen=True)
class LoadLine:
    """A series of cells by growing load, with their throughput as the measure has it."""

    cells: tuple[CellSummary, ...]
    rates: tuple[float, ...]
    times: tuple[Percentiles, ...]


@dataclass(frozen=True)
class _Panel:
    """What is drawn in a panel, and where its axes end: throughput as measured, milliseconds."""

    quantile: float
    limit_ms: float | None
    highest: float
    steps: Steps


def load_curves(findings: Findings) -> list[Drawing]:
    """Draw a panel for each percentile and level of further factors; none without a load factor."""
    grammar = choose(findings.factors)
    lines = drawn_lines(findings)
    if grammar.across is None or not lines:
        return []
    limit = response_limit(findings)
    quantiles = sorted({*_SHOWN, *([limit[0]] if limit else [])})
    times_ms = [_time_ms(time, q) for line in lines for time in line.times for q in quantiles]
    steps = time_steps([*times_ms, limit[1] if limit else None], most=8)
    if steps is None:
        return []
    drawings = []
    for _, of_work in _by_levels(grammar.work, lines):
        highest = BEYOND * max(rate for line in of_work for rate in line.rates) or 1.0
        specification = specify(_chart(measure_words(findings.measure), highest, steps))
        for level, group in _by_levels(grammar.panels, of_work):
            for quantile in quantiles:
                heading = listed(filter(None, [_name(quantile), level]))
                shown_limit = limit[1] if limit and limit[0] == quantile else None
                panel = _Panel(quantile, shown_limit, highest, steps)
                rows = _rows(grammar, group, findings, panel)
                if not rows["points"]:
                    continue
                svg = draw(specification, rows, _title(heading), _words(grammar.across))
                drawings.append(Drawing(heading, svg))
    return drawings


def response_limit(findings: Findings) -> tuple[float, float] | None:
    """Return the quantile and the milliseconds that a search was to keep, if we know that one."""
    for found in findings.knees:
        quantile, limit_s = found.search.quantile, found.search.limit_s
        if quantile in _FIELDS and limit_s is not None and is_drawable(limit_s):
            return quantile, 1000 * limit_s
    return None


def all_lines(findings: Findings) -> list[LoadLine]:
    """Return the series of cells that have enough levels of load; the first level comes first."""
    grammar = choose(findings.factors)
    if grammar.across is None or not grammar.across.is_load:
        return []
    others = tuple(factor for factor in findings.factors if factor is not grammar.across)
    known = [each for each in findings.cells if _is_known(each, findings)]
    known.sort(key=lambda each: grammar.across_value(each.cell))
    known.sort(key=lambda each: [f.levels.index(each.cell.level(f.name)) for f in others])
    by_others = itertools.groupby(known, key=lambda each: levels_in_words(each.cell, others))
    series = (tuple(members) for _, members in by_others)
    return [_line(members, findings) for members in series if len(members) >= FEWEST_LEVELS]


def drawn_lines(findings: Findings) -> Sequence[LoadLine]:
    """Return the series that are drawn: of very many some, from the slowest to the fastest."""
    return spread(all_lines(findings), lambda line: max(line.rates), MOST_LINES, MOST_LINES)


def _is_known(cell: CellSummary, findings: Findings) -> bool:
    return is_measured(cell) and response_of(cell, findings) is not None


def _line(cells: tuple[CellSummary, ...], findings: Findings) -> LoadLine:
    rates = (findings.measure.estimate(each.throughput_per_s).mean for each in cells)
    times = (response_of(each, findings) for each in cells)
    return LoadLine(cells, tuple(rates), tuple(time for time in times if time is not None))


def _by_levels(
    factors: tuple[FactorLevels, ...], lines: Sequence[LoadLine]
) -> list[tuple[str, list[LoadLine]]]:
    """Return the lines by their levels of these factors; all of them together where none is."""
    by_level: dict[str, list[LoadLine]] = {}
    for line in lines:
        level = levels_in_words(line.cells[0].cell, factors)
        by_level.setdefault(level, []).append(line)
    return list(by_level.items())


_FIELDS = {0.5: "p50_ms", 0.9: "p90_ms", 0.95: "p95_ms", 0.99: "p99_ms", 0.999: "p999_ms"}


def _time_ms(times: Percentiles, quantile: float) -> float:
    """Return a percentile; NaN of too few transactions, as tables have none then."""
    value_ms = getattr(times, _FIELDS[quantile])
    assert isinstance(value_ms, float)
    return value_ms if percentiles.has_enough(times, quantile) else math.nan


def _name(quantile: float) -> str:
    """Return what a percentile is called: ``p95``, ``p99.9``."""
    return f"p{100 * quantile:g}"


def _title(heading: str) -> str:
    return say("Response time against throughput: {what}", what=heading)


def _words(across: FactorLevels) -> str:
    return say(
        "A point for each level of {factor}, joined in their order; the tables have the figures.",
        factor=across.name,
    )


def _rows(
    grammar: Grammar, lines: Sequence[LoadLine], findings: Findings, panel: _Panel
) -> dict[str, Rows]:
    """Return a row for each point, for each label that has room, and for the limit."""
    points: Rows = []
    labels: list[Point] = []
    for number, line in enumerate(lines):
        times_ms = [_time_ms(times, panel.quantile) for times in line.times]
        first = _labelled_first(times_ms, panel.limit_ms)
        known = zip(line.cells, line.rates, times_ms, strict=True)
        for place, (cell, rate, time_ms) in enumerate(known):
            if not is_drawable(time_ms):
                continue
            mark = grammar.mark(cell.cell)
            title = _point_in_words(cell, rate, (panel.quantile, time_ms), findings)
            row: Part = {"rate": rate, "ms": time_ms, "line": number, "place": place}
            points.append(row | {"colour": mark.colour, "shape": mark.shape, "title": title})
            level = cell.cell.level(grammar.across.name) if grammar.across else ""
            rank = first.index(place) if place in first else len(first)
            labels.append(Point(rate, time_ms, level, rank))
    kept = labelled_points(labels, panel.highest, panel.steps[0], (WIDTH, HEIGHT))
    texts = [{"rate": each.rate, "ms": each.time_ms, "text": each.text} for each in kept]
    return {"points": points, "labels": texts, "limit": _limit_rows(panel.limit_ms)}


def _labelled_first(times_ms: Sequence[float], limit_ms: float | None) -> list[int]:
    """Return the places of a line whose labels matter most: the last that meets the limit, ends."""
    meeting = [place for place, time_ms in enumerate(times_ms) if time_ms <= (limit_ms or 0.0)]
    return list(dict.fromkeys([*meeting[-1:], 0, len(times_ms) - 1]))


def _point_in_words(
    cell: CellSummary, rate: float, time: tuple[float, float], findings: Findings
) -> str:
    quantile, time_ms = time
    return say(
        "{cell}: {rate} {unit}, {percentile} {time} ms",
        cell=cell_label(cell.cell),
        rate=figures.rate(rate),
        unit=measure_heading(findings.measure),
        percentile=_name(quantile),
        time=time_mark(cell, time_ms) + figures.milliseconds(time_ms),
    )


def _limit_rows(limit_ms: float | None) -> Rows:
    if limit_ms is None:
        return []
    return [{"ms": limit_ms, "text": say("limit {time} ms", time=figures.milliseconds(limit_ms))}]


def _chart(rate_title: str, highest: float, steps: Steps) -> Part:
    x = quantity(
        "rate",
        title=rate_title,
        scale={"domain": [0, highest], "nice": False},
        axis={"tickCount": 4, "format": ",~f"},
    )
    y = time_axis("ms", say("time, ms"), steps)
    at, text = {"x": x, "y": y}, {"text": category("text")}
    limit = {"x": {"value": 0}, "y": y} | text
    line = at | COLOUR | {"detail": category("line"), "order": quantity("place")}
    point: Part = {"size": 45, "opacity": 1, "filled": True, "aria": True}
    label: Part = {"align": "left", "dx": DX_PX, "dy": DY_PX, "fontSize": 11}
    return layers(
        *frame(LEFT, WIDTH + 12),
        marks("rule", "limit", {"y": y}, strokeDash=[5, 3], color="var(--warning)"),
        marks("text", "limit", limit, align="left", dx=4, dy=9),
        marks("line", "points", line, strokeWidth=1.5),
        marks("point", "points", at | COLOUR | SHAPE | TITLE, **point),
        marks("text", "labels", at | text, **label),
        width=WIDTH,
        height=HEIGHT,
    )
