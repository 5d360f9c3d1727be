"""Checks over trials: number, order, drift, and what else differs between cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import FactorLevels
from dbdyno.facts.host import HostFacts
from dbdyno.store.reader import read_result
from dbdyno.store.writer import ResultWriter
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import CLIENTS, POOL, findings, spoken
from tests.unit.store.result_builder import (
    TrialScript,
    build_result,
    make_plan,
    trial_events,
    write_trial,
)


def test_missing_trials_are_named(tmp_path: Path) -> None:
    plan = make_plan(rounds=3)
    result = ResultWriter.create(tmp_path / "r", experiment_text="", plan=plan, host=HostFacts())
    write_trial(result, TrialScript(plan.trials[1]))
    result.close()
    found = spoken(analyse(read_result(tmp_path / "r")))
    assert found[Code.MISSING_TRIALS].trials == (1, 3)
    assert evidence_of(found[Code.MISSING_TRIALS]) == "2 of 3 planned trials"
    assert evidence_of(found[Code.FEW_ROUNDS]) == "valid trials: 1 of (one cell)"


def test_fewer_than_three_rounds_are_few(tmp_path: Path) -> None:
    found = spoken(findings(tmp_path / "r", plan=make_plan([POOL], rounds=2)))
    assert evidence_of(found[Code.FEW_ROUNDS]) == "valid trials: 2 of pool=16M, 2 of pool=64M"


def test_rounds_that_follow_each_other_are_noticed(tmp_path: Path) -> None:
    sequential = make_plan([POOL], order="sequential")
    assert Code.NOT_INTERLEAVED in spoken(findings(tmp_path / "two", plan=sequential))
    mirrored = make_plan([POOL], order="abba")
    assert Code.NOT_INTERLEAVED not in spoken(findings(tmp_path / "abba", plan=mirrored))
    alone = make_plan(order="sequential")
    assert Code.NOT_INTERLEAVED not in spoken(findings(tmp_path / "one", plan=alone))


@pytest.mark.parametrize(
    ("by_round", "fires"),
    [
        ([100, 98, 97, 94, 92], True),
        ([100, 98, 101, 99, 102], False),
        ([100, 95, 97, 94, 96], False),
        ([1000, 1001, 1002, 1003, 1004], False),
    ],
)
def test_drift_from_round_to_round_is_noticed(
    tmp_path: Path, by_round: list[int], fires: bool
) -> None:
    def change(script: TrialScript) -> None:
        faster = 3 if script.planned.cell.level("pool") == "64M" else 1
        script.events = trial_events([faster * by_round[script.planned.round - 1]] * 12)

    found = spoken(findings(tmp_path / "r", change, make_plan([POOL], rounds=5)))
    assert (Code.DRIFT in found) is fires
    if fires:
        assert evidence_of(found[Code.DRIFT]) == (
            "throughput fell by 8.3 % over 5 rounds (linear regression over rounds, p = 0.001)"
        )


def test_cells_that_differ_in_the_server_only_must_be_asked_the_same(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.generator_plan["url"] = f"mysql://h:{3300 + script.planned.number}/x"
        if script.planned.number == 4:
            script.generator_plan["seed"] = 7

    warning = spoken(findings(tmp_path / "r", change, make_plan([POOL])))[Code.PLANS_DIFFER]
    assert warning.trials == (3, 4)
    assert evidence_of(warning) == "trials 3, 4 have different plans"


def test_cells_and_rounds_that_are_asked_differently_on_purpose_may_be(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.generator_plan["seed"] = script.planned.round
        script.generator_plan["workers"] = int(script.planned.cell.level("clients"))

    found = spoken(findings(tmp_path / "r", change, make_plan([CLIENTS])))
    assert Code.PLANS_DIFFER not in found


def test_trials_that_take_over_data_may_have_a_seed_each(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.dataset["start"] = "as_is"
        script.generator_plan["seed"] = script.planned.number

    assert Code.PLANS_DIFFER not in spoken(findings(tmp_path / "r", change, make_plan([POOL])))


def test_how_many_workers_send_is_no_difference_that_anybody_asked_for(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.generator_plan["workers"] = script.planned.number
        script.generator_plan["placement"] = "same_cpus" if script.planned.number % 2 else "unknown"

    assert Code.PLANS_DIFFER not in spoken(findings(tmp_path / "r", change, make_plan([POOL])))


def test_cells_that_differ_in_the_server_only_must_have_the_same_data(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.dataset["fingerprint"] = script.planned.cell.level("pool")

    assert Code.PLANS_DIFFER in spoken(findings(tmp_path / "r", change, make_plan([POOL])))


def test_a_machine_that_is_not_quiet_is_noticed(tmp_path: Path) -> None:
    busy_host = {
        "cpu_governor": "powersave",
        "other_processes_cpu_cores": 0.75,
        "other_processes_busiest": "cc1plus 0.75",
    }
    found = spoken(analyse(build_result(tmp_path / "busy", make_plan(), host=busy_host)))
    assert evidence_of(found[Code.NEIGHBOURS]) == "0.75 cores: cc1plus 0.75"
    assert evidence_of(found[Code.FREQUENCY_SCALING]) == "governor powersave"
    quiet_host = {
        "cpu_governor": "performance",
        "other_processes_cpu_cores": 0.02,
        "other_processes_busiest": "sshd 0.02",
    }
    assert analyse(build_result(tmp_path / "quiet", make_plan(), host=quiet_host)).warnings == ()


def test_settings_that_differ_besides_the_factor_are_listed(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        settings = script.server["settings"]
        settings["datadir"] = f"/somewhere/{script.planned.number}"
        if script.planned.cell.level("pool") == "64M":
            settings["innodb-buffer-pool-size"] = settings.pop("innodb_buffer_pool_size") * 4
            settings["slow_query_log"] = "ON"

    found = findings(tmp_path / "r", change, make_plan([POOL]))
    assert found.differences == (("slow_query_log", "pool=64M", "ON", None),)
    assert evidence_of(spoken(found)[Code.SETTINGS_DIFFER]) == "1 setting: slow_query_log"


@pytest.mark.parametrize("tells", [True, False])
def test_defaults_that_differ_are_parted_from_what_somebody_set(
    tmp_path: Path, tells: bool
) -> None:
    def change(script: TrialScript) -> None:
        if tells:
            script.server["chosen_settings"] = ["slow-query-log"]
        if script.planned.cell.level("pool") == "64M":
            script.server["settings"] |= {"slow_query_log": "ON", "optimizer_costs": "0.1"}

    found = findings(tmp_path / "r", change, make_plan([POOL]))
    chosen = ("slow_query_log", "pool=64M", "ON", None)
    default = ("optimizer_costs", "pool=64M", "0.1", None)
    if tells:
        assert (found.differences, found.default_differences) == ((chosen,), (default,))
    else:
        assert (found.differences, found.default_differences) == ((default, chosen), ())


def test_galeras_options_are_set_by_one_setting(tmp_path: Path) -> None:
    option = "wsrep_provider_options.gcache.size"

    def change(script: TrialScript) -> None:
        script.server["chosen_settings"] = ["wsrep_provider_options"]
        size = "1G" if script.planned.cell.levels[0][1] == "1G" else "128M"
        script.server["settings"] |= {option: size}

    of_pool = FactorLevels("pool", ("128M", "1G"), "server.innodb_buffer_pool_size")
    found = findings(tmp_path / "other", change, make_plan([of_pool]))
    assert (option, "pool=1G", "1G", "128M") in found.differences
    of_galera = FactorLevels("pool", ("128M", "1G"), "server.wsrep_provider_options")
    found = findings(tmp_path / "galera", change, make_plan([of_galera]))
    assert option not in [name for name, *_ in found.differences + found.default_differences]


def test_unequal_durability_is_named(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        if script.planned.cell.level("pool") == "64M":
            script.server["durability"] = "none"

    found = spoken(findings(tmp_path / "r", change, make_plan([POOL])))
    assert evidence_of(found[Code.DURABILITY_DIFFERS]) == (
        "pool=64M has none, its baseline every commit; this is so in 1 of 1 comparisons"
    )
