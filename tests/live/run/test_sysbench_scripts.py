"""Every script of sysbench's as a level of one experiment, from loading to the check afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from dbdyno.experiment.workload.scripts import FATES
from dbdyno.experiment.workload.sysbench import Script
from dbdyno.protocol.events import StatementCount
from dbdyno.store.facts import CheckFacts
from dbdyno.store.model import StoredTrial, TrialStatus
from dbdyno.store.reader import read_result
from tests.live.run.stage import Stage

EXPERIMENT = """\
experiment: scripts
question: What does each script do?
workload: {{sysbench: {{{options}}}}}
target: {{sqlite: {{set: {{synchronous: off}}}}}}
load: {{clients: 2}}
factors: {{{factors}}}
procedure: {{warmup: 0.1s, duration: 0.4s, interval: 0.1s, rounds: 1{procedure}}}
"""
SCRIPTS: tuple[Script, ...] = get_args(Script)
ALL_SCRIPTS = f"script: {{sets: workload.script, levels: [{', '.join(SCRIPTS)}]}}"
ROWS = 500


def run(directory: Path, options: str, factors: str, procedure: str = "") -> dict[str, StoredTrial]:
    """Run an experiment of one factor and one round; return its trials by level."""
    stage = Stage(directory)
    stage.file.write_text(
        EXPERIMENT.format(
            options=f"table_size: {ROWS}, {options}" if options else f"table_size: {ROWS}",
            factors=factors,
            procedure=procedure,
        )
    )
    ended = stage.run()
    assert ended.errors == ""
    assert ended.status == 0, ended.output
    return {trial.planned.cell.levels[0][1]: trial for trial in read_result(stage.result).trials}


@pytest.fixture(scope="module", params=["snapshot", "reload"])
def trials(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, StoredTrial]:
    """Return a trial of each script, all of one experiment."""
    start = request.param
    return run(tmp_path_factory.mktemp(start), "", ALL_SCRIPTS, f", start: {start}")


def statements(trial: StoredTrial) -> list[StatementCount]:
    """Return the statements that were sent, without those of the transaction itself."""
    assert trial.end is not None
    sent = [statement for statement in trial.end.statements if statement.executions]
    return [statement for statement in sent if statement.verb not in ("begin", "commit")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_and_leaves_what_it_should(
    trials: dict[str, StoredTrial], script: Script
) -> None:
    trial = trials[script]
    assert trial.status is TrialStatus.COMPLETED
    assert trial.dataset.check == CheckFacts(done=True, passed=True)
    assert trial.dataset.rows == (0 if script == "bulk_insert" else ROWS)
    committed, failed = trial.intervals["committed"].sum(), trial.intervals["failed"].sum()
    assert committed > 0
    assert failed == 0
    affected = sum(statement.affected for statement in statements(trial))
    assert (affected == 0) == (FATES[script] == "kept")
    if script == "oltp_delete":
        assert affected <= ROWS


def test_all_options_reach_the_generator(tmp_path: Path) -> None:
    tables = "secondary: true, create_secondary: false, distribution: zipfian, scrambled: true"
    factors = "script: {sets: workload.script, levels: [select_random_points, oltp_read_only]}"
    options = f"{tables}, zipfian_exponent: 1.2, random_points: 3, range_selects: false"
    found = run(tmp_path, options, factors)
    (points,), (selects,) = (
        statements(found[script]) for script in ("select_random_points", "oltp_read_only")
    )
    assert points.sql == "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)"
    assert selects.sql == "SELECT c FROM sbtest1 WHERE id=?"
    for trial in found.values():
        assert trial.facts["distribution"] == "zipfian(1.2) scrambled"
        assert "secondary=true" in (trial.dataset.fingerprint or "")
        assert trial.dataset.check.passed


def test_ranges_of_k_are_counted(tmp_path: Path) -> None:
    options = "script: select_random_ranges, number_of_ranges: 2"
    found = run(tmp_path, options, "delta: {sets: workload.delta, levels: [0, 50]}")
    for delta, trial in found.items():
        (counted,) = statements(trial)
        assert counted.sql == (
            "SELECT count(k) FROM sbtest1 WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"
        )
        assert trial.generator_plan.workload["sysbench"]["delta"] == int(delta)


def test_new_rows_with_ids_of_their_own_begin_with_empty_tables(tmp_path: Path) -> None:
    factors = "auto_inc: {sets: workload.auto_inc, levels: [true, false]}"
    found = run(tmp_path, "script: oltp_insert", factors)
    assert {level: trial.dataset.rows for level, trial in found.items()} == {
        "true": ROWS,
        "false": 0,
    }
    for trial in found.values():
        assert trial.intervals["failed"].sum() == 0
        assert trial.dataset.check.passed
