"""A difference that is shown, of two cells whose throughput did not change alike in the window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.analysis.compare.model import Comparison, VerdictKind
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.steadiness.model import CellSteadiness
from dbdyno.report.verdicts import said
from dbdyno.report.words.steadiness import unlike_trends
from tests.plain import plain
from tests.unit.report.report_examples import watched

Trend = tuple[float, float | None, float | None]
RISING: Trend = (0.47, 0.27, 0.67)


def example(own: Trend, base: Trend) -> tuple[Comparison, Findings]:
    """Return a comparison of wal with delete whose cells have these trends."""
    findings = watched()
    comparison = next(each for each in findings.comparisons if each.factor == "journal_mode")
    trends = {comparison.cell: own, comparison.baseline: base}

    def with_trend(cell: CellSteadiness) -> CellSteadiness:
        change, low, high = trends.get(cell.cell, (0.0, 0.0, 0.0))
        return replace(cell, change_share=change, change_low=low, change_high=high)

    cells = tuple(map(with_trend, findings.steadiness.cells))
    shown = replace(comparison, kind=VerdictKind.BETTER)
    return shown, replace(findings, steadiness=replace(findings.steadiness, cells=cells))


def test_unlike_trends_stand_behind_the_verdict() -> None:
    comparison, findings = example((-0.07, -0.13, -0.01), RISING)
    told = plain(unlike_trends(comparison, findings))
    assert told == (
        "delete changed by +47 % over the window, wal by −7 %: how large the difference is depends "
        "on the window"
    )
    assert plain(said(comparison, findings)).endswith(f"; {told}")


@pytest.mark.parametrize(
    ("own", "base"),
    [
        ((0.20, 0.10, 0.30), RISING),
        ((0.01, 0.0, 0.02), (0.05, 0.04, 0.06)),
        ((-0.07, None, None), RISING),
    ],
)
def test_trends_that_may_be_alike_are_not_spoken_of(own: Trend, base: Trend) -> None:
    assert unlike_trends(*example(own, base)) == ""


def test_neither_are_those_of_a_difference_that_is_not_shown() -> None:
    comparison, findings = example((-0.07, -0.13, -0.01), RISING)
    undecided = replace(comparison, kind=VerdictKind.UNDECIDED)
    assert unlike_trends(undecided, findings) == ""
