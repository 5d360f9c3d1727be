"""Clients that are spread over two real servers, of which one may go away and come back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from dbdyno._native import Run
from tests.live.engine.conftest import RUN_LIMIT_S, intervals, total
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql, hosts_url
from tests.live.faults.proxy import CuttingProxy
from tests.live.faults.servers import PASSWORD, USER, crash, make_user, read_only, told
from tests.live.faults.trials import Trial, assert_that_all_is_accounted_for, counted

pytestmark = pytest.mark.live

WORKLOAD = {"sysbench": {"script": "oltp_read_only", "table_size": 1000}}


def carry_out(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Carry out a plan and return its events."""
    run = Run.start(json.dumps({"version": 1, "workload": WORKLOAD, "seed": 1} | plan))
    events: list[dict[str, Any]] = []
    silent_s = 0.0
    while (news := run.poll(1.0)) is not None:
        silent_s = 0.0 if news else silent_s + 1.0
        assert silent_s < RUN_LIMIT_S, "the run says nothing any more"
        events += [json.loads(event) for event in news]
    return events


def trial(url: str, **changes: Any) -> list[dict[str, Any]]:
    """Run a short trial on these hosts, with changes."""
    plan: dict[str, Any] = {
        "url": url,
        "clients": 8,
        "workers": 2,
        "arrivals": {"closed": {}},
        "warmup_s": 0.1,
        "duration_s": 0.3,
        "interval_s": 0.1,
        "retry": {"max_retries": 10, "backoff_min_ms": 1.0, "backoff_max_ms": 50.0},
        "error_budget": 0.01,
        "limits": {
            "connect_s": 10.0,
            "statement_s": 10.0,
            "drain_s": 10.0,
            "interrupted_drain_s": 10.0,
        },
    }
    return carry_out(plan | changes)


def load(server: FixedServer) -> None:
    """Load the table of ``WORKLOAD`` into one host."""
    plan = {"url": server.url(), "action": "load", "connections": 2, "connect_s": 30.0}
    assert carry_out(plan)[-1]["event"] == "dataset"


@pytest.fixture(scope="module", params=[MariaDb, PostgreSql])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[FixedServer, FixedServer]]:
    """Return two servers of one kind with the same table."""
    with request.param() as first, request.param() as second:
        for server in (first, second):
            load(server)
            make_user(server)
        yield first, second


mariadb_alone = pytest.mark.parametrize("pair", [MariaDb], indirect=True)


