"""Transactions of one's own with several statements in a round trip, on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dbdyno.experiment.workload.pgbench import Pgbench
from dbdyno.experiment.workload.sql import Sql
from dbdyno.target.base import Server
from tests.live.target.queries import query
from tests.live.workload.trials import Trial, drop, load, run_trial

pytestmark = pytest.mark.live

SETUP = [
    "CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)",
    "CREATE TABLE seen (number INTEGER PRIMARY KEY, value INTEGER NOT NULL)",
    {"fill": "counter", "rows": 10, "columns": {"id": {"sequence": 1}, "value": 0}},
]
TRANSACTIONS: dict[str, Any] = {"transactions": 300, "duration_s": 30.0}

COUNT = "UPDATE counter SET value = value + 1 WHERE id = :id"
READ = {"sql": "SELECT value FROM counter WHERE id = :id", "into": "value"}
KEEP = "INSERT INTO seen VALUES (:number, :value)"


def workload(*statements: Any, **fields: Any) -> Sql:
    variables = {"id": [1, 10], "number": {"sequence": 1}}
    used = {name: v for name, v in variables.items() if f":{name}" in str(statements)}
    transaction = {"variables": used, "statements": list(statements)}
    return Sql.model_validate({"setup": SETUP, "transactions": {"t": transaction}} | fields)


@pytest.fixture(params=["mariadb", "postgres"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Return a server that has round trips to save, with the tables."""
    chosen: Server = request.getfixturevalue(request.param)
    load(chosen, workload("SELECT 1"))
    yield chosen
    drop(chosen, workload("SELECT 1"))


def number(server: Server, sql: str) -> int:
    return int(query(server, sql)[0][0] or 0)


def multi(server: Server, sql: Sql | Pgbench, **options: Any) -> Trial:
    return run_trial(server, sql, protocol="multi", **(TRANSACTIONS | options))


def executions(trial: Trial) -> int:
    return sum(statement["executions"] for statement in trial.end["statements"])


def test_a_transaction_takes_one_round_trip(server: Server) -> None:
    together = multi(server, workload("BEGIN", COUNT, "SELECT COUNT(*) FROM seen", "COMMIT"))
    committed = together.kinds["t"]["committed"]
    assert committed == together.round_trips > 0
    assert executions(together) == 4 * committed
    assert number(server, "SELECT SUM(value) FROM counter") == committed


def test_a_row_that_later_statements_use_is_waited_for(server: Server) -> None:
    trial = multi(server, workload("BEGIN", COUNT, READ, KEEP, "COMMIT"), clients=1)
    committed = trial.kinds["t"]["committed"]
    assert committed > 0
    assert trial.round_trips == 2 * committed
    assert number(server, "SELECT COUNT(*) FROM seen") == committed
    # Each value is the one that its own transaction has just made.
    assert number(server, "SELECT SUM(value) FROM counter") == committed
    distinct = "SELECT COUNT(*) FROM (SELECT DISTINCT number, value FROM seen) AS pairs"
    assert number(server, distinct) == committed
    assert number(server, "SELECT MIN(value) FROM seen") == 1


def test_statements_outside_of_a_transaction_travel_alone(server: Server) -> None:
    trial = multi(server, workload(COUNT, "SELECT COUNT(*) FROM seen"))
    committed = trial.kinds["t"]["committed"]
    assert trial.round_trips == executions(trial) == 2 * committed > 0


def test_a_comment_does_not_take_the_commit_in(server: Server) -> None:
    trial = multi(server, workload("BEGIN", f"{COUNT} -- and more", "COMMIT"))
    committed = trial.kinds["t"]["committed"]
    assert trial.executions("commit") == committed > 0
    assert number(server, "SELECT SUM(value) FROM counter") == committed


def test_an_error_in_the_middle_leaves_nothing(server: Server) -> None:
    again = workload(
        "BEGIN",
        COUNT,
        "INSERT INTO seen VALUES (1, 1)",
        COUNT,
        "COMMIT",
        expected_errors=["duplicate_key"],
    )
    trial = multi(server, again, clients=1)
    kind = trial.kinds["t"]
    assert (kind["committed"], kind["failed"]) == (1, 0)
    assert trial.errors["duplicate_key"] == kind["rolled_back"] > 5
    # Only the first was committed, with both of its updates.
    assert number(server, "SELECT SUM(value) FROM counter") == 2
    assert trial.executions("rollback") == kind["rolled_back"]


def test_conflicts_are_retried_whole(server: Server) -> None:
    other = "UPDATE counter SET value = value + 1 WHERE id = :other"
    variables = {"id": [1, 2], "other": [1, 2]}
    fields = {
        "setup": SETUP,
        "transactions": {
            "t": {"statements": ["BEGIN", COUNT, other, "COMMIT"], "variables": variables}
        },
    }
    for duration_s in (0.8, 3.0, 10.0):
        before = number(server, "SELECT SUM(value) FROM counter")
        trial = multi(
            server, Sql.model_validate(fields), clients=8, duration_s=duration_s, transactions=None
        )
        kind = trial.kinds["t"]
        after = number(server, "SELECT SUM(value) FROM counter")
        assert kind["failed"] == 0
        assert after - before == 2 * kind["committed"]
        if kind["retries"] > 0:
            return
    pytest.fail("no deadlock in 10 s")


GSET = """\
\\set id random(1, 10)
BEGIN;
UPDATE counter SET value = value + 1 WHERE id = :id;
SELECT value AS kept FROM counter WHERE id = :id \\gset
UPDATE counter SET value = :kept + 1 WHERE id = :id;
SELECT COUNT(*) FROM seen;
END;
"""


def test_gset_is_waited_for_in_a_script_of_pgbench(server: Server) -> None:
    script = Pgbench.model_validate({"scripts": [{"text": GSET}], "setup": []})
    trial = multi(server, script, clients=1)
    (kind,) = trial.kinds.values()
    assert trial.round_trips == 2 * kind["committed"] > 0
    assert executions(trial) == 6 * kind["committed"]
    assert number(server, "SELECT SUM(value) FROM counter") == 2 * kind["committed"]


def test_the_built_in_script_keeps_its_balances(server: Server) -> None:
    scripts = Pgbench.model_validate({"scripts": ["tpcb-like"]})
    load(server, scripts)
    trial = multi(server, scripts)
    (kind,) = trial.kinds.values()
    assert kind["failed"] == 0
    # The balance that it reads is of no use to a later statement.
    assert trial.round_trips == kind["committed"] > 0
    history = number(server, "SELECT SUM(delta) FROM pgbench_history")
    assert number(server, "SELECT SUM(bbalance) FROM pgbench_branches") == history
    drop(server, scripts)
