"""How exact a comparison is so far, which must not tell what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.experiment.plan import Cell, FactorLevels, Plan, PlannedTrial
from dbdyno.serve.precision import precisions
from tests.unit.store.result_builder import TRIAL_PLAN

ROUNDS = 6


def plan() -> Plan:
    cells = [Cell((("mode", level),)) for level in ("delete", "wal")]
    trials = tuple(
        PlannedTrial(
            number=2 * turn + place + 1,
            round=turn + 1,
            cell=cell,
            target="db",
            generator_plan=TRIAL_PLAN,
        )
        for turn in range(ROUNDS)
        for place, cell in enumerate(cells)
    )
    factor = FactorLevels("mode", ("delete", "wal"), "server.journal_mode")
    return Plan("tiny", "Which?", (factor,), ROUNDS, "interleaved", trials, 60.0)


def measured(ratio: float, rounds: int = 3) -> dict[int, float]:
    noise = (1.0, 1.05, 0.97, 1.02, 1.0, 0.99)[:rounds]
    baseline = {2 * turn + 1: 100.0 for turn in range(rounds)}
    return baseline | {2 * turn + 2: 100.0 * ratio * each for turn, each in enumerate(noise)}


def test_the_width_is_the_same_whoever_is_ahead() -> None:
    (ahead,), (behind,) = precisions(plan(), measured(2.0)), precisions(plan(), measured(0.5))
    assert ahead.width_percent is not None
    assert ahead.width_percent == pytest.approx(behind.width_percent)
    assert replace(ahead, width_percent=0.0) == replace(behind, width_percent=0.0)
    assert (ahead.rounds, ahead.rounds_left) == (3, 3)


def test_more_rounds_are_more_exact() -> None:
    (few,), (many,) = precisions(plan(), measured(1.1)), precisions(plan(), measured(1.1, 6))
    assert few.width_percent is not None
    assert many.width_percent is not None
    assert many.width_percent < few.width_percent
    assert many.rounds_left == 0


@pytest.mark.parametrize("rounds", [0, 1])
def test_one_round_has_no_width(rounds: int) -> None:
    (each,) = precisions(plan(), measured(1.1, rounds))
    assert each.width_percent is None
    assert each.rounds_left == ROUNDS - rounds


def test_a_trial_that_did_nothing_is_left_out() -> None:
    (each,) = precisions(plan(), measured(1.1) | {1: 0.0})
    assert each.rounds == 2
