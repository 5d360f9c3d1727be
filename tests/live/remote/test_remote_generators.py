"""Generators on other hosts: two network namespaces, agents in them, and one load."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from dbdyno.agent import load
from dbdyno.database.address import Address
from dbdyno.errors import RunError
from dbdyno.generator.dataset import carry_out
from dbdyno.generator.pool.generators import TrialGenerators
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.events import (
    End,
    GeneratorStanding,
    HostClock,
    Started,
    TrialEvent,
)
from dbdyno.protocol.generators import GeneratorPart, SharePlan
from dbdyno.protocol.intervals import Interval
from dbdyno.protocol.trial_plan import LimitsPlan, TrialPlan, open_loop
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.remote.hosts import GeneratorHosts
from dbdyno.remote.member import RemoteGenerator, start_elsewhere
from dbdyno.remote.way import Way
from tests.live.remote.namespaces import Namespace

pytestmark = pytest.mark.live

LIMIT_S = 120.0
WORKLOAD: WorkloadPlan = {
    "sysbench": {"script": "oltp_point_select", "tables": 1, "table_size": 100}
}


@pytest.fixture
def namespaces() -> Iterator[tuple[Namespace, Namespace]]:
    with Namespace() as first, Namespace() as second:
        yield first, second


@pytest.fixture
def hosts(namespaces: tuple[Namespace, Namespace]) -> Iterator[GeneratorHosts]:
    """Agents in both; they share this machine's files, and so a database of SQLite."""
    ways = [Way(each.address, command=each.command, python=sys.executable) for each in namespaces]
    with GeneratorHosts(ways) as started:
        yield started


@pytest.fixture
def address(tmp_path: Path) -> Address:
    """A database with the table of ``plan``."""
    url = f"sqlite:///{tmp_path / 'database.sqlite'}"
    carry_out(DatasetPlan(action="load", workload=WORKLOAD, seed=1, connections=1), url, None)
    return Address(url, None)


def plan(namespaces: tuple[Namespace, Namespace], duration_s: float) -> TrialPlan:
    return TrialPlan(
        workload=WORKLOAD,
        clients=4,
        workers=1,
        arrivals=open_loop("constant", 100.0),
        warmup_s=0.5,
        duration_s=duration_s,
        interval_s=0.5,
        seed=1,
        error_budget=0.0,
        limits=LimitsPlan(connect_s=10.0, statement_s=10.0, drain_s=10.0),
        generators=tuple(
            GeneratorPart(
                share=SharePlan(index=index, begin=index, end=index + 1, of=2),
                workers=1,
                host=each.address,
            )
            for index, each in enumerate(namespaces)
        ),
        on_generator_loss="finish_marked",
    )


def run(
    hosts: GeneratorHosts,
    asked: TrialPlan,
    address: Address,
    on_interval: Callable[[], object] = lambda: None,
) -> list[TrialEvent]:
    """Return all events; something happens at the third interval."""
    events: list[TrialEvent] = []
    with TrialGenerators(
        asked, address, silence_limit_s=LIMIT_S, elsewhere=partial(start_elsewhere, hosts)
    ) as generators:
        for event in generators.trial_events():
            events.append(event)
            if isinstance(event, Interval) and len(intervals(events)) == 3:
                on_interval()
    return events


def intervals(events: list[TrialEvent]) -> list[Interval]:
    return [event for event in events if isinstance(event, Interval)]


def test_together_they_make_the_load_of_one_from_the_same_instant(
    namespaces: tuple[Namespace, Namespace], hosts: GeneratorHosts, address: Address
) -> None:
    for _ in range(2):
        events = run(hosts, plan(namespaces, 2.0), address)
        end = events[-1]
        assert isinstance(end, End)
        assert (end.status, end.lost) == ("completed", ())
        kinds = [kind for each in intervals(events) for kind in each.transactions.values()]
        assert sum(kind.committed for kind in kinds) == 250
        clocks = [event for event in events if isinstance(event, HostClock)]
        by_generator = {clock.generator_index: clock.host for clock in clocks}
        assert by_generator == dict(enumerate(each.address for each in namespaces))
        # It is one machine: its clock is known, and what is measured must agree with it.
        for clock in clocks:
            assert abs(clock.offset_ns) <= clock.bound_ns
            assert abs(clock.end_offset_ns) <= clock.end_bound_ns
        (started,) = (event for event in events if isinstance(event, Started))
        assert started.window_start.monotonic_ns < time.monotonic_ns()


