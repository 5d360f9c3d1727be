"""Rules held against comparisons: they fire where they must, and seldom where nothing changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT, Metric, MetricName
from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.regression.hold import Held, Outcome, hold
from dbdyno.analysis.regression.rule import FailRule
from dbdyno.experiment.plan import Cell, FactorLevels
from tests.unit.analysis.compare.summaries import findings_of, summary

RESULTS = FactorLevels("result", ("old", "new"), "result")
Noise = np.ndarray


def rule(metric: Metric, percent: float) -> FailRule:
    return FailRule("a rule", metric, percent)


P95 = rule(RESPONSE_P95, 5.0)
SLOWER = rule(THROUGHPUT, 3.0)


def cells(name: str, rates: Noise, times_ms: Noise) -> list[CellSummary]:
    """Return the cells of a result; both arrays have the shape (rounds, cells)."""
    return [
        summary(
            Cell((("result", name), ("clients", str(n)))),
            by_round(rates[:, n]),
            values={MetricName.RESPONSE_P95: by_round(times_ms[:, n])},
        )
        for n in range(rates.shape[1])
    ]


def by_round(values: Noise) -> Mapping[int, float]:
    return dict(enumerate(values.tolist(), start=1))


def noise(random: np.random.Generator, rounds: int, count: int, deviation: float = 0.02) -> Noise:
    return np.exp(random.normal(0, deviation, (rounds, count)))


def compared(
    random: np.random.Generator, rounds: int = 6, count: int = 1, **changes: float
) -> Findings:
    """Return two results; ``rate`` and ``p95`` are what the new one's are of the old one's."""
    old = cells("old", noise(random, rounds, count), noise(random, rounds, count))
    rates = noise(random, rounds, count) * changes.get("rate", 1.0)
    times_ms = noise(random, rounds, count) * changes.get("p95", 1.0)
    return findings_of(*old, *cells("new", rates, times_ms))


def held(findings: Findings, *rules: FailRule) -> tuple[Held, ...]:
    return hold(rules, findings, RESULTS)


def test_a_longer_p95_is_a_regression() -> None:
    (found,) = held(compared(np.random.default_rng(1), p95=1.2), P95)
    assert found.outcome is Outcome.REGRESSION
    assert found.cell == Cell((("clients", "0"),))
    assert found.worse_percent == pytest.approx(20, abs=4)


def test_a_shorter_p95_is_none() -> None:
    (found,) = held(compared(np.random.default_rng(1), p95=0.8), P95)
    assert found.outcome is Outcome.PASSED
    assert found.worse_percent == pytest.approx(-20, abs=4)
    assert found.not_excluded_percent is not None
    assert found.not_excluded_percent < 0


def test_lower_throughput_is_a_regression() -> None:
    (found,) = held(compared(np.random.default_rng(2), rate=0.9), SLOWER)
    assert found.outcome is Outcome.REGRESSION
    assert found.worse_percent == pytest.approx(10, abs=3)


def test_a_difference_that_is_shown_and_smaller_than_the_rule_is_accepted() -> None:
    (found,) = held(compared(np.random.default_rng(2), rate=0.9), rule(THROUGHPUT, 20.0))
    assert found.outcome is Outcome.PASSED


def test_the_whole_interval_decides_where_a_rule_asks_for_it() -> None:
    """A change just as large as the rule says is estimated to be larger in half of the cases."""
    random = np.random.default_rng(6)
    by_interval = replace(rule(RESPONSE_P95, 10.0), is_by_interval=True)
    found = [
        held(compared(random, p95=1.1), rule(RESPONSE_P95, 10.0))
        + held(compared(random, p95=1.1), by_interval)
        for _ in range(300)
    ]
    by_estimate, whole = (
        np.mean([pair[at].outcome is Outcome.REGRESSION for pair in found]) for at in (0, 1)
    )
    assert 0.4 <= by_estimate <= 0.6
    assert whole <= 0.025 + 0.02
    (large,) = held(compared(random, p95=1.3), by_interval)
    assert large.outcome is Outcome.REGRESSION


def test_much_noise_excludes_nothing() -> None:
    random = np.random.default_rng(3)
    old, new = (
        cells(name, *(noise(random, 6, 1, 0.3) for _ in range(2))) for name in ("old", "new")
    )
    (found,) = held(findings_of(*old, *new), P95)
    assert found.outcome is Outcome.NOT_SHOWN


def test_one_round_is_not_judged() -> None:
    (found,) = held(compared(np.random.default_rng(4), rounds=1), P95)
    assert (found.outcome, found.rounds) == (Outcome.NOT_JUDGED, 1)


def test_a_figure_that_nobody_measured_is_not_judged() -> None:
    rates = {1: 100.0, 2: 101.0, 3: 99.0}
    both = [summary(Cell((("result", name),)), rates) for name in ("old", "new")]
    (found,) = held(findings_of(*both), P95)
    assert found.outcome is Outcome.NOT_JUDGED


@pytest.mark.parametrize("count", [1, 8])
def test_two_rules_seldom_fire_where_nothing_changed(count: int) -> None:
    random = np.random.default_rng(5)
    # So small a rule leaves it all to the test.
    rules = rule(RESPONSE_P95, 0.0), rule(THROUGHPUT, 0.0)
    fired = sum(fires(held(compared(random, count=count), *rules)) for _ in range(400))
    # 2.5 % and the share of the second question are allowed: 3 % of 400 are 12, and 3.4 is the
    # standard error.
    assert fired <= 22


def test_a_regression_of_a_tenth_is_nearly_always_found() -> None:
    random = np.random.default_rng(6)
    fired = sum(fires(held(compared(random, count=4, p95=1.1), P95, SLOWER)) for _ in range(100))
    assert fired >= 98


def fires(found: tuple[Held, ...]) -> bool:
    return any(each.outcome is Outcome.REGRESSION for each in found)
