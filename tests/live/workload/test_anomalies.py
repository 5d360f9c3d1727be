"""Transfers at each isolation level: what may go wrong does, what may not does not.

A *lost update*: two transfers read the same balance, and the second to write undoes the first; then
the sum of all balances is another than before. A *dirty read*: an audit sees a transfer between its
two updates, and so another sum, although none is ever lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.experiment.workload.sql import Sql
from dbdyno.target.base import Server
from dbdyno.target.url.server import ExternalServer
from tests.live.engine.fixed_server import MyRocks
from tests.live.target.queries import query
from tests.live.workload.trials import drop, load, run_trial

pytestmark = pytest.mark.live

ACCOUNTS = 6
TOTAL = 1000 * ACCOUNTS
CLIENTS = 8
DURATION_S = 0.5
TRIES = 20
"""How often at most a trial is repeated to see what a level allows, but does not have to happen."""

SETUP = [
    "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)",
    {"fill": "account", "rows": ACCOUNTS, "columns": {"id": {"sequence": 1}, "balance": 1000}},
]
VARIABLES = {
    "sender": [1, ACCOUNTS // 2],
    "receiver": [ACCOUNTS // 2 + 1, ACCOUNTS],
    "amount": [1, 9],
}

COMPUTED_BY_THE_CLIENT = [
    "BEGIN",
    {"sql": "SELECT balance FROM account WHERE id = :sender", "into": "sent"},
    {"sql": "SELECT balance FROM account WHERE id = :receiver", "into": "received"},
    "UPDATE account SET balance = 0 + :sent - :amount WHERE id = :sender",
    "UPDATE account SET balance = 0 + :received + :amount WHERE id = :receiver",
    "COMMIT",
]
COMPUTED_BY_THE_SERVER = [
    "BEGIN",
    "UPDATE account SET balance = balance - :amount WHERE id = :sender",
    "UPDATE account SET balance = balance + :amount WHERE id = :receiver",
    "COMMIT",
]
SUM = "SELECT total FROM (SELECT SUM(balance) AS total FROM account) AS sums"
# It fails where it finds no row, and it finds none where the sum is another.
AUDIT = [{"sql": f"{SUM} WHERE total = {TOTAL}", "into": "total"}]

LEVELS = ("read_uncommitted", "read_committed", "repeatable_read", "serializable")
LOST_UPDATES = {
    "mysql": {"read_uncommitted", "read_committed", "repeatable_read"},
    "postgresql": {"read_uncommitted", "read_committed"},
    "sqlite": set[str](),
    # It compares with the snapshot, and has no more than these two levels.
    "myrocks": {"read_committed"},
}
DIRTY_READS = {
    "mysql": {"read_uncommitted"},
    "postgresql": set[str](),
    "sqlite": set[str](),
    "myrocks": set[str](),
}
WRONG_AUDITS = {"mysql": 1}
"""So many in a trial are the server's own fault.

On a busy machine MariaDB 10.11 tells a wrong sum where it must not, with any client: 5 times in
1,580,000 sums at READ COMMITTED that the ``mariadb`` command asked for, beside seven others that
made transfers. Where a level allows dirty reads, a trial sees more than a thousand.
"""
CASES = [
    *(("mysql", level) for level in LEVELS),
    *(("postgresql", level) for level in LEVELS),
    ("sqlite", "serializable"),
    ("myrocks", "read_committed"),
    ("myrocks", "repeatable_read"),
]
"""The levels that each server has."""

each_level = pytest.mark.parametrize(("server", "level"), CASES, indirect=["server"])


def transfers(statements: list[Any], **others: Any) -> Sql:
    transactions = {"transfer": {"variables": VARIABLES, "statements": statements}}
    return Sql.model_validate({"setup": SETUP, "transactions": transactions | others})


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Return a server of each kind in turn."""
    if request.param == "myrocks":
        plugins: Path = request.getfixturevalue("rocksdb_plugins")
        with MyRocks(plugins) as rocks:
            yield ExternalServer("myrocks", rocks.url())
        return
    name = {"mysql": "mariadb", "postgresql": "postgres"}.get(request.param, "sqlite_server")
    found: Server = request.getfixturevalue(name)
    yield found


def sum_after(server: Server, level: str, workload: Sql) -> tuple[int, int]:
    """Return the sum of all balances after a trial, and how many transactions failed."""
    assert load(server, workload)[-1]["event"] == "dataset"
    try:
        trial = run_trial(
            server,
            workload,
            clients=CLIENTS,
            duration_s=DURATION_S,
            error_budget=1.0,
            isolation=level,
        )
        ((total,),) = query(server, SUM)
        assert trial.kinds["transfer"]["committed"] > 0
        assert trial.kinds["transfer"]["failed"] == 0, trial.errors
        return int(total or 0), sum(kind["failed"] for kind in trial.kinds.values())
    finally:
        assert drop(server, workload)[-1]["event"] == "dataset"


def assert_seen_where_allowed(anomaly: Callable[[], bool], is_allowed: bool) -> None:
    """Expect it in one of some trials where it is allowed, and not in one where it is not."""
    if is_allowed:
        assert any(anomaly() for _ in range(TRIES))
    else:
        assert not anomaly()


@each_level
def test_updates_are_lost_where_the_level_allows_it(server: Server, level: str) -> None:
    def lost() -> bool:
        total, _ = sum_after(server, level, transfers(COMPUTED_BY_THE_CLIENT))
        return total != TOTAL

    assert_seen_where_allowed(lost, level in LOST_UPDATES[server.name])


@each_level
def test_reads_are_dirty_where_the_level_allows_it(server: Server, level: str) -> None:
    audited = transfers(COMPUTED_BY_THE_SERVER, audit=AUDIT)

    def dirty() -> bool:
        total, wrong_audits = sum_after(server, level, audited)
        assert total == TOTAL
        return wrong_audits > WRONG_AUDITS.get(server.name, 0)

    assert_seen_where_allowed(dirty, level in DIRTY_READS[server.name])
