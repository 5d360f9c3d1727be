"""Every workload on servers that acknowledge what they do not store, and on honest ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest

from dbdyno.database.address import Address
from dbdyno.protocol.events import End, TrialEvent
from dbdyno.protocol.intervals import Interval
from dbdyno.protocol.trial_plan import LimitsPlan, SessionPlan, TrialPlan
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.run.trial import TrialLoad
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql
from tests.live.engine.test_hosts import carry_out
from tests.live.faults.liar import LyingProxy
from tests.live.faults.servers import WORKLOAD, crash_and_start

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("settles_soon")]

SCRIPTS = {
    script: {"sysbench": {"script": script, "tables": 1, "table_size": 1000}}
    for script in (
        *("oltp_read_write", "oltp_write_only", "oltp_update_index", "oltp_update_non_index"),
        *("oltp_insert", "oltp_delete"),
    )
}

OWN_SQL: dict[str, Any] = {
    "sql": {
        "transactions": {
            "order": {
                "statements": [
                    {"sql": "BEGIN"},
                    {"sql": "INSERT INTO bill (amount) VALUES (:amount), (:amount)"},
                    {"sql": "UPDATE purse SET money = money - :amount WHERE id = 1"},
                    {"sql": "COMMIT"},
                ]
            },
            "log": {"statements": [{"sql": "DELETE FROM note WHERE id = :id"}]},
        },
        "variables": {"amount": {"int": [1, 100]}, "id": {"int": [1, 100000]}},
    }
}

PGBENCH: dict[str, Any] = {
    "pgbench": {
        "scripts": [{"builtin": "tpcb-like", "weight": 1}],
        "scale": 1,
        "foreign_keys": False,
        "variables": {},
    }
}

FORMS: dict[str, dict[str, Any]] = {
    "text": {"protocol": "text"},
    "multi": {"protocol": "multi"},
    "autocommit off": {"session": SessionPlan(autocommit=False)},
}
"""How else statements travel, and transactions end."""

BULK: dict[str, Any] = {"sysbench": {"script": "bulk_insert", "tables": 2}}

WORKLOADS = SCRIPTS | {"own SQL": OWN_SQL, "pgbench": PGBENCH}


WRITES_BEFORE_A_CRASH = 20
"""A busy machine may get none done in the first interval, and then there is nothing to check."""


def plan_of(server: FixedServer) -> dict[str, Any]:
    """Return how a dataset is loaded."""
    return {"url": server.url(), "action": "load", "connections": 2, "connect_s": 30.0}


def load(server: FixedServer, workload: dict[str, Any]) -> None:
    """Load a workload's tables."""
    assert carry_out(plan_of(server) | {"workload": workload})[-1]["event"] == "dataset"


@pytest.fixture(scope="module", params=[MariaDb, PostgreSql], ids=["mariadb", "postgresql"])
def durable(request: pytest.FixtureRequest) -> Iterator[FixedServer]:
    """Return a server that keeps commits over its own crash, with all tables."""
    options = ("--innodb-flush-log-at-trx-commit=1",) if request.param is MariaDb else ()
    with request.param(*options) as server:
        load(server, WORKLOAD)
        load(server, PGBENCH)
        key = "BIGINT AUTO_INCREMENT" if request.param is MariaDb else "BIGSERIAL"
        server.query(f"CREATE TABLE bill (id {key} PRIMARY KEY, amount INTEGER)")
        server.query("CREATE TABLE purse (id INTEGER PRIMARY KEY, money INTEGER)")
        server.query("INSERT INTO purse VALUES (1, 0)")
        server.query("CREATE TABLE note (id INTEGER PRIMARY KEY)")
        server.query("INSERT INTO note SELECT aid FROM pgbench_accounts")
        yield server


def ledger_of(
    url: str, workload: dict[str, Any], once: threading.Thread | None = None, **changes: Any
) -> dict[str, Any]:
    """Run a trial, and return how the acknowledged stands to the stored.

    ``once`` begins when something was acknowledged, and is over before the stored is read.
    """
    committed = 0

    plan = TrialPlan(
        workload=cast("WorkloadPlan", workload),
        clients=4,
        workers=1,
        warmup_s=0.0,
        duration_s=0.5,
        interval_s=0.1,
        seed=7,
        error_budget=1.0,
        limits=LimitsPlan(connect_s=20.0, statement_s=20.0, drain_s=10.0),
    )

    def listen(event: TrialEvent) -> None:
        nonlocal committed
        if isinstance(event, Interval) and once is not None and once.ident is None:
            committed += sum(sample.committed for sample in event.transactions.values())
            if committed >= WRITES_BEFORE_A_CRASH:
                once.start()
        if isinstance(event, End) and once is not None:
            once.join()

    load = TrialLoad(replace(plan, **changes), Address(url, None))
    load.make(listen)
    return load.close_books().to_dict()


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_is_acknowledged_and_not_kept_is_found(durable: FixedServer, name: str) -> None:
    with LyingProxy(durable) as proxy:
        found = ledger_of(proxy.url, WORKLOADS[name])
        assert proxy.lies > 0
    assert found["standing"] == "less", found
    assert found["is_alone"]
    assert found["sentence"].startswith("the server acknowledged more than it has stored: ")


