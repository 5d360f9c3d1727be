"""Targets with settings and fields of the workload of their own: these confound nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analysis.confounders.model import Aspect
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import FactorLevels, Plan
from tests.unit.analysis.told import evidence_of
from tests.unit.analysis.validity_cases import findings, spoken
from tests.unit.store.result_builder import TRIAL_PLAN, TrialScript, make_plan

TARGET = FactorLevels("target", ("innodb", "rocksdb"), "target")


def planned(*, has_own: bool) -> Plan:
    """Return the plan of two targets, the second with table options of its own or without."""
    made = make_plan([TARGET])
    sysbench = {**TRIAL_PLAN.workload["sysbench"], "create_table_options": "ENGINE=ROCKSDB"}
    other = replace(TRIAL_PLAN, workload={"sysbench": sysbench})
    trials = [
        replace(trial, generator_plan=other)
        if has_own and trial.cell.level("target") == "rocksdb"
        else trial
        for trial in made.trials
    ]
    return replace(made, trials=tuple(trials))


def in_engines(script: TrialScript) -> None:
    """Store that the server loaded and was asked what its target's engine needs."""
    engine = script.planned.cell.level("target")
    script.dataset["fingerprint"] = engine
    script.dataset["table_schema"] = {
        "kind": "mysql",
        "definitions": [{"tables": ["t"], "storage": engine, "keys": [f"{engine} index (id)"]}],
    }
    options = "ENGINE=ROCKSDB" if engine == "rocksdb" else ""
    script.generator_plan["workload"]["sysbench"]["create_table_options"] = options


@pytest.mark.parametrize("has_own", [True, False])
def test_what_a_target_sets_of_the_workload_is_expected(tmp_path: Path, *, has_own: bool) -> None:
    found = findings(tmp_path / "r", in_engines, planned(has_own=has_own))
    by_aspect = {each.aspect: each.is_expected for each in found.confounders}
    assert by_aspect == {
        Aspect.DATASET: has_own,
        Aspect.KEYS: has_own,
        # Another engine is no wonder where the target is another.
        Aspect.STORAGE: True,
    }
    assert (Code.PLANS_DIFFER in spoken(found)) is not has_own


@pytest.mark.parametrize(("is_ours", "is_apart"), [(True, True), (False, False)])
def test_the_settings_of_targets_belong_to_them(
    tmp_path: Path, *, is_ours: bool, is_apart: bool
) -> None:
    plan = make_plan([TARGET])
    trials = [
        replace(trial, server_settings={"innodb-io-capacity": "900"})
        if trial.cell.level("target") == "rocksdb"
        else trial
        for trial in plan.trials
    ]

    def change(script: TrialScript) -> None:
        is_other = script.planned.cell.level("target") == "rocksdb"
        script.server["chosen_settings"] = ["innodb_io_capacity", "of_option_file"]
        script.server["file_sizes_bytes"] = {"dbdyno": 1} if is_ours else {}
        script.server["settings"] |= {
            "innodb_io_capacity": "900" if is_other else "200",
            "of_option_file": "1" if is_other else "2",
            "default": "1" if is_other else "2",
        }

    found = findings(tmp_path / "r", change, replace(plan, trials=tuple(trials)))
    by_file = ("of_option_file", "target=rocksdb", "1", "2")
    assert found.target_differences[0] == ("innodb_io_capacity", "target=rocksdb", "900", "200")
    assert (by_file in found.target_differences) is is_apart
    assert (by_file in found.differences) is not is_apart
    assert [name for name, *_ in found.default_differences] == ["default"]
    assert (Code.SETTINGS_DIFFER in spoken(found)) is not is_apart


def test_tables_are_held_against_the_cache_of_their_engine(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        in_engines(script)
        # The frm files of the database's folder say nothing of MyRocks' tables.
        script.server["file_sizes_bytes"] = {"dbdyno": 14_000}
        script.server["settings"] |= {
            "innodb_buffer_pool_size": str(2**30),
            "rocksdb_block_cache_size": str(2**23),
        }
        script.dataset["disk"] = {"before": {"size_bytes": 2**24, "source": "asked"}}

    found = spoken(findings(tmp_path / "r", change, planned(has_own=True)))[Code.IN_MEMORY]
    assert evidence_of(found) == "16.0 MiB of tables, 1.00 GiB of cache for them in the server"
    # MyRocks' trials are the second of each round.
    assert found.trials == (1, 3, 5)
