"""The consistency conditions after a trial of TPC-C: they hold, and where they don't it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.experiment.plan import Cell, PlannedTrial
from dbdyno.experiment.workload.registry import plan_of
from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.run.consistency import check_conditions, has_conditions
from dbdyno.target.base import Server
from dbdyno.target.url.server import ExternalServer
from dbdyno.tpcc.check import CheckRefusedError
from tests.live.target.queries import query
from tests.live.workload.trials import drop, load, run_trial

pytestmark = pytest.mark.live

CONDITIONS = 12


def test_conditions_hold_after_a_trial_until_a_row_is_changed(sqlite_server: Server) -> None:
    """On the other servers this is looked at where tables of BenchmarkSQL's schema are loaded."""
    workload = Tpcc.model_validate({"schema": "benchmarksql"})
    assert load(sqlite_server, workload)[-1]["event"] == "dataset"
    # SQLite lets one writer in at a time, and others would wait in no fair order.
    assert run_trial(sqlite_server, workload, clients=1).end["status"] == "completed"
    assert_that_conditions_are_looked_at(sqlite_server, workload)
    assert drop(sqlite_server, workload)[-1]["event"] == "dataset"


def test_tables_that_are_missing_where_they_are_checked_are_no_violation(tmp_path: Path) -> None:
    url, elsewhere = f"sqlite:///{tmp_path}/used.db", f"sqlite:///{tmp_path}/empty.db"
    server = ExternalServer("theirs", url, check_url=elsewhere)
    with pytest.raises(CheckRefusedError, match=f"at {elsewhere}: there are no TPC-C tables"):
        check_conditions(server, trial_of(Tpcc.model_validate({})))


def trial_of(workload: Tpcc) -> PlannedTrial:
    plan = TrialPlan(
        workload=plan_of(workload),
        clients=1,
        workers=1,
        warmup_s=0.0,
        duration_s=1.0,
        seed=1,
        error_budget=0.0,
    )
    return PlannedTrial(number=1, round=1, cell=Cell(()), target="t", generator_plan=plan)


def assert_that_conditions_are_looked_at(server: Server, workload: Tpcc) -> None:
    """Look at tables of BenchmarkSQL's schema after a trial; they are not right any more then."""
    trial = trial_of(workload)
    assert has_conditions(trial)
    facts = check_conditions(server, trial)
    assert facts.passed, facts
    assert facts.conditions == {str(number + 1): 0 for number in range(CONDITIONS)}
    query(server, "UPDATE bmsql_warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1")
    facts = check_conditions(server, trial)
    assert not facts.passed
    assert {name for name, count in facts.conditions.items() if count} == {"1", "8"}
    assert "condition 1 (" in (facts.message or "")
    assert "is violated by 1 row, first w_id 1" in (facts.message or "")
    # What a server does not answer is no violation.
    query(server, "ALTER TABLE bmsql_history RENAME COLUMN h_amount TO amount")
    with pytest.raises(CheckRefusedError, match=r"cannot be checked: .*h_amount"):
        check_conditions(server, trial)