@pytest.mark.parametrize("name", WORKLOADS)
def test_an_honest_server_is_not_accused(durable: FixedServer, name: str) -> None:
    found = ledger_of(durable.url(), WORKLOADS[name])
    assert found["standing"] == "holds", found
    for entry in found["amounts"]:
        assert entry["after"] - entry["before"] == entry["acknowledged"], entry
    assert found["rows"] is None or found["rows"]["checked"] > 0
    assert any(entry["acknowledged"] for entry in found["amounts"]) or found["rows"]


def test_every_second_commit_is_missed(durable: FixedServer) -> None:
    # The tests before may have deleted all rows.
    carry_out(plan_of(durable) | {"action": "drop", "workload": WORKLOAD})
    load(durable, WORKLOAD)
    with LyingProxy(durable, keeps_every=2) as proxy:
        found = ledger_of(proxy.url, WORKLOADS["oltp_update_non_index"])
    assert found["standing"] == "less", found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["oltp_write_only", "oltp_update_index", "own SQL", "pgbench"])
def test_a_lie_is_found_in_every_form(durable: FixedServer, name: str, form: str) -> None:
    found = ledger_of(durable.url(), WORKLOADS[name], **FORMS[form])
    assert found["standing"] == "holds", found
    with LyingProxy(durable) as proxy:
        found = ledger_of(proxy.url, WORKLOADS[name], **FORMS[form])
        assert proxy.lies > 0
    assert found["standing"] == "less", found


@pytest.fixture
def bulk(durable: FixedServer) -> Iterator[FixedServer]:
    """Return the server with the tables of bulk_insert in place of the others."""
    carry_out(plan_of(durable) | {"action": "drop", "workload": WORKLOAD})
    load(durable, BULK)
    yield durable
    carry_out(plan_of(durable) | {"action": "drop", "workload": BULK})
    load(durable, WORKLOAD)


def test_rows_that_come_in_bulk_are_missed(bulk: FixedServer) -> None:
    # First the lie, which leaves no rows: each run begins with the same ids.
    with LyingProxy(bulk) as proxy:
        found = ledger_of(proxy.url, BULK)
    assert found["standing"] == "less", found
    found = ledger_of(bulk.url(), BULK)
    assert found["standing"] == "holds", found
    (rows,) = found["amounts"]
    assert rows["after"] - rows["before"] == rows["acknowledged"] > 0


def test_statements_on_one_table_are_missed(durable: FixedServer) -> None:
    with LyingProxy(durable, statements="pgbench_tellers") as proxy:
        found = ledger_of(proxy.url, PGBENCH)
        assert proxy.lies > 0
    assert found["standing"] == "less", found
    wrong = {entry["name"] for entry in found["amounts"] if entry["standing"] != "holds"}
    assert wrong == {"sum:pgbench_tellers.tbalance"}


@pytest.mark.parametrize("name", ["oltp_write_only", "oltp_update_index", "own SQL"])
def test_somebody_beside_us_is_not_taken_for_a_loss(durable: FixedServer, name: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        runs = [
            threads.submit(ledger_of, durable.url(), WORKLOADS[name], seed=seed) for seed in (1, 2)
        ]
    for run in runs:
        assert run.result()["standing"] in ("holds", "more"), run.result()


@pytest.mark.parametrize("name", ["oltp_write_only", "oltp_insert", "pgbench"])
def test_a_crash_of_an_honest_server_is_no_lie(durable: FixedServer, name: str) -> None:
    crash = threading.Thread(target=crash_and_start, args=(durable,))
    found = ledger_of(durable.url(), WORKLOADS[name], crash, duration_s=4.0)
    assert found["standing"] == "holds", found


def test_a_workload_that_only_reads_says_so(durable: FixedServer) -> None:
    reads = {"sysbench": {"script": "oltp_read_only", "tables": 1, "table_size": 1000}}
    found = ledger_of(durable.url(), reads)
    assert found["standing"] == "nothing written"
    assert found["sentence"] == "nothing to check: the workload only reads"


def test_what_cannot_be_counted_is_said(durable: FixedServer) -> None:
    statements = [{"sql": "UPDATE purse SET money = :amount * 2 WHERE id = 1"}]
    workload = {
        "sql": {
            "transactions": {"set": {"statements": statements}},
            "variables": {"amount": {"int": [1, 100]}},
        }
    }
    found = ledger_of(durable.url(), workload)
    assert found["standing"] == "not checked"
    assert found["sentence"] == "not checked: values that UPDATE gives to purse: money"
