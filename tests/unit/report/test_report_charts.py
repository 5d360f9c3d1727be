"""What is drawn is what was found: positions, scales, colours and words of the charts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from dbdyno.analysis.compare.model import Comparison, FactorEffect
from dbdyno.analysis.findings import Findings
from dbdyno.report import charts, forest, panels
from dbdyno.report.drawing import Drawing, label_expression, logarithmic_steps
from dbdyno.report.percentile_curves import percentile_curves

from .report_examples import (
    EXAMPLES,
    large,
    names_only,
    nothing_valid,
    one_at_a_time,
    one_cell,
    three_factors,
    two_factors,
    two_scripts,
)
from .report_page import axis_labels, axis_titles, bars, line_points, paints, positions

ROUNDED_TO_PX = 0.1

CHARTS = (charts.throughput, forest.effects, panels.over_time, percentile_curves)


def is_affine(values: Sequence[float], places: Sequence[float]) -> bool:
    """Tell whether places are values on a linear scale, within what a drawing is rounded to."""
    low, high = values.index(min(values)), values.index(max(values))
    scale = (places[high] - places[low]) / (values[high] - values[low])
    return all(
        abs(places[low] + scale * (value - values[low]) - place) < 2 * ROUNDED_TO_PX
        for value, place in zip(values, places, strict=True)
    )


@pytest.mark.parametrize("make", EXAMPLES.values(), ids=EXAMPLES.keys())
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_colours_follow_the_page_and_axes_name_their_units(
    chart: Callable[[Findings], list[Drawing]], make: Callable[[], Findings]
) -> None:
    findings = make()
    units = (
        "second",
        "per minute",
        "ms",
        "%",
        "percentile",
        *(factor.name for factor in findings.factors),
    )
    for drawing in chart(findings):
        allowed = re.compile(r"none|transparent|currentColor|var\(--[a-z0-9-]+\)")
        assert all(allowed.fullmatch(paint) for paint in paints(drawing.svg))
        titles = axis_titles(drawing.svg)
        assert len(titles) >= 1
        assert all(any(unit in title for unit in units) for title in titles), titles
        assert " id=" not in drawing.svg


def test_throughput_is_drawn_to_scale_from_zero() -> None:
    findings = two_factors()
    (drawing,) = charts.throughput(findings)
    symbols = [layer for layer in positions(drawing.svg, "symbol") if len(layer) > 1]
    trials, means = symbols[0], symbols[-1]
    values = [cell.throughput_per_s.mean for cell in findings.cells]
    assert is_affine([0.0, *values], [280.0, *(y for _, y in means)])
    singles = [value for cell in findings.cells for _, value in cell.throughput_by_round]
    assert is_affine([0.0, *singles], [280.0, *(y for _, y in trials)])
    assert "0" in axis_labels(drawing.svg)


def test_two_loads_have_bars_from_zero_in_the_order_of_the_levels() -> None:
    whole = two_factors()
    mode, clients = whole.factors
    few = replace(clients, levels=clients.levels[:2])
    cells = tuple(cell for cell in whole.cells if cell.cell.level("clients") in few.levels)
    findings = replace(whole, factors=(mode, few), cells=cells)
    (drawing,) = charts.throughput(findings)
    drawn = sorted(bars(drawing.svg))
    ordered = sorted(
        cells, key=lambda each: [f.levels.index(each.cell.level(f.name)) for f in (few, mode)]
    )
    values = [cell.throughput_per_s.mean for cell in ordered]
    assert is_affine([0.0, *values], [0.0, *(height for _, height, _ in drawn)])
    assert [colour for *_, colour in drawn] == ["var(--series-1)", "var(--series-2)"] * 2
    trials = [value for cell in cells for _, value in cell.throughput_by_round]
    assert len(positions(drawing.svg, "symbol")[-1]) == len(trials)


def test_bars_stand_by_the_number_and_not_by_the_order_of_the_file() -> None:
    whole = two_factors()
    mode, clients = whole.factors
    few = replace(clients, levels=("8", "2"))
    cells = tuple(cell for cell in whole.cells if cell.cell.level("clients") in few.levels)
    (drawing,) = charts.throughput(replace(whole, factors=(mode, few), cells=cells))
    assert [label for label in axis_labels(drawing.svg) if label in few.levels] == ["2", "8"]


def test_panels_share_their_throughput_axis_unless_they_carry_out_other_scripts() -> None:
    one, other = (axis_labels(each.svg) for each in charts.throughput(three_factors()))
    assert one == other
    slow, fast = (axis_labels(each.svg) for each in charts.throughput(two_scripts()))
    assert fast == other
    assert slow != fast


def test_rows_of_other_scripts_stand_in_a_drawing_of_their_own() -> None:
    findings = names_only()
    assert [each.heading for each in charts.throughput(findings)] == [""]
    (factor, *others) = findings.factors
    scripts = replace(findings, factors=(replace(factor, sets="workload.script"), *others))
    headings = [each.heading for each in charts.throughput(scripts)]
    assert headings == [f"{factor.name}={level}" for level in factor.levels]


def test_numeric_levels_stand_where_their_values_are() -> None:
    (doublings,) = charts.throughput(large())
    columns = sorted({round(x, 3) for x, _ in positions(doublings.svg, "symbol")[-1]})
    gaps = [right - left for left, right in pairwise(columns)]
    assert len(columns) == 10
    assert max(gaps) - min(gaps) < 2 * ROUNDED_TO_PX
    for plain in charts.throughput(three_factors()):
        four, sixteen, twenty = sorted({round(x, 3) for x, _ in positions(plain.svg, "symbol")[-1]})
        assert (twenty - sixteen) / (sixteen - four) == pytest.approx(4 / 12, rel=1e-3)


def test_effects_and_intervals_are_drawn_to_scale_on_an_axis_of_ratios() -> None:
    findings = two_factors()
    first = findings.compared[0]
    for drawing in forest.effects(findings):
        wholes = [each.effect for each in first.effects if each.factor == drawing.heading]
        cells = [each.effect for each in first.comparisons if each.factor == drawing.heading]
        compared = [each for each in (*wholes, *cells) if each is not None]
        points = positions(drawing.svg, "symbol")[-1]
        (zero,) = {x for x, _ in positions(drawing.svg, "rule")[0]}
        lows = [x for x, _ in positions(drawing.svg, "rule")[-1]]
        assert len(points) == len(lows) == len(compared)
        ratios = [math.log1p(each.percent / 100) for each in compared]
        ends = [math.log1p(each.low_percent / 100) for each in compared]
        assert is_affine([0.0, *ratios, *ends], [zero, *(x for x, _ in points), *lows])


def test_one_noisy_cell_does_not_squeeze_the_others() -> None:
    """Its interval goes on beyond the axis with an arrow, and it is called too noisy to tell."""
    findings = names_only()
    first = findings.compared[0]
    noisy, other = first.comparisons
    assert noisy.effect is not None
    wide = replace(noisy.effect, low_percent=-99.9, high_percent=2.66e16)
    changed = replace(
        findings,
        compared=(replace(first, comparisons=(replace(noisy, effect=wide), other)),),
    )
    (drawing,) = forest.effects(changed)
    assert "too noisy to tell" in drawing.svg
    assert "e+" not in drawing.svg.replace("e+0", "")
    (calm,) = forest.effects(findings)
    drawn, usual = (
        sum(len(layer) for layer in positions(each.svg, "symbol")) for each in (drawing, calm)
    )
    assert drawn - usual == 2


def test_the_axis_has_few_ticks_and_zero_among_them() -> None:
    for findings in (two_factors(), names_only(), large(), three_factors()):
        for drawing in forest.effects(findings):
            labels = [
                label for label in axis_labels(drawing.svg) if re.fullmatch(r"[+−]?[\d.]+", label)
            ]
            assert "0" in labels
            assert 2 <= len(labels) <= 1 + forest.WIDTH / forest.ROOM_OF_LABEL


def test_few_effects_of_several_settings_stand_on_one_axis() -> None:
    findings = one_at_a_time()
    settings = [each for each in findings.factors if not each.is_load]
    first = findings.compared[0]
    every: list[Comparison | FactorEffect] = [*first.effects, *first.comparisons]
    compared = [
        each.effect
        for factor in settings
        for each in every
        if each.factor == factor.name and each.effect is not None
    ]
    assert len(settings) == 3
    drawing = forest.effects(findings)[0]
    points = positions(drawing.svg, "symbol")[-1]
    (zero,) = {x for x, _ in positions(drawing.svg, "rule")[0]}
    assert is_affine(
        [0.0, *(math.log1p(each.percent / 100) for each in compared)],
        [zero, *(x for x, _ in points)],
    )
    assert all(f"{factor.name}=" in drawing.svg for factor in settings)


def test_transactions_have_an_axis_of_their_own() -> None:
    """A script that does fifty times the work of another leaves no room for a setting's effect."""
    findings = two_scripts()
    headings = [each.heading for each in forest.effects(findings)]
    (script,) = (each.name for each in findings.factors if each.sets_transactions)
    assert script in headings
    assert len(headings) == 3


