"""How many clients a host can have, by its limits of files and ports."""

from __future__ import annotations

import resource
import socket
from pathlib import Path

import pytest

from dbdyno.facts.host import HostFacts
from dbdyno.watch.client_limits import (
    ClientLimits,
    ClientNeeds,
    client_limits,
    own_client_limits,
    shortages,
)
from dbdyno.watch.round_trips import round_trips_ms

FILES = (
    "a generator has 65 clients, which takes about 165 open files, and 164 are allowed; raise the "
    "limit (ulimit -n 165), or use more processes (count) or fewer clients"
)
PORTS = (
    "generators have 11 clients at one server, and net.ipv4.ip_local_port_range has 10 ports for "
    "them; widen it (sysctl -w net.ipv4.ip_local_port_range='1024 65535'), or use more hosts or "
    "fewer clients"
)


@pytest.mark.parametrize(
    ("limits", "needs", "expected"),
    [
        (ClientLimits(164, 10), ClientNeeds(64, 10), []),
        (ClientLimits(164, 10), ClientNeeds(65, 10), [FILES]),
        (ClientLimits(165, 10), ClientNeeds(65, 11), [PORTS]),
        (ClientLimits(None, None), ClientNeeds(10**6, 10**6), []),
    ],
)
def test_what_is_short_is_told(
    limits: ClientLimits, needs: ClientNeeds, expected: list[str]
) -> None:
    assert list(shortages(limits, needs)) == expected


def test_limits_are_those_of_this_host_and_of_facts() -> None:
    first, last = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    own = ClientLimits(
        None if files == resource.RLIM_INFINITY else files, int(last) - int(first) + 1
    )
    assert own_client_limits() == own
    facts = HostFacts(
        process_open_files_limit="none",
        kernel_settings={"net.ipv4.ip_local_port_range": "40000 40009"},
    )
    assert client_limits(facts) == ClientLimits(None, 10)
    assert client_limits(HostFacts()) == ClientLimits(None, None)


def test_round_trips_are_of_the_servers_that_accept() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        there, gone = (f"127.0.0.1:{each.getsockname()[1]}" for each in (server, closed))
        found = round_trips_ms([there, gone, "no.such.name.invalid:1"])
    assert list(found) == [there]
    assert found[there] > 0


def test_files_without_a_limit_limit_no_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: unlimited)
    assert own_client_limits().open_files is None
