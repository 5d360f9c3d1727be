"""The engine on a real MariaDB: counts, seeds, stalls, many clients."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from dbdyno._native import Histogram
from tests.live.engine.conftest import Bench, intervals, merged, total
from tests.live.faults.trials import Trial

pytestmark = pytest.mark.live

SCRIPTS = (
    "oltp_read_write",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_update_index",
    "oltp_update_non_index",
)

VERBS = ("select", "insert", "update", "delete", "begin", "commit", "rollback")


def _sysbench(**options: Any) -> dict[str, Any]:
    return {"sysbench": {"script": "oltp_read_write", "table_size": 1000} | options}


@pytest.mark.parametrize("protocol", ["prepared", "text"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_server_counts_the_statements_that_the_generator_reports(
    bench: Bench, script: str, protocol: str
) -> None:
    before = bench.counters(r"Com\_%")
    events = bench.trial(
        workload=_sysbench(script=script),
        protocol=protocol,
        clients=8,
        warmup_s=0.1,
        duration_s=0.2,
        interval_s=0.1,
    )
    after = bench.counters(r"Com\_%")
    # Asking for the counters does not count as any of these verbs.
    counted = {verb: after[f"Com_{verb}"] - before[f"Com_{verb}"] for verb in VERBS}
    reported = dict.fromkeys(VERBS, 0)
    for statement in events[-1]["statements"]:
        reported[statement["verb"]] += statement["executions"]
    assert counted == reported
    assert sum(reported.values()) > 0


def test_statements_by_what_they_did_are_sysbenchs_fourteen_four_and_two(bench: Bench) -> None:
    # A seed of its own: the same values written once more would change no row.
    events = bench.trial(clients=1, seed=4_711)
    ended = total(events, "committed")
    statements = [event["statements"] for event in intervals(events)]
    sums = {kind: sum(each[kind] for each in statements) for kind in ("read", "write", "other")}
    assert ended > 0
    assert sums == {"read": 14 * ended, "write": 4 * ended, "other": 2 * ended}


def test_the_same_seed_loads_the_same_rows_whatever_the_number_of_connections(bench: Bench) -> None:
    checksums = []
    workload = _sysbench(tables=2, table_size=25_000)
    tables = "sbtest1, sbtest2"
    bench.dataset("drop")
    try:
        for connections, seed in ((1, 5), (4, 5), (4, 6)):
            bench.dataset("load", workload=workload, connections=connections, seed=seed)
            checksums.append(bench.query(f"CHECKSUM TABLE {tables}"))
            bench.dataset("drop", workload=workload)
    finally:
        bench.dataset("load")
    assert checksums[0] == checksums[1]
    assert checksums[0] != checksums[2]


@pytest.mark.parametrize("bulk", ["native", "insert"])
def test_both_ways_of_loading_give_the_same_rows(bench: Bench, bulk: str) -> None:
    expected = bench.query("SELECT SUM(CRC32(CONCAT(id, k, c, pad))) FROM sbtest1")
    bench.dataset("drop")
    events = bench.dataset("load", bulk=bulk)
    loaded = next(event for event in events if event["event"] == "loaded")
    assert (loaded["method"], loaded["rows"]) == (bulk, 1000)
    if bulk == "insert":
        found = bench.query("SELECT SUM(CRC32(CONCAT(id, k, c, pad))) FROM sbtest1")
        bench.dataset("drop")
        bench.dataset("load", bulk="native")
        expected = bench.query("SELECT SUM(CRC32(CONCAT(id, k, c, pad))) FROM sbtest1")
        assert found == expected
    indexes = bench.query("SHOW INDEX FROM sbtest1")
    assert [row[2] for row in indexes] == ["PRIMARY", "k_1"]


def test_four_thousand_clients_on_two_workers_start_and_run(bench: Bench) -> None:
    events = bench.trial(
        workload=_sysbench(script="oltp_point_select"), clients=4000, workers=2, duration_s=2.0
    )
    assert events[0]["event"] == "connected"
    assert events[0]["clients"] == 4000
    window = intervals(events, "window")
    assert [event["live_clients"] for event in window] == [4000] * len(window)
    assert events[-1]["status"] == "completed"
    assert total(events, "committed") > 4000
    assert total(events, "scheduled") == total(events, "committed")


def _stop_for_a_second(process_id: int) -> None:
    os.kill(process_id, signal.SIGSTOP)
    time.sleep(1.0)
    os.kill(process_id, signal.SIGCONT)


def _longer_than(histogram: Histogram, limit_ns: int) -> int:
    return sum(count for value_ns, count in histogram.recorded() if value_ns > limit_ns)


def test_a_stopped_server_is_charged_to_all_that_was_scheduled_meanwhile(bench: Bench) -> None:
    (process_id,) = bench.server.process_ids()
    trial = Trial(
        bench.server.url,
        bench.server.password,
        workload=_sysbench(script="oltp_point_select"),
        clients=8,
        arrivals={"constant": {"rate_per_s": 200.0}},
    )
    trial.wait_until_it_commits(clients=8)
    _stop_for_a_second(process_id)
    trial.wait_until_it_stands_still()
    trial.wait_until_it_commits(clients=8)
    events = trial.stop()
    # All who came in the first half of the second waited for longer than the other half.
    assert _longer_than(merged(events, "response"), 500_000_000) > 90
    # Service times show only the eight that were under way.
    assert 1 <= _longer_than(merged(events, "service"), 500_000_000) <= 8
    assert total(events, "scheduled") == total(events, "committed")


def test_the_generator_sees_itself(bench: Bench) -> None:
    events = bench.trial(workload=_sysbench(script="oltp_point_select"), clients=16)
    for event in intervals(events, "window"):
        generator = event["generator"]
        assert 0 < generator["busiest_worker_share"] <= 1.1
        assert generator["user_s"] + generator["system_s"] > 0
        assert generator["voluntary_switches"] > 0
    assert events[-1]["kernel_timestamps"] is True


def test_the_distribution_is_named_and_measured(bench: Bench) -> None:
    shares = {}
    for distribution in ("uniform", "special"):
        events = bench.trial(
            workload=_sysbench(script="oltp_point_select", distribution=distribution),
            duration_s=0.5,
        )
        facts = events[-1]["facts"]
        assert facts["distribution"] == distribution
        shares[distribution] = facts["hottest_1_percent_share"]
    assert shares["uniform"] == pytest.approx(0.01, abs=0.005)
    assert shares["special"] > 0.7


def test_deadlocks_are_retried_and_the_identity_holds(bench: Bench) -> None:
    # Twenty clients that update in ten rows run into each other at once.
    workload = _sysbench(script="oltp_write_only", table_size=10, range_size=1)
    bench.dataset("drop")
    try:
        bench.dataset("load", workload=workload)
        events = bench.trial(workload=workload, clients=20, duration_s=0.7, error_budget=0.5)
    finally:
        bench.dataset("drop")
        bench.dataset("load")
    classes = {error["class"] for event in intervals(events) for error in event["errors"]}
    assert "deadlock" in classes
    assert total(events, "retries") > 0
    ended = sum(total(events, counter) for counter in ("committed", "failed", "dropped"))
    last = intervals(events)[-1]["transactions"]["oltp_write_only"]["in_flight"]
    assert total(events, "scheduled") == ended + last