def end_by_host(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the end event says of each host."""
    return {host["host"]: host for host in events[-1]["hosts"]}


def by_interval(events: list[dict[str, Any]], name: str) -> list[list[int]]:
    """Return a figure of each host, interval by interval."""
    return [[host[name] for host in event["hosts"]] for event in intervals(events)]


@pytest.mark.parametrize("balance", ["", "round_robin", "least_connections", "leastconn"])
def test_clients_are_spread_evenly_over_all_workers_together(
    pair: tuple[FixedServer, FixedServer], balance: str
) -> None:
    # Three clients a worker: each by itself could only spread them two to one.
    options = f"?load_balance={balance}" if balance else ""
    events = trial(hosts_url(*pair, options=options), clients=6, workers=2)
    assert events[-1]["status"] == "completed", events[-1]
    hosts = end_by_host(events)
    assert list(hosts) == [server.host for server in pair]
    assert [host["connections"] for host in hosts.values()] == [3, 3]
    assert by_interval(events, "live_clients")[0] == [3, 3]
    assert all(host["failed_attempts"] == 0 for host in hosts.values())


def test_what_is_counted_by_host_adds_up(pair: tuple[FixedServer, FixedServer]) -> None:
    events = trial(hosts_url(*pair))
    hosts = end_by_host(events).values()
    assert all(host["transactions"] > 0 for host in hosts)
    assert sum(host["transactions"] for host in hosts) == total(events, "committed")
    assert sum(map(sum, by_interval(events, "transactions"))) == total(events, "committed")
    statements = sum(statement["executions"] for statement in events[-1]["statements"])
    assert sum(host["statements"] for host in hosts) == statements


def test_clients_leave_a_host_that_takes_no_writes(
    pair: tuple[FixedServer, FixedServer],
) -> None:
    url = f"{pair[0].scheme}://{USER}:{quote(PASSWORD)}@{pair[0].host},{pair[1].host}/test"
    workload = {"sysbench": {"script": "oltp_update_index", "table_size": 1000}}
    with told(pair[0], *read_only(pair[0])):
        events = trial(url, workload=workload, error_budget=0.9, duration_s=1.0)
    assert events[-1]["status"] == "completed", events[-1]
    assert by_interval(events, "live_clients")[-1] == [0, 8]
    hosts = end_by_host(events)
    assert hosts[pair[0].host]["transactions"] == 0
    assert hosts[pair[1].host]["transactions"] > 0
    errors = Counter(error["class"] for event in intervals(events) for error in event["errors"])
    assert set(errors) <= {"read_only"}


def test_clients_connect_again_where_the_one_address_takes_no_writes(
    pair: tuple[FixedServer, FixedServer],
) -> None:
    """The address leads to another server after the one behind it was demoted."""
    workload = {"sysbench": {"script": "oltp_update_index", "table_size": 1000}}
    with CuttingProxy(pair[0]) as proxy:
        url = proxy.url.replace("127", f"{USER}:{quote(PASSWORD)}@127", 1)
        trial = Trial(url, workload=workload)
        trial.wait_until_it_commits()
        proxy.lead_to(pair[1])
        with told(pair[0], *read_only(pair[0])):
            trial.wait_until_it_reconnected()
            trial.wait_until_it_commits()
            events = trial.stop()
    assert_that_all_is_accounted_for(events)
    errors = counted(events)
    assert set(errors) == {"read_only"}
    assert total(events, "failed") == errors["read_only"] >= 4


def test_chance_follows_from_the_seed(pair: tuple[FixedServer, FixedServer]) -> None:
    url = hosts_url(*pair, options="?load_balance_hosts=random")
    spread = [
        tuple(
            host["connections"]
            for host in trial(url, clients=12, seed=seed, duration_s=0.1)[-1]["hosts"]
        )
        for seed in (1, 1, 2, 3, 4)
    ]
    assert spread[0] == spread[1]
    assert len(set(spread)) > 1
    assert all(sum(connections) == 12 for connections in spread)


def test_without_balancing_the_second_host_serves_when_the_first_is_gone(
    pair: tuple[FixedServer, FixedServer],
) -> None:
    url = hosts_url(*pair, options="?load_balance=disable")
    assert [host["connections"] for host in trial(url)[-1]["hosts"]] == [8, 0]
    pair[0].kill()
    try:
        events = trial(url)
    finally:
        pair[0].start()
    first, second = end_by_host(events).values()
    assert (first["connections"], second["connections"]) == (0, 8)
    assert first["failed_attempts"] > 0
    assert "refused" in first["last_failure"]


def test_a_host_that_is_killed_and_comes_back(pair: tuple[FixedServer, FixedServer]) -> None:
    second = pair[1]
    trial = Trial(hosts_url(*pair), clients=8, workload=WORKLOAD)
    trial.wait_until_it_commits(clients=8)
    crash(second)
    try:
        trial.wait_until_it_commits(clients=8)
    finally:
        second.start()
    for _ in range(3):
        trial.wait_until_it_commits(clients=8)
    events = trial.stop()
    end = events[-1]
    assert end["status"] == "interrupted", end
    clients = by_interval(events, "live_clients")
    assert clients[0] == [4, 4]
    # All have moved, and stay: nothing takes a connection away from a host that serves it.
    assert clients[-2] == [8, 0]
    hosts = list(end["hosts"])
    assert hosts[0]["connections"] == 8
    assert hosts[1]["connections"] == 4
    reconnects = sum(event["reconnects"] for event in intervals(events))
    assert reconnects == 4
    failed = Counter(error["class"] for event in intervals(events) for error in event["errors"])
    assert set(failed) <= {"connection_lost", "connection_refused"}
    assert total(events, "failed") == 4
    assert total(events, "scheduled") == total(events, "committed") + total(events, "failed")
    assert sum(host["transactions"] for host in hosts) == total(events, "committed")


def test_a_wrong_name_of_a_database_is_not_looked_for_elsewhere(
    pair: tuple[FixedServer, FixedServer],
) -> None:
    events = trial(hosts_url(*pair).replace("/test", "/elsewhere"), clients=1)
    assert events[-1]["event"] == "error"
    assert "elsewhere" in events[-1]["message"]


@mariadb_alone
def test_a_host_without_room_for_more_leaves_them_to_the_other(
    pair: tuple[FixedServer, FixedServer],
) -> None:
    small = pair[0]
    small.query("SET GLOBAL max_connections = 10")
    try:
        events = trial(hosts_url(*pair), clients=40)
    finally:
        small.query("SET GLOBAL max_connections = DEFAULT")
    full, free = events[-1]["hosts"]
    # One more is allowed to root alone.
    assert full["connections"] == 11
    assert free["connections"] == 29
    assert full["failed_attempts"] > 0
    assert "Too many connections" in full["last_failure"]


@mariadb_alone
def test_sockets_share_clients_like_hosts(pair: tuple[FixedServer, FixedServer]) -> None:
    sockets = ",".join(f"{server.directory}/socket" for server in pair)
    events = trial(f"mysql:///test?socket={sockets}")
    assert [host["connections"] for host in events[-1]["hosts"]] == [4, 4]
    assert [host["host"] for host in events[-1]["hosts"]] == sockets.split(",")


@mariadb_alone
def test_new_connections_are_spread_again(pair: tuple[FixedServer, FixedServer]) -> None:
    for duration_s in (0.4, 4.0, 40.0):
        events = trial(hosts_url(*pair), session={"reconnect": 5}, duration_s=duration_s)
        first, second = events[-1]["hosts"]
        if first["connections"] > 8:
            break
    assert abs(first["connections"] - second["connections"]) <= 1
    assert first["connections"] > 8
    assert first["transactions"] + second["transactions"] == total(events, "committed")


def test_one_host_is_no_host_among_several(pair: tuple[FixedServer, FixedServer]) -> None:
    events = trial(pair[0].url() + "?load_balance=random")
    assert "hosts" not in events[-1]
    assert all("hosts" not in event for event in intervals(events))
