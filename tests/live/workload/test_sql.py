"""Transactions of one's own on real servers: what they do, and what the servers counted of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dbdyno.experiment.workload.sql import Sql
from dbdyno.target.base import Server
from tests.live.target.queries import TRIED_BEFORE_MULTI, query, wait_until_alone
from tests.live.workload.trials import drop, load, run_trial, verify

pytestmark = pytest.mark.live

ROWS = 1000
SETUP = [
    "CREATE TABLE item (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name VARCHAR(20), "
    "price DECIMAL(9, 2), stock INTEGER NOT NULL)",
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, item INTEGER, stock INTEGER, note VARCHAR(20))",
    {
        "fill": "item",
        "rows": ROWS,
        "columns": {
            "id": {"sequence": 1},
            "kind": [0, 9],
            "name": {"text": [3, 20]},
            "price": {"decimal": [-1.5, 99.99]},
            "stock": 0,
        },
    },
    "CREATE INDEX item_kind ON item (kind)",
]
DATA = {"setup": SETUP, "checks": {"SELECT COUNT(*), MIN(id), MAX(id) FROM item": [ROWS, 1, ROWS]}}
ID = {"id": {"int": [1, ROWS], "distribution": "zipfian", "scrambled": True}}

ENOUGH: dict[str, Any] = {"transactions": 300, "duration_s": 30.0}
"""So many that each kind is among them, however slow the machine is."""

SALE = [
    "BEGIN",
    {"sql": "SELECT stock, name FROM item WHERE id = :id", "into": ["stock", "name"]},
    "UPDATE item SET stock = stock - 1 WHERE id = :id",
    "INSERT INTO sale VALUES (:number, :id, :stock, :name)",
    "COMMIT",
]


def workload(**fields: Any) -> Sql:
    return Sql.model_validate(DATA | fields)


@pytest.fixture
def server(any_server: Server) -> Iterator[Server]:
    """Return a server with the tables, which are dropped afterwards."""
    data = workload(transactions={"read": "SELECT 1"})
    assert load(any_server, data)[-1]["event"] == "dataset"
    yield any_server
    assert drop(any_server, data)[-1]["event"] == "dataset"


def number(server: Server, sql: str) -> int:
    return int(query(server, sql)[0][0] or 0)


def test_rows_are_filled_as_written(server: Server) -> None:
    low, high, kinds = query(
        server, "SELECT MIN(price), MAX(price), COUNT(DISTINCT kind) FROM item"
    )[0]
    assert low is not None
    assert high is not None
    assert -1.5 <= float(low) < 1
    assert 97 < float(high) <= 99.99
    assert kinds == "10"
    shortest, longest = query(server, "SELECT MIN(LENGTH(name)), MAX(LENGTH(name)) FROM item")[0]
    assert (shortest, longest) == ("3", "20")
    data = workload(transactions={"read": "SELECT 1"})
    assert {"event": "verified", "complete": True} in verify(server, data)
    query(server, "DELETE FROM item WHERE id = 7")
    refused = verify(server, data)[-1]
    assert refused["kind"] == "server"
    assert "gives 999, 1, 1000, expected 1000, 1, 1000" in refused["message"]


def test_a_table_may_be_made_of_rows_that_were_filled(any_server: Server) -> None:
    setup = [*SETUP, "CREATE TABLE copied AS SELECT id FROM item"]
    data = workload(setup=setup, transactions={"read": "SELECT 1"})
    assert load(any_server, data)[-1]["event"] == "dataset"
    assert number(any_server, "SELECT COUNT(*) FROM copied") == ROWS
    assert drop(any_server, data)[-1]["event"] == "dataset"


def test_weights_rows_and_values(server: Server) -> None:
    """Every sale that was committed is there, with what its first statement read."""
    sql = workload(
        variables=ID,
        transactions={
            "sale": {"weight": 3, "variables": {"number": {"sequence": 1}}, "statements": SALE},
            "read": "SELECT name FROM item WHERE id = :id AND name <> ':id' -- :id",
        },
    )
    trial = run_trial(server, sql, transactions=2000, duration_s=60.0)
    assert trial.end["status"] == "completed"
    sales, reads = trial.kinds["sale"], trial.kinds["read"]
    committed = sales["committed"]
    assert committed > 20
    assert sales["failed"] == reads["failed"] == sales["rolled_back"] == 0
    total = sales["scheduled"] + reads["scheduled"]
    deviation = (total * 0.75 * 0.25) ** 0.5
    assert abs(sales["scheduled"] - total * 0.75) <= 4 * deviation
    assert number(server, "SELECT COUNT(*) FROM sale") == committed
    assert number(server, "SELECT -SUM(stock) FROM item") == committed
    wrong = "SELECT COUNT(*) FROM sale JOIN item ON item.id = item WHERE note <> name"
    assert number(server, wrong) == 0
    assert trial.affected("INSERT INTO sale") == committed
    # Two clients took turns with the numbers, and each was given once.
    assert number(server, "SELECT COUNT(DISTINCT id % 2) FROM sale") == 2


def test_a_rollback_on_purpose_leaves_nothing(server: Server) -> None:
    statements = [*SALE[:-1], "ROLLBACK"]
    transaction = {"variables": {"number": {"sequence": 1}}, "statements": statements}
    undoing = workload(variables=ID, transactions={"undo": transaction})
    trial = run_trial(server, undoing, **ENOUGH)
    undo = trial.kinds["undo"]
    assert undo["rolled_back"] > 20
    assert undo["committed"] == undo["failed"] == 0
    assert trial.executions("rollback") >= undo["rolled_back"]
    assert number(server, "SELECT COUNT(*) FROM sale") == 0


def test_expected_errors_are_counted_and_are_no_failure(server: Server) -> None:
    again = ["BEGIN", "INSERT INTO sale VALUES (1, 1, 1, 'x')", "COMMIT"]
    sql = workload(transactions={"again": again}, expected_errors=["duplicate_key"])
    trial = run_trial(server, sql, **ENOUGH)
    assert trial.end["status"] == "completed"
    kind = trial.kinds["again"]
    assert (kind["committed"], kind["failed"]) == (1, 0)
    assert trial.errors["duplicate_key"] == kind["rolled_back"] > 5
    unexpected = run_trial(server, workload(transactions={"again": again}))
    assert unexpected.end["status"] == "failed"
    assert unexpected.kinds["again"]["rolled_back"] == 0


@pytest.mark.parametrize(
    ("no_row", "status", "counter"),
    [
        ("fail", "failed", "failed"),
        ("nulls", "completed", "committed"),
        ("rollback", "completed", "rolled_back"),
    ],
)
def test_a_row_that_is_not_there(server: Server, no_row: str, status: str, counter: str) -> None:
    select = {"sql": "SELECT name FROM item WHERE id = -1", "into": "name", "no_row": no_row}
    write = "UPDATE item SET stock = 5 WHERE name = :name"
    looking = workload(transactions={"t": ["BEGIN", select, write, "COMMIT"]})
    trial = run_trial(server, looking, **ENOUGH)
    assert trial.end["status"] == status
    kind = trial.kinds["t"]
    assert kind[counter] == kind["scheduled"] > 5
    if no_row == "fail":
        assert "a row is needed and there is none: SELECT name FROM item" in trial.end["reason"]
    assert trial.executions("update") == (kind["committed"] if no_row == "nulls" else 0)


CONFLICT = [
    "BEGIN",
    "UPDATE item SET stock = stock + 1 WHERE id = :first",
    "UPDATE item SET stock = stock + 1 WHERE id = :second",
    "INSERT INTO sale VALUES (:number, :first, :second, 'x')",
    "COMMIT",
]


def test_a_retry_has_the_same_input(mariadb: Server) -> None:
    """Two rows locked in both orders: each deadlock is retried, and no number is lost by that."""
    variables = {"first": [1, 2], "second": [1, 2], "number": {"sequence": 1}}
    transactions = {"conflict": {"variables": variables, "statements": CONFLICT}}
    sql = workload(transactions=transactions)
    load(mariadb, sql)
    trial = run_trial(mariadb, sql, clients=8, duration_s=0.8)
    kind = trial.kinds["conflict"]
    assert kind["retries"] > 0
    assert kind["failed"] == 0
    assert number(mariadb, "SELECT COUNT(*) FROM sale") == kind["committed"]
    # A client's numbers are 8 apart; one that was drawn anew for a retry would leave a gap.
    gaps = (
        "SELECT COUNT(*) FROM (SELECT id, LAG(id) OVER (PARTITION BY id % 8 ORDER BY id) "
        "AS before_it FROM sale) AS numbered WHERE id - before_it <> 8"
    )
    assert number(mariadb, gaps) == 0
    drop(mariadb, sql)


@pytest.mark.parametrize("protocol", ["prepared", "text", "multi"])
def test_mariadb_counted_the_same_statements(mariadb: Server, protocol: str) -> None:
    sql = workload(
        variables=ID,
        transactions={
            "sale": {"variables": {"number": {"sequence": 1}}, "statements": SALE},
            "undo": ["BEGIN", "DELETE FROM item WHERE id = :id", "ROLLBACK"],
            "point": ["SAVEPOINT a", "SELECT name FROM item WHERE id = :id"],
        },
    )
    load(mariadb, sql)
    verbs = ("select", "insert", "update", "delete", "begin", "commit", "rollback")

    def counts() -> dict[str, int]:
        rows = query(mariadb, "SHOW GLOBAL STATUS LIKE 'Com\\_%'")
        status = {str(name).lower(): int(value or 0) for name, value in rows}
        return {verb: status[f"com_{verb}"] for verb in (*verbs, "savepoint")}

    before = counts()
    trial = run_trial(mariadb, sql, protocol=protocol, **ENOUGH)
    after = counts()
    server_counts = {verb: after[verb] - before[verb] for verb in before}
    tried = TRIED_BEFORE_MULTI if protocol == "multi" else {}
    assert {verb: trial.executions(verb) + tried.get(verb, 0) for verb in verbs} | {
        "savepoint": trial.executions("other")
    } == server_counts
    assert all(server_counts.values())
    drop(mariadb, sql)


@pytest.mark.parametrize("protocol", ["prepared", "multi"])
def test_postgresql_counted_the_same_transactions(postgres: Server, protocol: str) -> None:
    sql = workload(
        variables=ID,
        transactions={
            "sale": {"variables": {"number": {"sequence": 1}}, "statements": SALE},
            "undo": ["BEGIN", "DELETE FROM item WHERE id = :id", "ROLLBACK"],
            "cast": "SELECT name FROM item WHERE id = :id::int AND '12:30:00'::time > '00:00'",
        },
    )
    load(postgres, sql)
    rows = "SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables WHERE relname = '{}'"

    def counts() -> list[int]:
        wait_until_alone(postgres)
        return [
            int(value or 0)
            for table in ("item", "sale")
            for value in query(postgres, "SELECT pg_stat_force_next_flush()", rows.format(table))[0]
        ]

    before = counts()
    trial = run_trial(postgres, sql, protocol=protocol, **ENOUGH)
    changed = [after - earlier for earlier, after in zip(before, counts(), strict=True)]
    sales, undone = trial.kinds["sale"]["committed"], trial.kinds["undo"]["rolled_back"]
    assert min(sales, undone, trial.kinds["cast"]["committed"]) > 5
    assert changed == [0, sales, undone, sales, 0, 0]
    assert trial.affected("DELETE") == undone
    drop(postgres, sql)
