"""What was asked of the trials, as the stored plan and the trials have it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.setup import Reference, setup_of
from dbdyno.experiment.plan import FactorLevels
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

CLIENTS = FactorLevels("clients", ("8", "9"), "load.clients")


def as_a_run_leaves_it(script: TrialScript) -> None:
    script.dataset |= {
        "start": "snapshot",
        "caches": {"condition": "cold"},
        "check": {"done": script.planned.round > 1, "conditions": {"3.3.2.1": 0}},
    }


def test_what_was_asked_is_read_from_plan_and_trials(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan([CLIENTS], rounds=2), as_a_run_leaves_it)
    setup = setup_of(result)
    asked = result.plan.trials[0].generator_plan
    (workload,) = setup.workloads
    assert {workload.kind} == set(asked.workload)
    assert setup.durations_s == (asked.duration_s,)
    assert setup.warmups_s == ((None, asked.warmup_s),)
    assert setup.seed == min(trial.generator_plan.seed for trial in result.plan.trials)
    assert (setup.starts, setup.caches) == (("snapshot",), ("cold",))
    assert (setup.checks.checked, setup.checks.trials, setup.checks.conditions) == (2, 4, 1)
    text = (tmp_path / "r" / "experiment.yaml").read_bytes()
    assert setup.experiment_sha256 == hashlib.sha256(text).hexdigest()
    assert setup.experiment_text.encode() == text


@pytest.mark.parametrize(
    ("kinds", "trials", "every"),
    [("rccr", 2, None), ("rcrccr", 3, None), ("rccrcr", 3, 2), ("rccrccrcr", 4, 2)],
)
def test_the_reference_is_told_by_where_its_trials_stand(
    kinds: str, trials: int, every: int | None, tmp_path: Path
) -> None:
    result = build_result(tmp_path / "r", make_plan([CLIENTS], rounds=1))
    assert setup_of(result).reference is None
    first = result.plan.trials[0]
    planned = tuple(
        replace(first, kind="reference" if kind == "r" else "compared") for kind in kinds
    )
    setup = setup_of(replace(result, plan=replace(result.plan, trials=planned)))
    assert setup.reference == Reference(first.cell, trials, every)


def test_a_result_without_facts_of_the_dataset_says_less(tmp_path: Path) -> None:
    def nothing_told(script: TrialScript) -> None:
        script.dataset.clear()

    setup = setup_of(build_result(tmp_path / "r", make_plan([CLIENTS], rounds=2), nothing_told))
    assert (setup.starts, setup.caches, setup.checks.checked) == ((), (), 0)