def test_a_host_that_vanishes_is_late_and_then_lost_and_the_other_goes_on(
    namespaces: tuple[Namespace, Namespace], hosts: GeneratorHosts, address: Address
) -> None:
    events = run(hosts, plan(namespaces, 15.0), address, namespaces[1].cut)
    standings = [event for event in events if isinstance(event, GeneratorStanding)]
    assert [(each.generator_index, each.standing) for each in standings] == [
        (1, "late"),
        (1, "lost"),
    ]
    end = events[-1]
    assert isinstance(end, End)
    assert (end.status, [lost.generator_index for lost in end.lost]) == ("completed", [1])
    window = [each for each in intervals(events) if each.phase == "window"]
    assert [each.index for each in window] == list(range(30))


def test_an_agent_that_is_killed_takes_its_generator_with_it_and_is_missed_at_once(
    namespaces: tuple[Namespace, Namespace], hosts: GeneratorHosts, address: Address
) -> None:
    def kill() -> None:
        for agent in namespaces[1].processes("dbdyno.agent"):
            agent.kill()

    events = run(hosts, plan(namespaces, 4.0), address, kill)
    standings = [event for event in events if isinstance(event, GeneratorStanding)]
    assert [(each.generator_index, each.standing) for each in standings] == [(1, "lost")]
    assert "its agent is gone" in standings[0].reason
    assert namespaces[1].processes("dbdyno.generator") == []
    again = run(hosts, plan(namespaces, 2.0), address)
    end = again[-1]
    assert isinstance(end, End)
    assert (end.status, end.lost) == ("completed", ())


def test_a_host_that_cannot_be_reached_for_a_while_costs_the_trials_of_that_while(
    namespaces: tuple[Namespace, Namespace], address: Address, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    gate = tmp_path / "gate"
    gate.write_text(f'#!/bin/sh\ntest -e {closed} && {{ echo closed >&2; exit 1; }}\nexec "$@"\n')
    gate.chmod(0o700)
    ways = [
        Way(each.address, command=f"{gate} {each.command}", python=sys.executable)
        for each in namespaces
    ]
    asked = replace(plan(namespaces, 1.0), on_generator_loss="fail")
    with GeneratorHosts(ways) as hosts:
        for agent in namespaces[1].processes("dbdyno.agent"):
            agent.kill()
            agent.wait()
        closed.touch()
        for _ in range(2):
            with pytest.raises(RunError, match=r"there is no agent: closed$"):
                run(hosts, asked, address)
        closed.unlink()
        end = run(hosts, asked, address)[-1]
    assert isinstance(end, End)
    assert (end.status, end.lost) == ("completed", ())
    assert namespaces[0].processes("") == namespaces[1].processes("") == []


def test_an_agent_that_dies_before_it_begins_is_missed_at_once(
    hosts: GeneratorHosts, namespaces: tuple[Namespace, Namespace]
) -> None:
    """The scheduler gives the load to nobody else, and would wait."""
    for agent in namespaces[0].processes("dbdyno.agent"):
        agent.suspend()
    order = load.Order(hosts.next_load(), b"{}", None, (), LIMIT_S)
    generator = RemoteGenerator(hosts, namespaces[0].address, 0, order)
    for agent in namespaces[0].processes("dbdyno.agent"):
        agent.kill()
    began_s = time.monotonic()
    with pytest.raises(RunError, match="its agent is gone"):
        list(generator.trial_events(lambda: False))
    assert time.monotonic() - began_s < LIMIT_S / 4


def test_no_load_is_made_twice(hosts: GeneratorHosts, namespaces: tuple[Namespace, ...]) -> None:
    order = load.Order(hosts.next_load(), b"{}", None, (), LIMIT_S)
    for key, expected in (("first", "the plan can't be read"), ("second", "is not made twice")):
        heard: list[dict[str, str]] = []
        hosts.client.subscribe_topic(order.name, lambda event, into=heard: into.append(event[1]))
        workers = [hosts.address(namespaces[0].address)]
        hosts.client.submit(load.make_load, order, workers=workers, key=key).result(LIMIT_S)
        deadline_s = time.monotonic() + LIMIT_S
        while not heard and time.monotonic() < deadline_s:
            time.sleep(0.05)
        assert expected in heard[-1]["message"]


def test_a_host_that_cannot_be_reached_is_named() -> None:
    with (
        pytest.raises(RunError, match=r"^host 127\.0\.0\.9: there is no agent: no way there$"),
        GeneratorHosts([Way("127.0.0.9", command="sh -c 'echo no way there >&2; exit 3' --")]),
    ):
        pass


def test_nothing_is_left_of_agents(
    namespaces: tuple[Namespace, Namespace], hosts: GeneratorHosts
) -> None:
    assert len(namespaces[0].processes("dbdyno.agent")) == 1
    hosts.__exit__(None, None, None)
    assert namespaces[0].processes("") == []
