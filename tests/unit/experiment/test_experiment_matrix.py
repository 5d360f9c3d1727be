"""From an experiment to its plan, at full size and at smoke size."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from dbdyno.experiment.design.estimate import Estimate, estimate
from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.design.smoke import shrink_levels
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.plan import Plan
from dbdyno.protocol.waiting import PRIORITY

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
HEAD = "experiment: e\nquestion: Which?\nworkload: {sysbench: {tables: 2}}\n"


def plan_of(text: str, directory: Path, *, smoke: bool = False) -> Plan:
    path = directory / "experiment.yaml"
    path.write_text(HEAD + text)
    return make_plan(read_experiment(path), smoke=smoke)


def test_trial_plan_is_that_of_the_architecture(tmp_path: Path) -> None:
    text = (
        "target: {mysql: {}}\nfactors: {threads: [64]}\nload: {workers: 1}\n"
        "procedure: {warmup: 5s, duration: 20s, seed: 42}"
    )
    trial = plan_of(text, tmp_path).trials[0]
    expected = json.loads(_first_json_block(Path(__file__).parents[3] / "ARCHITECTURE.md"))
    expected.pop("url")
    written = trial.generator_plan.to_document()
    sysbench = written.pop("workload")["sysbench"]
    assert set(expected.pop("workload")["sysbench"]) <= set(sysbench)
    # Root's generator has priority over the server beside it.
    assert written.pop("wait") in {expected.pop("wait"), PRIORITY}
    assert json.loads(json.dumps(written)) == expected


def _first_json_block(document: Path) -> str:
    return document.read_text().split("```json\n")[1].split("```")[0]


def test_levels_reach_server_load_workload_and_target(tmp_path: Path) -> None:
    text = """
targets:
  small: {mysql: {set: {max_connections: 100}}}
  large: {mysql: {}}
factors:
  target: [large, small]
  pool: {sets: server.innodb_buffer_pool_size, levels: [16M, 1G]}
  rate: [100, 250.5]
  rows: {sets: workload.table_size, levels: [100, 200]}
