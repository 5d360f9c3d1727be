"""The effective settings of a target: those that were chosen, and all others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dbdyno.analysis.settings import TargetSettings, settings_by_target
from dbdyno.experiment.plan import FactorLevels, Plan
from tests.unit.store.result_builder import TrialScript, build_result, make_plan

POOL = FactorLevels("pool", ("16M", "64M"), "server.innodb_buffer_pool_size")


def asked(plan: Plan, **settings: str) -> Plan:
    trials = tuple(replace(trial, server_settings=settings) for trial in plan.trials)
    return replace(plan, trials=trials)


def told(script: TrialScript) -> None:
    is_small = script.planned.cell.level("pool") == "16M"
    script.server["settings"] = {
        "innodb_buffer_pool_size": "16777216" if is_small else "67108864",
        "sync_binlog": "0",
        "sort_buffer_size": "2097152",
        "pid_file": "/tmp/a",
    }
    script.server["chosen_settings"] = ["innodb_buffer_pool_size", "sync_binlog"]


def test_chosen_settings_have_the_values_that_the_server_told(tmp_path: Path) -> None:
    plan = asked(make_plan([POOL], rounds=1), **{"skip-log-bin": "ON", "sync-binlog": "OFF"})
    (found,) = settings_by_target(build_result(tmp_path / "r", plan, told).trials)
    assert found == TargetSettings(
        target="server",
        chosen={
            "innodb_buffer_pool_size": ("16777216", "67108864"),
            "skip_log_bin": ("ON",),
            "sync_binlog": ("0",),
        },
        others={"sort_buffer_size": ("2097152",)},
        trial=1,
    )


def test_where_a_server_does_not_tell_the_experiment_does(tmp_path: Path) -> None:
    def silent(script: TrialScript) -> None:
        told(script)
        del script.server["chosen_settings"]

    plan = asked(make_plan([POOL], rounds=1), sync_binlog="0")
    (found,) = settings_by_target(build_result(tmp_path / "r", plan, silent).trials)
    assert list(found.chosen) == ["sync_binlog"]
    assert list(found.others) == ["innodb_buffer_pool_size", "sort_buffer_size"]
