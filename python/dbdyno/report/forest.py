"""The forest plots: the effect of each factor as a whole, and of each of its cells.

The axis is one of ratios, so that twice and half as much are as far from "no difference"; its ticks
are percentages. An interval that reaches beyond the axis ends there with an arrow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Sequence

from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    Effect,
    FactorEffect,
    PartialMean,
    VerdictKind,
)
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.drawing import (
    FAINT,
    INK,
    Drawing,
    Rows,
    draw,
    label_expression,
    specify,
    width_of,
)
from dbdyno.report.drawn import spread
from dbdyno.report.grammar import Grammar, choose
from dbdyno.report.language import clauses, labelled, listed, say
from dbdyno.report.vega_lite import (
    COLOUR,
    ONCE,
    SHAPE,
    TITLE,
    Part,
    category,
    frame,
    layers,
    marks,
    quantity,
)
from dbdyno.report.verdicts import (
    compared_in_words,
    depends_on_others,
    factors_compared,
    means,
    over_load,
)
from dbdyno.report.words.comparisons import all_of, is_beyond_telling
from dbdyno.report.words.metrics import metric_name
from dbdyno.report.words.places import named_factors, place

WIDTH = 360
MOST_BEYOND = 2.0
"""An interval is drawn to this factor beyond the farthest effect."""
_TICKS_PERCENT = (
    -99, -98, -95, -90, -80, -75, -67, -50, -40, -30, -20, -15, -10, -5, -2, -1, 0, 1, 2, 5, 10,
    15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 700, 900, 1900, 4900, 9900,
)  # fmt: skip
MOST_ON_FIRST_SCREEN = 8
MOST_TOGETHER = 24
"""So many effects of several factors stand in one drawing."""
ROOM_OF_LABEL = 44
"""What a tick's label takes, in pixels."""


def effects(findings: Findings) -> list[Drawing]:
    """Draw each factor's effects by the primary metric: as a whole first, then cell by cell.

    All settings have one axis, and few effects stand in one drawing. Load and transactions have
    axes of their own: what they bring is often many times what a setting does.
    """
    grammar = choose(findings.factors)
    work = {each.name for each in findings.factors if each.is_load or each.sets_transactions}
    plots = {
        factor: rows
        for factor, comparisons in factors_compared(findings)
        if (rows := _rows(grammar, findings, factor, comparisons))
    }
    settings = _together({name: rows for name, rows in plots.items() if name not in work})
    groups = [settings, *({name: rows} for name, rows in plots.items() if name in work)]
    room = _room(itertools.chain(*(group.values() for group in groups)))
    metric = metric_name(findings.metric, findings.measure)
    return [
        Drawing(
            factor, _forest(factor, rows, room, metric, _domain(itertools.chain(*group.values())))
        )
        for group in groups
        for factor, rows in group.items()
    ]


def _together(plots: dict[str, Rows]) -> dict[str, Rows]:
    """Return the rows of all factors as one plot where they are few, each row with its factor."""
    if len(plots) < 2 or sum(map(len, plots.values())) > MOST_TOGETHER:
        return plots
    rows = [row | {"row": f"{factor}={row['row']}"} for factor, of in plots.items() for row in of]
    return {"": rows}


def _room(plots: Iterable[Rows]) -> list[int]:
    """Return what the names and the words of all plots take, in pixels."""
    rows = list(itertools.chain(*plots))
    return [width_of(row[field] for row in rows) for field in ("row", "words")]