procedure: {rounds: 1}
load: {protocol: text, kernel_timestamps: false}
"""
    plan = plan_of(text, tmp_path)
    wanted = (("target", "small"), ("pool", "1G"), ("rate", "250.5"), ("rows", "200"))
    (trial,) = [trial for trial in plan.trials if trial.cell.levels == wanted]
    assert len(plan.trials) == 16
    assert trial.target == "small"
    assert trial.server_settings == {"max_connections": "100", "innodb_buffer_pool_size": "1G"}
    assert trial.generator_plan.arrivals == {"poisson": {"rate_per_s": 250.5}}
    assert trial.generator_plan.workload["sysbench"]["table_size"] == 200
    assert trial.generator_plan.workload["sysbench"]["tables"] == 2
    assert trial.generator_plan.protocol == "text"
    assert trial.generator_plan.kernel_timestamps is False


def test_trials_of_a_round_share_a_seed_and_rounds_differ(tmp_path: Path) -> None:
    plan = plan_of("target: {sqlite: {}}\nfactors: {clients: [1, 2]}", tmp_path)
    seeds = {(trial.round, trial.generator_plan.seed) for trial in plan.trials}
    assert len(seeds) == plan.rounds == len({seed for _, seed in seeds})


def test_trials_that_take_over_data_have_a_seed_each(tmp_path: Path) -> None:
    text = "target: {sqlite: {}}\nfactors: {clients: [1, 2]}\nprocedure: {start: continue, seed: 7}"
    plan = plan_of(text, tmp_path)
    assert [trial.generator_plan.seed for trial in plan.trials] == list(range(7, 19))


def test_trials_are_numbered_in_order(tmp_path: Path) -> None:
    plan = plan_of("target: {sqlite: {}}\nfactors: {clients: [1, 2]}", tmp_path)
    assert [trial.number for trial in plan.trials] == list(range(1, 13))


def test_without_factors_there_is_one_cell(tmp_path: Path) -> None:
    plan = plan_of("target: {sqlite: {}}", tmp_path)
    assert {trial.cell.label() for trial in plan.trials} == {"(one cell)"}
    assert len(plan.trials) == 6


def test_the_estimate_says_what_the_time_goes_into(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    text = HEAD.replace("sysbench: {tables: 2}", "tpcc: {warehouses: {}}")

    def parts(warehouses: int) -> Estimate:
        procedure = "procedure: {duration: 30s, warmup: 5s, rounds: 4, pause: 2s}\n"
        path.write_text(text.replace("{}", str(warehouses)) + "target: {mysql: {}}\n" + procedure)
        experiment = read_experiment(path)
        return estimate(experiment, make_plan(experiment).trials)

    few, many = parts(20), parts(2000)
    assert (many.warmup_s, many.measuring_s, many.pausing_s) == (4 * 5, 4 * 30, 3 * 2)
    assert many.loading_s == pytest.approx(2000 * 499_011 / 100_000, rel=0.01)
    assert many.copying_s == pytest.approx(100 * few.copying_s, rel=0.05)
    # Of many warehouses some are checked.
    assert many.checking_s == few.checking_s > 4 * 5
    assert many.total_s == sum(many)


def test_workers_follow_cpus_and_never_outnumber_clients(tmp_path: Path) -> None:
    text = "target: {sqlite: {}}\nfactors: {clients: [1, 8]}\ngenerators: [{cpus: 0-3}]"
    trials = plan_of(text, tmp_path).trials
    workers = {trial.generator_plan.clients: trial.generator_plan.workers for trial in trials}
    assert workers == {1: 1, 8: 4}


def test_estimate_counts_loading_restarts_and_trials(tmp_path: Path) -> None:
    short = plan_of("target: {sqlite: {}}\nprocedure: {duration: 1s, warmup: 0}", tmp_path)
    longer = plan_of("target: {sqlite: {}}\nprocedure: {duration: 11s, warmup: 0}", tmp_path)
    server = plan_of("target: {mysql: {}}\nprocedure: {duration: 1s, warmup: 0}", tmp_path)
    assert longer.estimated_s - short.estimated_s == pytest.approx(60)
    assert server.estimated_s > short.estimated_s + 5


@pytest.mark.parametrize(
    ("values", "largest", "expected"),
    [
        ([1, 2, 4], 4, [1, 2, 4]),
        ([64], 4, [4]),
        ([1, 8, 64], 4, [1, 2, 4]),
        ([64, 1, 8], 4, [4, 1, 2]),
        ([10, 20, 30, 40, 50, 60], 4, [1, 2, 3, 4, 5, 6]),
        ([10, 5000], 1000, [10, 1000]),
        ([100_000, 1_000_000], 1000, [500, 1000]),
    ],
)
def test_shrunk_levels(values: list[float], largest: int, expected: list[float]) -> None:
    assert shrink_levels(values, largest) == expected


def test_a_smoke_run_has_none_of_the_warehouses_of_a_range(tmp_path: Path) -> None:
    path = tmp_path / "range.yaml"
    path.write_text(
        "experiment: e\nquestion: Which?\ntarget: {sqlite: {}}\nload: {clients: 4}\n"
        "workload: {tpcc: {warehouses: 500, load_range: [251, 500], home_range: [251, 500]}}\n"
    )
    for smoke, warehouses, range_of in ((False, 500, [251, 500]), (True, 1, None)):
        plan = make_plan(read_experiment(path), smoke=smoke)
        tpcc = plan.trials[0].generator_plan.workload["tpcc"]
        assert tpcc["warehouses"] == warehouses
        found = [tpcc["load_range"], tpcc["home_range"]]
        assert [value and list(value) for value in found] == [range_of] * 2


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_smoke_size_of_ready_experiments(path: Path) -> None:
    experiment = read_experiment(path)
    full, smoke = make_plan(experiment), make_plan(experiment, smoke=True)
    assert full.rounds >= 3
    assert smoke.rounds == 2
    assert (full.is_smoke, smoke.is_smoke) == (False, True)
    assert len(smoke.trials) * full.rounds == len(full.trials) * 2
    for trial in smoke.trials:
        asked = trial.generator_plan
        assert asked.warmup_s + asked.duration_s <= 1.2
        assert asked.interval_s <= 0.2
        assert asked.clients <= 4
        assert int(asked.workload.get("sysbench", {}).get("table_size", 0)) <= 1000
    for factor in smoke.factors:
        assert len(set(factor.levels)) == len(factor.levels)


def test_smoke_size_keeps_what_is_small_already(tmp_path: Path) -> None:
    text = "target: {sqlite: {}}\nprocedure: {warmup: 0, duration: 0.4s, interval: 0.1s, rounds: 1}"
    (trial,) = plan_of(text, tmp_path, smoke=True).trials
    asked = trial.generator_plan
    assert (asked.warmup_s, asked.duration_s, asked.interval_s) == (0, 0.4, 0.1)


def test_smoke_size_waits_for_nothing_to_be_steady(tmp_path: Path) -> None:
    text = "target: {sqlite: {}}\nprocedure: {warmup: {until: steady}, rounds: 1}"
    (trial,) = plan_of(text, tmp_path, smoke=True).trials
    assert (trial.generator_plan.warmup_s, trial.generator_plan.warmup_least_s) == (0.2, None)


def test_demo_fits_into_ninety_seconds() -> None:
    plan = make_plan(read_experiment(EXPERIMENTS / "sqlite-journal-mode.yaml"))
    assert plan.estimated_s < 90


def test_plan_is_json(tmp_path: Path) -> None:
    plan = plan_of("target: {sqlite: {}}\nfactors: {clients: [1, 2]}", tmp_path)
    assert json.loads(json.dumps(asdict(plan)))["trials"][0]["number"] == 1