def test_a_difference_that_is_not_shown_is_a_hollow_point() -> None:
    (drawing,) = forest.effects(names_only())
    points = re.findall(r'fill="([^"]+)" stroke="var\(--series-\d\)"', drawing.svg)
    assert points == ["var(--paper)", "var(--series-3)"]


def test_every_interval_of_every_trial_is_drawn() -> None:
    findings = large()
    drawings = panels.over_time(findings)
    assert [d.heading for d in drawings[:2]] == [
        "target=mysql, terminals=1",
        "target=greatsql, terminals=1",
    ]
    assert len(drawings) == len(findings.cells)
    for drawing in drawings:
        assert [list(map(len, line)) for line in line_points(drawing.svg)] == [[60]] * 5 * 2


def test_panels_with_the_same_load_share_their_throughput_axis() -> None:
    first, second = panels.over_time(two_factors())[:2]
    assert axis_labels(first.svg) == axis_labels(second.svg)


def test_panels_side_by_side_are_equally_wide() -> None:
    for chart in (panels.over_time, percentile_curves):
        widths = {re.search(r'width="(\d+)"', d.svg)[1] for d in chart(large())}  # type: ignore[index]
        assert len(widths) == 1


def test_an_interval_without_a_response_is_a_gap_and_not_a_zero() -> None:
    findings = one_cell()
    (cell,) = findings.cells
    (series,) = cell.series
    times = (*series.response_p95_ms[:10], None, *series.response_p95_ms[11:])
    gap = replace(cell, series=(replace(series, response_p95_ms=times),))
    (drawing,) = panels.over_time(replace(findings, cells=(gap,)))
    _, response = line_points(drawing.svg)
    assert [len(part) for part in response] == [10, 19]


