"""The reference cell: drift of the machine is told, noise is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.reference import P_VALUE_MAX, p_value_of_movement
from dbdyno.experiment.plan import Plan
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import POOL, spoken
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

ROUNDS = 4


def with_reference(plan: Plan) -> Plan:
    """Return a plan whose first cell is measured again at the start, after each round and in the
    end."""
    cells = len(plan.trials) // plan.rounds
    trials = []
    for place, trial in enumerate(plan.trials):
        if place % cells == 0:
            trials.append(replace(plan.trials[0], round=0, kind="reference"))
        trials.append(trial)
    trials.append(replace(plan.trials[0], round=0, kind="reference"))
    numbered = tuple(replace(trial, number=at) for at, trial in enumerate(trials, start=1))
    return replace(plan, trials=numbered)


def throughputs(reference: list[int], compared: list[int]) -> object:
    """Return what gives the trials of both kinds their throughput, in order."""
    left = {"reference": iter(reference), "compared": iter(compared)}

    def change(script: TrialScript) -> None:
        script.events = trial_events([next(left[script.planned.kind])] * 12)

    return change


QUIET = [500, 1000, 501, 1001, 500, 1000, 501, 1001]
NOISY = [500, 1000, 505, 1010, 495, 995, 500, 1005]


@pytest.mark.parametrize(
    ("reference", "compared", "fires"),
    [
        ([500, 480, 460, 445, 430], NOISY, True),
        ([500, 505, 495, 500, 502], NOISY, False),
        # Far above the noise, and not worth a word.
        ([500, 500, 500, 500, 513], QUIET, False),
        ([500, 500, 500, 500, 516], QUIET, True),
    ],
)
def test_a_reference_that_moves_is_told(
    tmp_path: Path, reference: list[int], compared: list[int], fires: bool
) -> None:
    plan = with_reference(make_plan([POOL], rounds=ROUNDS))
    found = analyse(build_result(tmp_path / "r", plan, throughputs(reference, compared)))  # type: ignore[arg-type]
    warnings = spoken(found)
    assert (Code.REFERENCE_MOVED in warnings) is fires
    if fires and compared is NOISY:
        assert warnings[Code.REFERENCE_MOVED].trials == (1, 4, 7, 10, 13)
        assert evidence_of(warnings[Code.REFERENCE_MOVED]).startswith(
            "throughput of pool=16M ranged over 16.3 % in 5 trials and ended 14.0 % below its "
            "beginning; the noise between rounds is 1.0 % (F test, p"
        )
        assert warnings[Code.REFERENCE_MOVED].comparisons == 0


def test_the_reference_is_in_no_mean_and_no_comparison(tmp_path: Path) -> None:
    plan = with_reference(make_plan([POOL], rounds=ROUNDS))
    slow_reference = throughputs([5] * 5, NOISY)
    found = analyse(build_result(tmp_path / "with", plan, slow_reference))  # type: ignore[arg-type]
    without = throughputs([], NOISY)
    alone = analyse(
        build_result(tmp_path / "alone", make_plan([POOL], rounds=ROUNDS), without)  # type: ignore[arg-type]
    )
    assert found.comparisons == alone.comparisons
    assert [each.throughput_per_s for each in found.cells] == [
        each.throughput_per_s for each in alone.cells
    ]
    assert all(len(each.throughput_by_round) == ROUNDS for each in found.cells)
    assert found.trials_used == found.trials_planned == 13


def experiments(drift: float, count: int, rounds: int = 6) -> list[float]:
    """Return p values of simulated campaigns of four cells, with 2 % of noise in every trial."""
    random = np.random.default_rng(7)
    found = []
    for _ in range(count):
        slope = np.linspace(0, drift, rounds)
        cells = [random.normal(0, 0.02, rounds) + slope for _ in range(4)]
        reference = random.normal(0, 0.02, 5) + np.linspace(0, drift, 5)
        differences = np.concatenate([np.diff(cell) for cell in cells])
        found.append(p_value_of_movement(reference, differences))
    return found


def test_noise_alone_is_hardly_ever_called_movement_and_drift_nearly_always() -> None:
    false = np.mean(np.array(experiments(0.0, 2000)) < P_VALUE_MAX)
    assert false <= 0.015
    found = np.mean(np.array(experiments(-0.15, 2000)) < P_VALUE_MAX)
    assert found >= 0.8


def test_without_rounds_to_tell_the_noise_from_nothing_is_said() -> None:
    assert p_value_of_movement(np.array([0.0, -0.5, -0.9]), np.array([0.01])) == 1.0
