"""What hosts use, with the limit where it is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.facts.system import NetworkInterface
from dbdyno.host_usage import DiskUsage, HostUsage, NetworkUsage
from dbdyno.serve.host_rows import Limits, Resource, resources
from dbdyno.serve.trial_view import TrialView
from tests.unit.serve.test_precision import plan

USAGE = HostUsage(
    host="local",
    duration_s=1.0,
    busy_cpus=1.5,
    cpus=2,
    disks={
        "sda": DiskUsage(read_bytes_per_s=0.0, write_bytes_per_s=5e6, busy_share=0.4),
        "idle": DiskUsage(read_bytes_per_s=0.0, write_bytes_per_s=0.0, busy_share=0.0),
    },
    networks={"eth0": NetworkUsage(receive_bytes_per_s=1e6, send_bytes_per_s=25e6)},
)
FAST = HostFacts(network_interfaces=(NetworkInterface(name="eth0", speed_mbit_per_s=1000),))


def rows(usage: HostUsage, limits: Limits, server: ServerLimits = NO_LIMITS) -> dict[str, Resource]:
    trial = TrialView(Path("nowhere"), replace(plan().trials[0], server_limits=server))
    trial.usages[usage.host] = usage
    return {row.name: row for row in resources(trial, limits)}


def test_a_share_is_of_the_limit() -> None:
    found = rows(USAGE, Limits(FAST, {}))
    assert list(found) == ["CPU", "disk sda", "network eth0"]
    assert found["CPU"].share == 0.75
    assert found["CPU"].limit == "2 CPUs"
    assert found["disk sda"].share == 0.4
    assert found["network eth0"].share == pytest.approx(0.2)
    assert "sends 25\N{NO-BREAK SPACE}MB/s" in found["network eth0"].use


def test_where_nobody_tells_a_limit_there_is_no_share() -> None:
    found = rows(USAGE, Limits(HostFacts(), {}))
    assert (found["network eth0"].share, found["network eth0"].limit) == (None, "–")


def test_a_servers_own_limit_of_writes_is_the_disks() -> None:
    found = rows(USAGE, Limits(FAST, {}), ServerLimits(write_bytes_per_s=10_000_000))
    assert found["disk sda"].share == 0.5
    assert "may write 10" in found["disk sda"].limit


def test_another_host_has_limits_of_its_own() -> None:
    usage = replace(USAGE, host="db1")
    others = {"db1": OtherHost(use="watched", facts=HostFacts())}
    assert rows(usage, Limits(FAST, others))["network eth0"].share is None
    others = {"db1": OtherHost(use="watched", facts=FAST)}
    assert rows(usage, Limits(HostFacts(), others))["network eth0"].share == pytest.approx(0.2)
