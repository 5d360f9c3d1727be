"""Settling is judged over trials: what they share counts, what one of them did does not."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.settling import first_quarter, slope
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import POOL, findings, spoken
from tests.unit.store.result_builder import TrialScript, make_plan, trial_events

STEADY = [100, 104, 98, 101, 103, 97, 99, 102, 100, 98, 103, 101]


def test_a_first_quarter_that_all_trials_have_in_common_is_found(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        number = script.planned.number
        script.events = trial_events([80 + number, 82, 79, *STEADY[3:]])

    warning = spoken(findings(tmp_path / "r", change))[Code.NOT_SETTLED]
    assert evidence_of(warning) == (
        "the first quarter of the window was 19.4 % below the rest, on average over 3 trials "
        "(p = 0.0001)"
    )
    assert warning.trials == (1, 2, 3)


def test_a_slope_that_all_trials_have_in_common_is_found(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        seconds = [400 - 5 * second for second in range(12)]
        # This changes the first quarter from trial to trial, and the slope hardly.
        moved = 20 * (script.planned.number - 2)
        seconds[2] += moved
        seconds[3] -= moved
        script.events = trial_events(seconds)

    warning = spoken(findings(tmp_path / "r", change))[Code.NOT_SETTLED]
    # From 400 to 345 by the line, over a median of 372.
    assert evidence_of(warning).startswith("throughput fell by 14.9 % of its median over the")


def test_what_one_cell_does_is_found_and_named(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        cold = script.planned.cell.level("pool") == "64M"
        first = 50 + script.planned.number if cold else 95 + script.planned.number
        script.events = trial_events([first] * 3 + STEADY[3:])

    warning = spoken(findings(tmp_path / "r", change, make_plan([POOL], rounds=4)))[
        Code.NOT_SETTLED
    ]
    assert evidence_of(warning).startswith("pool=64M: throughput rose by 16.6 % of its median")
    assert warning.trials == (2, 4, 6, 8)


@pytest.mark.parametrize(
    "seconds",
    [
        {1: [60, 61, 62], 2: [100, 101, 99], 3: [100, 98, 103]},
        {1: [98, 99, 99], 2: [98, 98, 99], 3: [99, 98, 98]},
    ],
    ids=["one trial alone", "less than is worth a word"],
)
def test_what_is_no_habit_or_small_is_not_found(
    tmp_path: Path, seconds: dict[int, list[int]]
) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events(seconds[script.planned.number] + STEADY[3:])

    assert Code.NOT_SETTLED not in spoken(findings(tmp_path / "r", change))


def test_a_partial_last_interval_is_left_out(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([100] * 10)
        partial = script.window[-1]
        partial |= {"duration_s": 0.2}
        partial["transactions"]["oltp_read_write"] |= {"scheduled": 2, "committed": 2}

    found = spoken(findings(tmp_path / "r", change))
    assert evidence_of(found[Code.SHORT_WINDOW]) == "9 whole intervals in 9.2 s"
    assert Code.DIPS not in found


def test_fewer_than_ten_intervals_are_not_judged(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([50, 51, *STEADY[:7]])

    assert Code.NOT_SETTLED not in spoken(findings(tmp_path / "r", change))


def test_both_figures_are_logarithms_of_ratios() -> None:
    assert first_quarter(np.array([50.0] * 3 + [100.0] * 9)) == pytest.approx(math.log(0.5))
    assert first_quarter(np.array([0.0] * 3 + [100.0] * 9)) == pytest.approx(math.log(0.01))
    assert slope(np.linspace(90.0, 110.0, 12)) == pytest.approx(math.log(110 / 90))
    assert slope(np.full(12, 100.0)) == pytest.approx(0.0)