def main_effects(findings: Findings) -> tuple[list[Drawing], bool]:
    """Draw the effects of the factor in question, small enough for the first screen.

    The second is whether the means that are compared stand beside any.

    Of many cells only those of all combinations together are drawn.
    """
    grammar = choose(findings.factors)
    compared = factors_compared(findings)
    if not compared:
        return [], False
    factor, comparisons = compared[0]
    rows = _rows(grammar, findings, factor, comparisons)
    if len(rows) > MOST_ON_FIRST_SCREEN:
        rows = [row for row in rows if row["shape"] == "diamond"][:MOST_ON_FIRST_SCREEN]
    if not rows:
        return [], False
    named = named_factors(comparisons)
    by_name = {_cell_name(each, named): means(each, findings) for each in comparisons}
    for row in rows:
        row["words"] = "   ".join(filter(None, [row["words"], by_name.get(row["row"], "")]))
    metric = metric_name(findings.metric, findings.measure)
    has_means = any(by_name.get(row["row"]) for row in rows)
    return [Drawing("", _forest(factor, rows, _room([rows]), metric, _domain(rows)))], has_means


def drawn_effects(comparisons: Sequence[Comparison]) -> Sequence[Comparison]:
    """Return the comparisons that are drawn, of very many some from the lowest effect on."""
    known = [each for each in comparisons if each.effect is not None]
    return spread(known, lambda each: each.effect.percent if each.effect else 0.0)


def means_drawn(
    factor: str, comparisons: Sequence[Comparison], findings: Findings
) -> list[tuple[str, PartialMean]]:
    """Return the means over loads that are drawn, none of them tested, each with its place.

    They are where the effect depends on the other factors: a mean of all would hide that.
    """
    return over_load(factor, findings) if depends_on_others(comparisons, findings) else []


def note_on_means(findings: Findings, compared: Iterable[tuple[str, list[Comparison]]]) -> str:
    """Return what a grey point is; "" where there is none."""
    if not any(means_drawn(factor, members, findings) for factor, members in compared):
        return ""
    return say("Grey: a mean, which is not tested.")


def _rows(
    grammar: Grammar, findings: Findings, factor: str, comparisons: Sequence[Comparison]
) -> Rows:
    named = named_factors(comparisons)
    rows = [_cell_row(grammar, each, named) for each in drawn_effects(comparisons)]
    if len(rows) < 2:
        return rows
    if partial := means_drawn(factor, comparisons, findings):
        return [_mean_row(where, each) for where, each in partial] + rows
    wholes = [each for each in findings.compared[0].effects if each.factor == factor]
    return [_whole_row(each) for each in wholes if each.effect and each.combinations > 1] + rows


def _mean_row(where: str, mean: PartialMean) -> Part:
    name = say(
        "{compared} ({place}, mean over {factors})",
        compared=compared_in_words(mean),
        place=where,
        factors=listed(mean.over),
    )
    return _row(name, None, mean.effect, colour=INK, shape="diamond")


def _whole_row(effect: FactorEffect) -> Part:
    assert effect.effect is not None, "only those are drawn"
    name = say(
        "{level} against {baseline} ({combinations})",
        level=effect.level,
        baseline=effect.baseline,
        combinations=all_of(effect),
    )
    return _row(name, effect.kind, effect.effect, colour=INK, shape="diamond")


def _cell_row(grammar: Grammar, comparison: Comparison, named: Collection[str]) -> Part:
    assert comparison.effect is not None, "only those are drawn"
    mark = grammar.mark(comparison.cell)
    name = _cell_name(comparison, named)
    return _row(name, comparison.kind, comparison.effect, colour=mark.colour, shape=mark.shape)


def _cell_name(comparison: Comparison, named: Collection[str]) -> str:
    held, compared = place(comparison, named), compared_in_words(comparison)
    return say("{compared} ({held})", compared=compared, held=held) if held else compared


def _row(name: str, kind: VerdictKind | None, effect: Effect, *, colour: str, shape: str) -> Part:
    words = figures.effect_of(effect)
    return {
        "row": name,
        "effect": _ratio(effect.percent),
        "low": _ratio(effect.low_percent),
        "high": _ratio(effect.high_percent),
        "colour": colour,
        "shape": shape,
        "fill": _fill(kind, colour),
        "words": say("too noisy to tell") if is_beyond_telling(effect) else " ".join(words),
    }


