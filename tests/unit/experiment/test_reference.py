"""The reference cell in a plan: where it stands, and how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import Plan

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {}}
target: {sqlite: {}}
factors: {clients: [8, 400, 1600], cache: {sets: server.cache_size, levels: [1, 2]}}
"""


def plan_of(procedure: str, directory: Path, *, smoke: bool = False) -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(f"{HEAD}procedure: {{{procedure}}}\n")
    return make_plan(read_experiment(path), smoke=smoke)


def places(plan: Plan) -> list[int]:
    return [trial.number for trial in plan.trials if trial.kind == "reference"]


def test_it_stands_at_the_start_in_the_middle_and_at_the_end(tmp_path: Path) -> None:
    plan = plan_of("rounds: 2, reference: baseline", tmp_path)
    assert places(plan) == [1, 8, 15]
    assert [trial.number for trial in plan.trials] == list(range(1, 16))
    assert {trial.round for trial in plan.trials if trial.kind == "reference"} == {0}
    assert {trial.generator_plan.seed for trial in plan.trials if trial.kind == "reference"} == {1}
    assert len(plan.compared) == 12
    assert plan.reference_in_words == (
        "clients=8, cache=1, at the start, in the middle and at the end: 3 trials more, which show "
        "drift and are compared with no cell"
    )


def test_it_stands_after_every_so_many_trials(tmp_path: Path) -> None:
    plan = plan_of("rounds: 2, reference: {clients: 400}, reference_every: 5", tmp_path)
    assert places(plan) == [1, 7, 13, 16]
    cells = {trial.cell.label() for trial in plan.trials if trial.kind == "reference"}
    assert cells == {"clients=400, cache=1"}


def test_a_smoke_run_has_it_at_the_same_place_of_the_levels(tmp_path: Path) -> None:
    plan = plan_of("reference: {clients: 1600, cache: 2}", tmp_path, smoke=True)
    cells = {trial.cell.label() for trial in plan.trials if trial.kind == "reference"}
    assert cells == {"clients=4, cache=2"}


def test_rounds_can_be_added_where_the_last_of_a_round_is_followed_by_it(tmp_path: Path) -> None:
    short, long = (
        plan_of(f"rounds: {rounds}, reference: baseline, reference_every: 6", tmp_path)
        for rounds in (2, 4)
    )
    assert long.trials[: len(short.trials)] == short.trials


def test_each_trial_that_continues_has_a_seed_of_its_own(tmp_path: Path) -> None:
    plan = plan_of("rounds: 2, reference: baseline, start: continue", tmp_path)
    seeds = [trial.generator_plan.seed for trial in plan.trials]
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize(
    ("procedure", "expected"),
    [
        (
            "reference: {client: 8}",
            "procedure.reference.client: is no factor; did you mean 'clients'?",
        ),
        (
            "reference: {clients: 9}",
            "procedure.reference.clients: 9 is no level; known: 8, 400, 1600",
        ),
        (
            "reference: first",
            "procedure.reference: must be baseline or a level for some factors, as in "
            "{clients: 8}, not 'first'",
        ),
        (
            "reference: {clients: [8]}",
            "procedure.reference: the level of clients must be text or a number, not a list",
        ),
        (
            "reference_every: 4",
            "procedure.reference_every: has no effect without a reference; add one, as in "
            "reference: baseline",
        ),
        (
            "reference: baseline, reference_every: 0",
            "procedure.reference_every: must be 1 or more, not 0",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(procedure: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        plan_of(procedure, tmp_path)
    assert str(caught.value) == f"{tmp_path / 'experiment.yaml'}:6: {expected}"


def experiment_with(factor: str, directory: Path) -> Plan:
    text = HEAD.replace("clients: [8, 400, 1600]", factor)
    assert text != HEAD
    path = directory / "experiment.yaml"
    path.write_text(f"{text}procedure: {{rounds: 2, reference: baseline}}\n")
    return make_plan(read_experiment(path))


def test_a_factor_may_name_its_baseline(tmp_path: Path) -> None:
    """It is what others are held against, and what the reference is measured at."""
    plan = experiment_with("load: {sets: load.clients, levels: [4, 1, 2], baseline: 1}", tmp_path)
    factor = plan.factors[0]
    assert (factor.levels, factor.baseline_level) == (("4", "1", "2"), "1")
    references = {trial.cell.label() for trial in plan.trials if trial.kind == "reference"}
    assert references == {"load=1, cache=1"}


def test_a_baseline_that_is_no_level_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"factors\.load\.baseline: 3 is no level; known: 4"):
        experiment_with("load: {sets: load.clients, levels: [4, 1], baseline: 3}", tmp_path)
