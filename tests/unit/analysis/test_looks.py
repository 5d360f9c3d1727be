"""Each trial is looked at once: what is found then is all that a report needs of its tables."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.looks import Looks
from dbdyno.experiment.plan import FactorLevels
from dbdyno.store import layout
from dbdyno.store.reader import ResultReader, read_result
from tests.unit.store.resource_rows import IDLE_HOST, resource_table
from tests.unit.store.result_builder import TrialScript, build_result, make_plan, trial_events

ENGINES = FactorLevels("engine", ("one", "other"), "server.engine")


def of_two_kinds(script: TrialScript) -> None:
    script.events = trial_events(kinds=("read", "write"))
    script.resources = resource_table([IDLE_HOST] * 12)


def test_tables_are_read_once(tmp_path: Path) -> None:
    expected = analyse(build_result(tmp_path / "r", make_plan([ENGINES]), of_two_kinds))
    reader = ResultReader(tmp_path / "r")
    looks = Looks(reader.host, reader.other_hosts)
    result = reader.result(looks.add)
    shutil.rmtree(tmp_path / "r" / layout.TRIALS_DIRECTORY)
    assert analyse(result, looks) == expected


def test_a_damaged_trial_is_not_looked_at(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan([ENGINES]), of_two_kinds)
    damaged = result.trials[1].planned.number
    folder = layout.trial_directory(tmp_path / "r", damaged)
    (folder / layout.INTERVALS_FILE).write_bytes(b"")
    reader = ResultReader(tmp_path / "r")
    looks = Looks(reader.host, reader.other_hosts)
    found = reader.result(looks.add)
    assert [look.judged.measured.number for look in looks.trials] == [1, 3, 4, 5, 6]
    assert [trial.number for trial in found.missing] == [damaged]
    assert analyse(found, looks) == analyse(read_result(tmp_path / "r"))


def test_settings_that_are_equal_are_held_once(tmp_path: Path) -> None:
    result = build_result(tmp_path / "r", make_plan([ENGINES]))
    first, *others = (trial.server.settings for trial in result.trials)
    assert first
    assert all(settings is first for settings in others)


def test_trials_of_several_workloads_are_counted_by_what_all_have(tmp_path: Path) -> None:
    def tpcc_in_one(script: TrialScript) -> None:
        if script.planned.number == 1:
            script.events = trial_events(kinds=("new_order", "payment"))
            script.generator_plan["workload"] = {"tpcc": {"warehouses": 1}}

    result = build_result(tmp_path / "r", make_plan([ENGINES]), tpcc_in_one)
    findings = analyse(result)
    assert findings.measure.kind is None
    (tpcc, *_) = findings.trials
    assert tpcc.throughput_per_s == dict(findings.cells[0].throughput_by_round)[1] == 200
    alone = analyse(replace(result, trials=result.trials[:1]))
    assert alone.measure.kind == "new_order"
    assert dict(alone.cells[0].throughput_by_round) == {1: 100}
