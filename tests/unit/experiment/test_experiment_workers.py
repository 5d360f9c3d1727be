"""How many workers send, where nobody says it."""

from __future__ import annotations

import os

import pytest

from dbdyno.database.hosts import is_local
from dbdyno.experiment.design.workers import chosen_wait, may_have_priority, usual_workers
from dbdyno.protocol.waiting import AUTO, NAP, PRIORITY, SLEEP


@pytest.fixture
def cpus(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Be on a machine with so many CPUs."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(request.param)))


@pytest.mark.usefixtures("cpus")
@pytest.mark.parametrize(
    ("cpus", "clients", "apart", "beside_mysql", "beside_postgresql"),
    [
        (2, 1, 1, 1, 1),
        (2, 2, 2, 1, 1),
        (1, 64, 1, 1, 1),
        (2, 4, 2, 2, 2),
        (2, 8, 2, 2, 2),
        (2, 63, 2, 2, 2),
        (2, 64, 2, 1, 2),
        (2, 256, 2, 1, 2),
        (4, 256, 4, 2, 2),
        (8, 64, 8, 2, 2),
        (64, 8, 8, 4, 4),
        (64, 64, 64, 32, 32),
        (64, 1000, 64, 16, 16),
    ],
    indirect=["cpus"],
)
def test_workers_follow_from_clients_cpus_and_the_server(
    clients: int, apart: int, beside_mysql: int, beside_postgresql: int
) -> None:
    assert usual_workers(clients, "elsewhere", "mysql", NAP) == apart
    assert usual_workers(clients, "same_cpus", "mysql", SLEEP) == beside_mysql
    assert usual_workers(clients, "same_cpus", "mysql", PRIORITY) == beside_mysql
    assert usual_workers(clients, "unknown", "postgresql", SLEEP) == beside_postgresql
    assert usual_workers(clients, "same_cpus", "postgresql", PRIORITY) == beside_mysql


@pytest.mark.parametrize("is_allowed", [True, False])
def test_workers_go_first_beside_a_server_where_they_may(
    monkeypatch: pytest.MonkeyPatch, *, is_allowed: bool
) -> None:
    def set_priority(_which: int, _who: int, _value: int) -> None:
        if not is_allowed:
            raise PermissionError

    monkeypatch.setattr(os, "setpriority", set_priority)
    may_have_priority.cache_clear()
    beside = PRIORITY if is_allowed else SLEEP
    assert chosen_wait(AUTO, "same_cpus", "postgresql") == beside
    assert chosen_wait(AUTO, "same_cpus", "sqlite") == SLEEP
    assert chosen_wait(AUTO, "unknown", "mysql") == beside
    assert chosen_wait(AUTO, "other_cpus", "mysql") == NAP
    assert chosen_wait(SLEEP, "same_cpus", "mysql") == SLEEP
    may_have_priority.cache_clear()


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("mysql://root@127.0.0.1:3306/test", True),
        ("mysql://localhost/test", True),
        ("postgresql://dba@[::1]:5432/test", True),
        ("postgresql://dba@db1/test?socket=/run/postgresql/.s.PGSQL.5432", True),
        ("mysql:///x?socket=/run/mysqld.sock", True),
        ("mysql://root@127.0.0.1:3306,[::1]:3307/test", True),
        ("mysql://root@h1,[fe80::2]/test", False),
        ("mysql://root@10.0.0.7:3306/test", False),
        ("mysql://root@127.0.0.1:3306,127.0.0.2:3306/test", True),
        ("mysql://root@127.0.0.1:3306,db2:3306/test", False),
        ("mysql://db1/test", False),
        ("postgresql://[fd00::1]:5432/test", False),
    ],
)
def test_a_server_shares_the_cpus_where_it_is_reached_without_a_network(
    url: str, is_here: bool
) -> None:
    assert is_local(url) == is_here
