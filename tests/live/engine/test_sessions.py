"""What connections are set to, and how transactions are sent, on real servers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_jsonable_python

from dbdyno._native import Run
from dbdyno.experiment.file.procedure import Retry
from dbdyno.experiment.workload.registry import plan_of, retried_errors
from dbdyno.experiment.workload.sysbench import Sysbench
from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer, MariaDb, MyRocks, PostgreSql
from tests.live.engine.test_hosts import load, trial
from tests.live.target.queries import TRIED_BEFORE_MULTI

pytestmark = pytest.mark.live

STATEMENTS = 20
TRIES = 20
"""How often at most something is tried that a busy machine may keep from happening."""
DURATIONS_S = (0.2, 2.0, 20.0)
"""The next is tried where a busy machine got too little done in the one before."""
READ_WRITE = {"sysbench": {"script": "oltp_read_write", "table_size": 1000}}
LEVELS = ("read_committed", "repeatable_read", "serializable")


@pytest.fixture(scope="module", params=[MariaDb, PostgreSql])
def server(request: pytest.FixtureRequest) -> Iterator[FixedServer]:
    """Return a server with the table of the trials."""
    with request.param() as server:
        load(server)
        yield server


mariadb_alone = pytest.mark.parametrize("server", [MariaDb], indirect=True)


def run(server: FixedServer, **changes: Any) -> list[dict[str, Any]]:
    """Run a trial of oltp_read_write by one client, unless told otherwise."""
    defaults = {"clients": 1, "workers": 1, "duration_s": 0.2, "workload": READ_WRITE}
    return trial(server.url(), **(defaults | changes))


def connected(events: list[dict[str, Any]]) -> dict[str, Any]:
    session: dict[str, Any] = events[0]["session"]
    return session


def statements(events: list[dict[str, Any]]) -> dict[str, int]:
    """Return how often each verb was sent."""
    counts: dict[str, int] = {}
    for statement in events[-1]["statements"]:
        counts[statement["verb"]] = counts.get(statement["verb"], 0) + statement["executions"]
    return counts


def per_transaction(events: list[dict[str, Any]], name: str) -> float:
    whole: int = sum(event[name] for event in intervals(events))
    return whole / total(events, "committed")


@pytest.mark.parametrize("level", LEVELS)
def test_the_isolation_that_is_asked_for_is_what_runs(server: FixedServer, level: str) -> None:
    events = run(server, session={"isolation": level})
    assert connected(events) == {"isolation": level, "autocommit": True}
    assert total(events, "committed") > 0


def test_the_default_is_read_back_too(server: FixedServer) -> None:
    default = "repeatable_read" if isinstance(server, MariaDb) else "read_committed"
    assert connected(run(server)) == {"isolation": default, "autocommit": True}


def test_read_uncommitted_is_recorded_as_it_runs(server: FixedServer) -> None:
    runs = "read_uncommitted" if isinstance(server, MariaDb) else "read_committed"
    events = run(server, session={"isolation": "read_uncommitted"})
    assert connected(events)["isolation"] == runs


@pytest.mark.parametrize("level", LEVELS)
def test_transactions_really_run_at_that_level(server: FixedServer, level: str) -> None:
    # Two transactions that read the same row and then write it: only one may, where it matters.
    few_rows = {"sysbench": {"script": "oltp_read_write", "table_size": 100}}
    is_refused = isinstance(server, PostgreSql) and level != "read_committed"
    for duration_s in DURATIONS_S if is_refused else DURATIONS_S[:1]:
        events = run(
            server,
            clients=8,
            workload=few_rows,
            session={"isolation": level},
            error_budget=1.0,
            duration_s=duration_s,
        )
        classes = {error["class"] for event in intervals(events) for error in event["errors"]}
        if "serialization_failure" in classes:
            break
    assert ("serialization_failure" in classes) == is_refused


@pytest.mark.parametrize("protocol", ["prepared", "text", "multi"])
def test_without_autocommit_no_begin_makes_a_round_trip(server: FixedServer, protocol: str) -> None:
    events = run(server, protocol=protocol, session={"autocommit": False})
    assert connected(events)["autocommit"] is False
    committed = total(events, "committed")
    counts = statements(events)
    assert counts["commit"] == committed > 0
    assert counts["select"] == 14 * committed
    # PostgreSQL has no other way to open a transaction than to be told so.
    begins = 0 if isinstance(server, MariaDb) else committed
    assert counts.get("begin", 0) == begins
    round_trips = 1 if protocol == "multi" else STATEMENTS - 1
    assert per_transaction(events, "round_trips") == round_trips


def test_what_a_workload_leaves_open_is_committed(server: FixedServer) -> None:
    update = {"sysbench": {"script": "oltp_update_non_index", "table_size": 1000}}
    events = run(server, clients=4, workload=update, session={"autocommit": False})
    committed = total(events, "committed")
    assert statements(events)["commit"] == committed > 0
    assert total(events, "failed") == 0


@pytest.mark.parametrize("protocol", ["prepared", "text"])
def test_one_statement_is_one_round_trip(server: FixedServer, protocol: str) -> None:
    events = run(server, protocol=protocol)
    assert per_transaction(events, "round_trips") == STATEMENTS


def test_multi_is_one_round_trip_with_the_same_statements_and_rows(server: FixedServer) -> None:
    together = run(server, protocol="multi")
    assert per_transaction(together, "round_trips") == 1
    committed = total(together, "committed")
    counts = statements(together)
    wanted = {"select": 14, "update": 2, "delete": 1, "insert": 1, "begin": 1, "commit": 1}
    assert counts == {verb: count * committed for verb, count in wanted.items()}
    rows = sum(statement["rows"] for statement in together[-1]["statements"])
    alone = run(server, protocol="text")
    rows_alone = sum(statement["rows"] for statement in alone[-1]["statements"])
    per_alone = rows_alone / total(alone, "committed")
    # A range near the end of the table has fewer rows.
    assert rows / committed == pytest.approx(per_alone, rel=0.1)


@mariadb_alone
def test_the_server_counts_what_multi_reports(server: FixedServer) -> None:
    """PostgreSQL does not count statements by their verbs."""
    verbs = ("select", "update", "delete", "insert", "begin", "commit", "rollback")

    def counted() -> dict[str, int]:
        status = server.query(r"SHOW GLOBAL STATUS LIKE 'Com\_%'")
        values = {str(name): int(value or 0) for name, value in status}
        return {verb: values[f"Com_{verb}"] for verb in verbs}

    before = counted()
    # Few rows, many clients: deadlocks end some batches in the middle.
    few = {"sysbench": {"script": "oltp_read_write", "table_size": 1000}}
    events = run(server, clients=16, protocol="multi", workload=few, duration_s=1.0)
    after = counted()
    sent = {
        verb: statements(events).get(verb, 0) + TRIED_BEFORE_MULTI.get(verb, 0) for verb in verbs
    }
    assert {verb: after[verb] - before[verb] for verb in verbs} == sent


def test_an_error_in_the_middle_of_a_batch_leaves_nothing_behind(server: FixedServer) -> None:
    before = server.query("SELECT COUNT(*), SUM(k) FROM sbtest1")
    server.query("ALTER TABLE sbtest1 RENAME COLUMN pad TO pad_gone")
    try:
        plan: dict[str, Any] = {"protocol": "multi", "error_budget": 1.0, "duration_s": 0.3}
        events = run(server, **plan)
    finally:
        server.query("ALTER TABLE sbtest1 RENAME COLUMN pad_gone TO pad")
    if events[-1]["event"] == "error":
        # PostgreSQL refuses the statement when it is prepared.
        assert "pad" in events[-1]["message"]
        return
    assert total(events, "committed") == 0
    assert total(events, "failed") > 0
    assert statements(events)["rollback"] == total(events, "failed")
    assert "commit" not in statements(events)
    # The index update and the delete stood before the insert that failed.
    assert server.query("SELECT COUNT(*), SUM(k) FROM sbtest1") == before


@pytest.mark.parametrize("after", [1, 7])
def test_connections_are_made_anew_after_so_many_transactions(
    server: FixedServer, after: int
) -> None:
    for duration_s in DURATIONS_S:
        # Two clients that delete and insert the same row would meet a duplicate key.
        workload = {"sysbench": READ_WRITE["sysbench"] | {"delete_inserts": 0}}
        session = {"reconnect": after}
        events = run(server, clients=2, workload=workload, session=session, duration_s=duration_s)
        if sum(event["renewals"] for event in intervals(events)) > 2:
            break
    begun = total(events, "scheduled")
    renewals = sum(event["renewals"] for event in intervals(events))
    assert abs(renewals - begun / after) <= 2
    assert sum(event["reconnects"] for event in intervals(events)) == renewals
    assert sum(event["renewal_s"] for event in intervals(events)) > 0
    # A client between two connections is not a client that was lost.
    assert {event["live_clients"] for event in intervals(events)[:-1]} == {2}
    assert total(events, "failed") == 0
    counts = statements(events)
    assert counts["begin"] == counts["commit"] == total(events, "committed")


@pytest.mark.parametrize("engine", ["MyISAM", "Aria"])
@mariadb_alone
def test_an_engine_without_transactions_has_no_isolation(server: FixedServer, engine: str) -> None:
    server.query(f"CREATE TABLE odd (i INT) ENGINE={engine}")
    try:
        events = run(server, session={"isolation": "read_committed"})
    finally:
        server.query("DROP TABLE odd")
    assert f"ENGINE={engine}, which has no transactions" in events[-1]["message"]


def test_myrocks_has_no_serializable(rocksdb_plugins: Path) -> None:
    with MyRocks(rocksdb_plugins) as server:
        load(server)
        server.query("ALTER TABLE sbtest1 ENGINE=ROCKSDB")
        refused = run(server, session={"isolation": "serializable"})
        taken = run(server, session={"isolation": "repeatable_read"})
    message = refused[-1]["message"]
    assert "ENGINE=ROCKSDB, which has only read_committed and repeatable_read" in message
    assert connected(taken)["isolation"] == "repeatable_read"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"session": {"autocommit": False}}, "leave autocommit on"),
        ({"session": {"isolation": "read_committed"}}, "SQLite's transactions are serializable"),
        ({"protocol": "multi"}, "SQLite has none: use prepared"),
    ],
)
def test_what_sqlite_cannot_do_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    plan = {"version": 1, "url": f"sqlite:///{tmp_path}/db", "workload": READ_WRITE, "seed": 1}
    plan |= {"clients": 1, "workers": 1, "arrivals": {"closed": {}}, "warmup_s": 0.0}
    plan |= {"duration_s": 0.1, "interval_s": 0.1, "error_budget": 0.0}
    plan |= {"retry": {"max_retries": 1, "backoff_min_ms": 1.0, "backoff_max_ms": 1.0}}
    plan |= {"limits": {"connect_s": 1.0, "statement_s": 1.0, "drain_s": 1.0}}
    with pytest.raises(ValueError, match=message):
        Run.start(json.dumps(plan | changes))


def test_clients_that_replace_the_same_row_try_again(server: FixedServer) -> None:
    # On PostgreSQL the second of two finds nothing to delete, and its INSERT a duplicate key.
    few_rows = Sysbench(script="oltp_write_only", table_size=20)
    retry = Retry(max_retries=100).plan(retried_errors(few_rows))
    for duration_s in DURATIONS_S:
        events = run(
            server,
            clients=8,
            duration_s=duration_s,
            workload=plan_of(few_rows),
            retry=to_jsonable_python(retry),
        )
        if total(events, "retries"):
            break
    assert total(events, "retries") > 0
    assert total(events, "failed") == 0


@pytest.mark.parametrize("wait", ["sleep", "200us", "nap", "spin"])
def test_all_ways_of_waiting_find_the_same_answers(server: FixedServer, wait: str) -> None:
    # Two clients that delete and insert the same row would meet a duplicate key.
    options = READ_WRITE["sysbench"] | {"delete_inserts": 0}
    events = run(server, clients=8, workload={"sysbench": options}, wait=wait)
    assert events[-1]["status"] == "completed"
    assert total(events, "committed") > 0
    switches = sum(event["generator"]["voluntary_switches"] for event in intervals(events))
    round_trips = sum(event["round_trips"] for event in intervals(events))
    if wait == "spin":
        assert switches < 0.02 * round_trips


MANY = {
    "clients": 64,
    "duration_s": 0.5,
    "workload": {"sysbench": {"script": "oltp_point_select", "table_size": 1000}},
}
"""So many that their answers queue in the server."""

URGENT = -15
"""A priority; the smaller, the sooner."""


@contextmanager
def before_others(server: FixedServer) -> Iterator[None]:
    """Have the server and the generator come before other programs, where this user may say so.

    Naps pay from 4,000 answers a second on, and a server that shares its CPUs with other tests may
    be slower than that.
    """
    assert server.process is not None
    everybody = [os.getpid(), server.process.pid]
    # Threads and processes that one of these makes are as urgent as it is.
    usual = [os.getpriority(os.PRIO_PROCESS, process) for process in everybody]
    with suppress(PermissionError):
        for process in everybody:
            os.setpriority(os.PRIO_PROCESS, process, URGENT)
    try:
        yield
    finally:
        for process, priority in zip(everybody, usual, strict=True):
            os.setpriority(os.PRIO_PROCESS, process, priority)


def naps(events: list[dict[str, Any]]) -> int:
    return sum(event["generator"]["naps"] for event in intervals(events))


def test_naps_are_taken_where_answers_queue_and_told(server: FixedServer) -> None:
    with before_others(server):
        for _ in range(TRIES):
            events = run(server, **MANY)
            if naps(events):
                break
    assert naps(events) > 0
    napped_s = sum(event["generator"]["napped_s"] for event in intervals(events))
    assert 15e-6 < napped_s / naps(events) <= 250e-6


def test_no_naps_are_taken_where_they_are_forbidden_or_times_would_be_wrong(
    server: FixedServer,
) -> None:
    assert naps(run(server, **MANY, wait="sleep")) == 0
    assert naps(run(server, **MANY, kernel_timestamps=False)) == 0
    assert naps(run(server)) == 0
