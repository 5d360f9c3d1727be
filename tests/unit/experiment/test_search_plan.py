"""The plan of a search: what it begins with, how it grows, and what it refuses."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from dbdyno.experiment.design.search import Point
from dbdyno.experiment.design.search_plan import Points, grow, plan_experiment
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import Cell, Plan, PlannedTrial

HEAD = """\
experiment: e
question: Which?
workload: {sysbench: {}}
target: {sqlite: {}}
"""
CACHES = "factors: {cache: {sets: server.cache_size, levels: [1, 2]}}\n"


def experiment_of(text: str, directory: Path) -> Experiment:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    return read_experiment(path)


def points_of(plan: Plan, slower: float = 1.0) -> Points:
    """Return what a server shows whose throughput is highest at 20 clients, without any noise.

    What is measured again after the search is slower by a factor.
    """
    points: dict[Cell, list[Point]] = {}
    for trial in plan.trials:
        levels = trial.cell.levels
        base = Cell(tuple(level for level in levels if level[0] not in ("clients", "rate")))
        clients = int(trial.cell.level("clients"))
        if dict(levels).get("rate", "closed") == "closed":
            throughput = max(10.0, 1000 - 20.0 * abs(clients - 20))
            throughput *= slower if trial.kind == "measured again" else 1
            points.setdefault(base, []).append(Point(clients, throughput, clients / 1000))
    return points


def to_the_end(experiment: Experiment, slower: float = 1.0) -> list[Plan]:
    """Return the plan at each step, until it grows no more."""
    plans = [plan_experiment(experiment)]
    while True:
        grown = grow(experiment, plans[-1], points_of(plans[-1], slower))
        if grown.trials == plans[-1].trials:
            return plans
        plans.append(grown)


def test_each_step_is_appended_and_each_combination_has_its_own_search(tmp_path: Path) -> None:
    text = CACHES + "search: {knee: load.clients, from: 1, to: 64}\nprocedure: {rounds: 2}"
    plans = to_the_end(experiment_of(text, tmp_path))
    assert len(plans) > 2
    for before, after in pairwise(plans):
        assert after.trials[: len(before.trials)] == before.trials
    last = plans[-1]
    assert [trial.number for trial in last.trials] == list(range(1, len(last.trials) + 1))
    assert last.search is not None
    assert len(last.trials) <= last.search.most_trials
    measured = [(trial.cell, trial.round) for trial in last.trials]
    assert len(set(measured)) == len(measured)
    levels = [int(level) for level in last.factors[-1].levels]
    assert levels == sorted(levels)
    assert last.factors[-1].sets == "load.clients"
    assert {trial.cell.level("cache") for trial in plans[0].trials} == {"1", "2"}
    assert all(int(t.cell.level("clients")) == t.generator_plan.clients for t in last.trials)


def test_the_same_points_give_the_same_plan(tmp_path: Path) -> None:
    text = "search: {knee: load.clients, to: 64}\nprocedure: {rounds: 2}"
    experiment = experiment_of(text, tmp_path)
    assert to_the_end(experiment)[-1] == to_the_end(experiment)[-1]


def test_a_share_of_the_highest_throughput_comes_last_in_an_open_loop(tmp_path: Path) -> None:
    text = "search: {knee: load.clients, to: 64, rate: 70%}\nprocedure: {rounds: 3}"
    plan = to_the_end(experiment_of(text, tmp_path))[-1]

    def is_open(trial: PlannedTrial) -> bool:
        return trial.cell.level("rate") == "70%"

    last = plan.trials[-3:]
    assert [trial for trial in plan.trials if is_open(trial)] == list(last)
    assert [trial.round for trial in last] == [1, 2, 3]
    (cell,) = {trial.cell for trial in last}
    assert 16 <= int(cell.level("clients")) <= 25
    (arrivals,) = [trial.generator_plan.arrivals for trial in last[:1]]
    assert 0.7 * 900 <= arrivals["poisson"]["rate_per_s"] <= 0.7 * 1000
    assert plan.given_factors == ()


def test_the_share_is_of_what_the_server_does_when_the_search_has_ended(tmp_path: Path) -> None:
    text = CACHES + "search: {knee: load.clients, to: 64, rate: 70%}\nprocedure: {rounds: 4}"
    plan = to_the_end(experiment_of(text, tmp_path), slower=0.8)[-1]
    assert plan.search is not None
    assert len(plan.trials) <= plan.search.most_trials
    assert [trial.kind for trial in plan.trials[-14:-8]] == ["measured again"] * 6
    again = {trial.cell for trial in plan.trials if trial.kind == "measured again"}
    at_rate = plan.trials[-8:]
    assert {trial.kind for trial in at_rate} == {"compared"}
    assert {(t.cell.level("cache"), t.cell.level("clients")) for t in at_rate} == {
        (cell.level("cache"), cell.level("clients")) for cell in again
    }
    for trial in at_rate:
        highest = 1000 - 20.0 * abs(int(trial.cell.level("clients")) - 20)
        rate = trial.generator_plan.arrivals["poisson"]["rate_per_s"]
        assert rate == pytest.approx(0.7 * 0.8 * highest)


def test_a_knee_that_does_nothing_any_more_is_held_at_what_it_did(tmp_path: Path) -> None:
    text = "search: {knee: load.clients, to: 64, rate: 50%}\nprocedure: {rounds: 2}"
    plan = to_the_end(experiment_of(text, tmp_path), slower=0.0)[-1]
    rate = plan.trials[-1].generator_plan.arrivals["poisson"]["rate_per_s"]
    assert 0.5 * 900 <= rate <= 0.5 * 1000


def test_a_smoke_run_searches_among_few_clients(tmp_path: Path) -> None:
    plan = plan_experiment(
        experiment_of("search: {knee: load.clients, from: 10, to: 500}", tmp_path), smoke=True
    )
    assert {trial.generator_plan.clients for trial in plan.trials} == {3, 4}
    assert plan.is_smoke


SEARCH = "search: {knee: load.clients, to: 8}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "search: {knee: load.rate, to: 8}",
            "5: search.knee: 'load.rate' is not a choice; known: load.clients",
        ),
        ("search: {knee: load.clients}", "5: search.to: is missing; add it, as in to: 512"),
        (
            "search: {knee: load.clients, from: 8, to: 8}",
            "5: search.to: is 8, not more than from: 8; make it more",
        ),
        (
            "search: {knee: load.clients, to: 8, response_limit: {p95: 1ms, p99: 2ms}}",
            "5: search.response_limit: must be exactly one, as in {p95: 50ms}",
        ),
        (
            "search: {knee: load.clients, to: 8, response_limit: {p96: 1ms}}",
            "5: search.response_limit.p96: unknown field; did you mean 'p99'?",
        ),
        (
            "search: {knee: load.clients, to: 8, rate: 0%}",
            "5: search.rate: must be more than 0, not '0%'",
        ),
        (
            SEARCH + "factors: {clients: [1, 2]}",
            "6: factors.clients: sets load.clients, which the search sets; remove it",
        ),
        (
            SEARCH + "factors: {clients: {sets: server.cache_size, levels: [1, 2]}}",
            "6: factors.clients: is the name of what the search varies; take another",
        ),
        (SEARCH + "load: {rate: 5}", "6: load.rate: is what the search sets; remove it"),
        (
            SEARCH + "procedure: {order: abba}",
            "6: procedure.order: has no effect in a search, which decides itself; remove it",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError) as caught:
        experiment_of(text, tmp_path)
    assert str(caught.value) == f"{tmp_path / 'experiment.yaml'}:{expected}"
