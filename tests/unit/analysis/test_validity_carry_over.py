"""What a trial leaves to the next one: told where it shifts an effect, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.carry_over import P_VALUE_MAX, Placed, shifts
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.design.order import interleaved_order, nest
from dbdyno.experiment.plan import Cell, FactorLevels
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import spoken
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

TARGET = FactorLevels("target", ("a", "b"), "target")
LOAD = FactorLevels("load", ("1", "2", "3"), "load.clients")
CELLS = [Cell((("target", t), ("load", n))) for t in TARGET.levels for n in LOAD.levels]


def placed(
    random: np.random.Generator, seed: int, left: float, *, correlation: float = 0.0
) -> list[Placed]:
    """Return six rounds; each trial after the load 3 is slower by a share."""
    nested = nest(CELLS, [[cell.level(name) for cell in CELLS] for name in ("load", "target")])
    order = interleaved_order(nested, 6, seed)
    noise = random.normal(0, 0.02, len(order))
    for at in range(1, len(order)):
        noise[at] += correlation * noise[at - 1]
    return [
        Placed(cell, number, before, float(noise[at] - left * (before.level("load") == "3")))
        for at, ((_, before), (number, cell)) in enumerate(pairwise(order))
    ]


def test_the_shift_of_a_load_is_estimated() -> None:
    """Half of the trials at a load follow the same load."""
    random = np.random.default_rng(61)
    found = [
        {each.level: each for each in shifts(LOAD, placed(random, seed, 0.10))}
        for seed in range(100)
    ]
    assert np.mean([each["3"].logarithm for each in found]) == pytest.approx(-0.05, abs=0.02)
    assert np.mean([each["3"].p_value < P_VALUE_MAX for each in found]) > 0.8


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_noise_is_seldom_taken_for_it(correlation: float) -> None:
    random = np.random.default_rng(62)
    false = 0
    for seed in range(300):
        trials = placed(random, seed, 0.0, correlation=correlation)
        found = [*shifts(TARGET, trials), *shifts(LOAD, trials)]
        false += any(
            each.p_value < P_VALUE_MAX / len(found) and abs(each.logarithm) >= 0.01
            for each in found
        )
    assert false <= 8


def test_of_levels_that_always_follow_the_same_one_nothing_is_told() -> None:
    one, other = CELLS[0], CELLS[3]
    always = [
        Placed(cell, number, before, 0.01 * number)
        for number in range(1, 9)
        for cell, before in ((one, other), (other, one))
    ]
    assert list(shifts(TARGET, always)) == []


def test_a_report_says_by_how_much_an_effect_is_shifted(tmp_path: Path) -> None:
    """Where a level follows itself, it does 500/s; after the other one, a tenth less."""
    pool = FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size")
    plan = make_plan([pool], rounds=8)
    both = [trial.cell for trial in plan.trials[:2]]
    levels = [cell for at in range(8) for cell in (both[at % 3 == 0], both[at % 3 != 0])]
    trials = tuple(
        replace(trial, cell=cell) for trial, cell in zip(plan.trials, levels, strict=True)
    )
    before = dict(zip((trial.number for trial in trials[1:]), levels, strict=False))

    def change(script: TrialScript) -> None:
        number = script.planned.number
        is_after_other = before.get(number) == both[1]
        script.events = trial_events([(450 if is_after_other else 500) + number % 3] * 12)

    result = build_result(tmp_path / "r", replace(plan, trials=trials), change)
    found = spoken(analyse(result))
    assert Code.CARRY_OVER in found
    assert evidence_of(found[Code.CARRY_OVER]).startswith("pool=64M against 16M: the effect is ")