def test_a_level_has_one_colour_and_one_shape_in_all_charts() -> None:
    findings = names_only()
    marks = [
        set(re.findall(r'd="(M[^"]{9})[^"]*" (?:fill|stroke)="var\((--series-\d)\)"', drawing.svg))
        for chart in (charts.throughput, percentile_curves)
        for drawing in chart(findings)
    ]
    for found in marks:
        assert {colour for _, colour in found} == {"--series-1", "--series-2", "--series-3"}
    lines = [paints(drawing.svg) for drawing in panels.over_time(findings)]
    for number, colours in enumerate(lines, start=1):
        assert {c for c in colours if "series" in c} == {f"var(--series-{number})"}


def test_percentiles_stand_on_a_common_logarithmic_axis() -> None:
    drawings = percentile_curves(two_factors())
    assert [d.heading for d in drawings] == [f"oltp_read_write, clients={n}" for n in (1, 2, 4, 8)]
    assert len({tuple(axis_labels(d.svg)) for d in drawings}) == 1
    assert axis_labels(drawings[0].svg)[:6] == ["50", "90", "95", "99", "99.9", "max"]


def test_several_kinds_of_transactions_have_panels_of_their_own() -> None:
    headings = [drawing.heading for drawing in percentile_curves(three_factors())]
    assert len(headings) == 3 * 3 * 2
    assert headings[0] == "oltp_read_write, buffer_pool=128M, clients=4"
    assert headings[-1] == "all transactions, buffer_pool=1G, clients=20"


def test_a_cell_without_valid_trials_is_not_drawn() -> None:
    findings = nothing_valid()
    (drawing,) = charts.throughput(findings)
    assert len(positions(drawing.svg, "symbol")[-1]) == 1
    assert forest.effects(findings) == []
    assert len(panels.over_time(findings)) == len(percentile_curves(findings)) == 1


def test_a_label_is_a_string_for_vega_whatever_is_in_it() -> None:
    expression = label_expression([1, 2], ['"]+datum', "é😀"])
    assert re.fullmatch(r'\["(\\u[0-9a-f]{4})+","(\\u[0-9a-f]{4})+"\]\[indexof.*', expression)


@pytest.mark.parametrize(
    ("values", "most", "domain", "ticks"),
    [
        ([3.0, 40.0], 6, [2, 50], [2, 5, 10, 20, 50]),
        ([3.0, 40.0], 4, [2, 50], [10]),
        ([7.0], 6, [5, 10], [5, 10]),
        ([5.0], 6, [5, 10], [5, 10]),
        ([0.001, 1000.0], 7, [0.001, 1000], [0.001, 0.01, 0.1, 1, 10, 100, 1000]),
    ],
)
def test_a_logarithmic_axis_ends_at_whole_steps(
    values: list[float], most: int, domain: list[float], ticks: list[float]
) -> None:
    assert logarithmic_steps(values, most) == (domain, ticks)
