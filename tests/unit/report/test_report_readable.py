"""What a drawing says of its axes is how it is drawn: the page's script reads values back by it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analysis.findings import Findings, IntervalSeries
from dbdyno.report import charts, forest, panels
from dbdyno.report.grammar import cell_label
from dbdyno.report.percentile_curves import percentile_curves
from dbdyno.report.readable import scale, seconds, titled

from .report_examples import EXAMPLES, one_cell, overloaded, scaling_laws, two_factors
from .report_page import line_points
from .test_report_size import experiment

RATE_HEIGHT, TIME_HEIGHT = panels.RATE_HEIGHT, panels.TIME_HEIGHT


def with_series(*trials: IntervalSeries) -> Findings:
    findings = one_cell()
    return replace(findings, cells=(replace(findings.cells[0], series=trials),))


def trial(number: int, rates: list[float], times: list[float | None]) -> IntervalSeries:
    return IntervalSeries(number, tuple(map(float, range(len(rates)))), tuple(rates), tuple(times))


GAPS = with_series(
    trial(1, [1, 2, 3, 4, 5, 6], [None, 3, None, 4, 5, None]),
    trial(3, [1, 2, 3, 4, 5, 6, 7, 8], [None] * 8),
)
ONE_INTERVAL = with_series(trial(1, [5.0], [3.0]))


def attribute(svg: str, name: str) -> str:
    (found,) = re.findall(rf' data-{name}="([^"]*)"', svg)
    return str(found)


@pytest.mark.parametrize(
    "findings",
    [
        *(make() for make in EXAMPLES.values()),
        *(GAPS, ONE_INTERVAL, experiment(1, 2), experiment(1, 20)),
    ],
)
def test_points_read_back_are_what_was_measured(findings: Findings) -> None:
    drawings = panels.over_time(findings)
    cells = {cell_label(cell.cell): cell for cell in findings.cells}
    for drawing in drawings:
        series = cells[drawing.heading].series
        first, last, step, width = map(float, attribute(drawing.svg, "seconds").split())
        rates = attribute(drawing.svg, "plots").split(",")[0]
        rounds = len(attribute(drawing.svg, "rounds").split()) or 3
        known = [
            {round(s, 3): v for s, v in zip(each.start_s, each.throughput_per_s, strict=True)}
            for each in series
        ]
        drawn = line_points(drawing.svg)[:rounds]
        kind, low, high, height = rates.split()
        assert (kind, float(low), float(height)) == ("linear", 0, RATE_HEIGHT)
        for x, y in (point for line in drawn for part in line for point in part):
            share = x / width if last > first else 0
            at = round(first + round((last - first) * share / (step or 1)) * (step or 1), 3)
            value = float(high) * (1 - y / RATE_HEIGHT)
            exact = [findings.measure.of(each[at]) for each in known if at in each]
            tolerance = 0.06 / RATE_HEIGHT * float(high)
            assert min(exact) - tolerance <= value <= max(exact) + tolerance


def test_rounds_are_named_and_many_are_not() -> None:
    (few,) = panels.over_time(GAPS)
    assert attribute(few.svg, "rounds") == "1 3"
    (many,) = panels.over_time(experiment(1, 20, 30))
    assert attribute(many.svg, "rounds") == ""


def test_the_time_between_points_is_told_where_it_is_the_same() -> None:
    assert seconds([np.arange(4.0), np.arange(6.0)], 250) == "0 5 1 250"
    assert seconds([np.array([0.5, 1.0, 1.5])], 250) == "0.5 1.5 0.5 250"
    assert seconds([np.array([0.0, 1.0, 2.7])], 250) == "0 2.7 0 250"
    assert seconds([np.array([0.0])], 250) == "0 0 0 250"
    assert seconds([], 250) == "0 0 0 250"


def test_a_scale_has_its_ends() -> None:
    assert scale("log", (0.5, 200), 68) == "log 0.5 200 68"
    (drawing, *_) = panels.over_time(two_factors())
    assert attribute(drawing.svg, "plots").split(",")[1].split()[0] == "log"


def test_a_label_of_a_mark_becomes_its_title() -> None:
    assert titled('<path aria-label="a &lt;b>" d="M0,0"/>') == (
        '<path d="M0,0"><title>a &lt;b></title></path>'
    )
    assert titled('<path d="M0,0"/>') == '<path d="M0,0"/>'


def titles(svg: str) -> list[str]:
    """Return the titles of all marks."""
    return re.findall(r"<title>([^<]*)</title></(?:path|line)>", svg)


def test_every_mean_and_trial_says_its_value() -> None:
    findings = two_factors()
    (drawing,) = charts.throughput(findings)
    said = titles(drawing.svg)
    assert len(said) == len(findings.cells) * (1 + findings.rounds)
    first = findings.cells[0]
    estimate = first.throughput_per_s
    assert estimate.low is not None
    (mean,) = [each for each in said if each.startswith("journal_mode=delete, clients=1: ")]
    assert mean.endswith(f": {estimate.mean:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]")
    number, value = first.throughput_by_round[0]
    assert f"journal_mode=delete, clients=1, round {number}: {value:.1f}" in said


def test_every_effect_says_its_interval() -> None:
    for drawing in forest.effects(two_factors()):
        said = titles(drawing.svg)
        assert said
        assert all(re.search(r": .*%.* \[.+, .+\]$", each) for each in said)
        for each in said:
            assert each.split(": ", 1)[1] in drawing.svg.split("mark-text role-mark")[1]


def test_every_percentile_says_its_time() -> None:
    (first, *_) = percentile_curves(two_factors())
    said = titles(first.svg)
    p95 = two_factors().cells[0].response["oltp_read_write"].p95_ms
    assert f"delete, p95: {p95:.2f} ms" in said
    assert any(each.startswith("wal, service time, largest: ") for each in said)
    assert all(titles(each.svg) for each in percentile_curves(overloaded()))


def test_the_peak_of_a_law_says_where_it_is() -> None:
    (drawing,) = charts.throughput(scaling_laws())
    (peak,) = [each for each in titles(drawing.svg) if "highest" in each]
    assert re.match(r"innodb, throughput is highest at \d+ clients \[", peak)