def _fill(kind: VerdictKind | None, colour: str) -> str:
    """Return the colour of a point: none where a difference is not shown, grey where not tested."""
    if kind is None:
        return FAINT
    return colour if kind in SHOWN else "var(--paper)"


def _ratio(percent: float) -> float:
    return max(1 + percent / 100, 1e-12)


def _forest(
    factor: str, rows: Rows, room: Sequence[int], metric: str, domain: tuple[float, float]
) -> str:
    """Draw one row a comparison; ``room`` is for the names and the words, in pixels."""
    low, high = domain
    ticks = _ticks(low, high)
    labels = [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks]
    places = [1 + tick / 100 for tick in ticks]
    x: Part = {
        "title": say("difference of {metric} from the baseline, %", metric=metric),
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": places, "labelExpr": label_expression(places, labels)},
    }
    drawn = [
        row
        | {
            "low": max(row["low"], low),
            "high": min(row["high"], high),
            "goes_below": row["low"] < low,
            "goes_above": row["high"] > high,
            "title": labelled(row["row"], row["words"]),
        }
        for row in rows
    ]
    y = category("row", title=None, sort=None, axis={"labelFontSize": 12})
    begin, end = ({"x": quantity(field, **x), "y": y} | COLOUR for field in ("low", "high"))
    point = {"x": quantity("effect", **x), "y": y} | SHAPE | TITLE
    point |= {"stroke": category("colour", scale=None), "fill": category("fill", scale=None)}
    beside = {"x": {"value": WIDTH + 14}, "y": y, "text": category("words")}
    left, right = room
    arrow: Part = {"size": 40, "opacity": 1, "filled": True}
    chart = layers(
        *frame(left + 10, WIDTH + 14 + right),
        marks("rule", ONCE, {"x": {"datum": 1, **x}}, color=FAINT),
        marks("rule", "rows", begin | {"x2": {"field": "high"}}, strokeWidth=1.5),
        marks("point", "rows", begin, only="datum.goes_below", shape="triangle-left", **arrow),
        marks("point", "rows", end, only="datum.goes_above", shape="triangle-right", **arrow),
        marks("point", "rows", point, size=70, opacity=1, strokeWidth=1.5, aria=True),
        marks("text", "rows", beside, align="left"),
        width=WIDTH,
        height={"step": 26},
    )
    words = clauses(row["title"] for row in drawn)
    title = (
        say("Effect of {factor} on {metric}", factor=factor, metric=metric)
        if factor
        else say("Effects on {metric}", metric=metric)
    )
    return draw(specify(chart), {"rows": drawn}, title, words)


def _domain(drawn: Iterable[Part]) -> tuple[float, float]:
    """Return the ends of the axis: all effects are in it, and of intervals what says anything."""
    rows = list(drawn)
    points = [math.log(row["effect"]) for row in rows] + [0.0]
    most = math.log(MOST_BEYOND)
    low = max(min(points) - most, min([*points, *(math.log(row["low"]) for row in rows)]))
    high = min(max(points) + most, max([*points, *(math.log(row["high"]) for row in rows)]))
    margin = 0.04 * (high - low) or 0.01
    return math.exp(low - margin), math.exp(high + margin)


def _ticks(low: float, high: float) -> list[float]:
    """Return percentages as ticks: zero, and to both sides of it those whose labels have room."""
    inside: list[float] = [tick for tick in _TICKS_PERCENT if low <= 1 + tick / 100 <= high]
    if len(inside) < 3:
        reach = 100 * min(1 - low, high - 1) / 2
        step = float(f"{reach:.1g}") if reach > 0 else 0.0
        inside = [-step, 0.0, step] if step else [0.0]
    width = math.log(high / low)
    kept = [0.0]
    for tick in sorted(inside, key=abs):
        places = [math.log1p(each / 100) for each in kept]
        distance = min(abs(math.log1p(tick / 100) - place) for place in places)
        if distance * WIDTH / width >= ROOM_OF_LABEL:
            kept.append(tick)
    return sorted(kept)
