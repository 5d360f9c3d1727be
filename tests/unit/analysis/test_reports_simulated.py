"""Whole reports against a known truth: all checks together, as a reader meets them.

A check by itself may be right in 99 of 100 trials, and a report of 20 trials still cries wolf each
time. So what is counted here are reports. The seeds are fixed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from tests.unit.analysis.simulated import Truth, Values, result


def codes_of(truth: Truth, reports: int, first_seed: int) -> list[set[str]]:
    """Return which checks spoke up in each of so many simulated reports."""
    return [
        {warning.code for warning in analyse(result(truth, seed)).warnings}
        for seed in range(first_seed, first_seed + reports)
    ]


@pytest.mark.parametrize(
    ("truth", "reports"),
    [
        (Truth(), 50),
        (Truth(second_noise=0.15, correlation=0.8, intervals=30), 20),
        (Truth(rounds=4, rate_per_s=200.0, open_loop=True), 10),
    ],
    ids=["closed loop", "much correlated noise", "open loop"],
)
def test_a_report_with_nothing_wrong_hardly_ever_raises_a_warning(
    truth: Truth, reports: int
) -> None:
    found = codes_of(truth, reports, first_seed=1000)
    assert sum(map(bool, found)) <= 0.05 * reports, Counter(code for each in found for code in each)


def cold_first_quarter(throughput: Values, trial: int) -> Values:
    quarter = len(throughput) // 4
    return np.concatenate([0.7 * throughput[:quarter], throughput[quarter:]])


def cold_in_one_cell(throughput: Values, trial: int) -> Values:
    return cold_first_quarter(throughput, trial) if trial % 4 == 1 else throughput


def slowly_down(throughput: Values, trial: int) -> Values:
    return throughput * np.linspace(1.1, 0.9, len(throughput))


@pytest.mark.parametrize(
    ("shape", "rounds"),
    [(cold_first_quarter, 5), (cold_in_one_cell, 6), (slowly_down, 5)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_had_not_settled_is_found(shape: object, rounds: int) -> None:
    found = codes_of(Truth(rounds=rounds, shape=shape), 10, first_seed=2000)  # type: ignore[arg-type]
    assert sum(Code.NOT_SETTLED in each for each in found) > 0.9 * 10
