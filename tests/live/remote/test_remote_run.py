"""Whole runs with generators on two hosts, against a real MariaDB on this one."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dbdyno import __version__
from tests.live.engine.fixed_server import MariaDb
from tests.live.remote.namespaces import Namespace
from tests.live.run.stage import LASTING, PACED, Stage
from tests.live.run.test_hosts_run import load

pytestmark = pytest.mark.live

PASSWORD = "generators-only"


def loaded(server: MariaDb, address: str) -> str:
    """Load a server and let its user in from anywhere; return it as a target at an address."""
    load(server)
    server.query(f"CREATE USER bench@'%' IDENTIFIED BY '{PASSWORD}'")
    server.query("GRANT ALL ON *.* TO bench@'%'")
    return f"{{url: 'mysql://bench@{address}:{server.port}/test', password_env: BENCH}}"


def write(
    stage: Stage,
    server: MariaDb,
    hosts: Sequence[Namespace],
    fields: Sequence[str] = ("", ""),
    **changes: Any,
) -> None:
    """Write an experiment with a generator on each host, which may have more fields."""
    stage.write(target=loaded(server, hosts[0].near), factors="clients: [8]", **changes)
    entries = ", ".join(
        f"{{host: {host.address}, command: {host.command}, python: {sys.executable}{more}}}"
        for host, more in zip(hosts, fields, strict=True)
    )
    stage.file.write_text(stage.file.read_text() + f"generators: [{entries}]\n")


def test_two_hosts_did_what_the_server_has_counted(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with (
        Namespace() as first,
        Namespace() as second,
        MariaDb("--bind-address=0.0.0.0") as server,
    ):
        write(stage, server, (first, second), (", share: 1/4", ", share: 3/4"))
        before = updates(server)
        ended = stage.run(environment={"BENCH": PASSWORD})
        assert ended.status == 0, ended
        told = [
            each["executions"]
            for number in (1, 2)
            for each in stage.trial(number)["end"]["statements"]
            if each["verb"] == "update"
        ]
        assert sum(told) == updates(server) - before > 0
        assert first.processes("") == second.processes("") == []
    trial = stage.trial(1)
    assert sorted(clock["host"] for clock in trial["clocks"]) == [first.address, second.address]
    here = json.loads((stage.result / "host.json").read_text())
    there = json.loads((stage.result / "hosts.json").read_text())
    assert sorted(there) == [first.address, second.address]
    # No generator runs here.
    assert here["server_round_trip_ms"] == {}
    for host in there.values():
        assert list(host["facts"]["server_round_trip_ms"]) == [f"{first.near}:{server.port}"]
        assert host["use"] == "generator"
        assert host["facts"]["boot_id"] == here["boot_id"]
        assert host["facts"]["dbdyno_version"] == here["dbdyno_version"]
    assert (
        f"Host {first.address} (a generator ran on it)"
        in (stage.result / "report.html").read_text()
    )
    by_generator = pl.read_parquet(stage.result / "trials" / "0001" / "generators.parquet")
    levels = by_generator.filter(phase="window", index=0).sort("generator")["live_clients"]
    assert levels.to_list() == [2, 6]
    assert stage.holds(PASSWORD) == []
    assert "What each generator did" in (stage.result / "report.html").read_text()


def test_a_host_whose_agent_is_killed_gets_another_one_for_the_next_trial(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with (
        Namespace() as first,
        Namespace() as second,
        MariaDb("--bind-address=0.0.0.0") as server,
    ):
        write(stage, server, (first, second), duration=LASTING, load=PACED)
        running = stage.launch(environment={"BENCH": PASSWORD})
        running.wait_for_load(1)
        for agent in second.processes("dbdyno.agent"):
            agent.kill()
        running.end()
        assert first.processes("") == second.processes("") == []
    assert stage.statuses() == {1: "failed", 2: "completed"}
    assert f"host {second.address}: its agent is gone" in stage.trial(1)["reason"]
    hosts = [clock["host"] for clock in stage.trial(2)["clocks"]]
    assert sorted(hosts) == [first.address, second.address]


def test_a_host_that_is_cut_off_is_named(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with Namespace() as first, Namespace() as second, MariaDb("--bind-address=0.0.0.0") as server:
        write(stage, server, (first, second), rounds=1, duration=LASTING, load=PACED)
        running = stage.launch(environment={"BENCH": PASSWORD})
        running.wait_for_load(1)
        second.cut()
        ended = running.end()
    assert ended.status == 1, ended
    assert stage.trial(1)["reason"] == (
        f"generator 2 of 2 (host {second.address}) said nothing for 10 intervals and was given up"
    )


def updates(server: MariaDb) -> int:
    """Return how many updates the server has carried out."""
    ((_, count),) = server.query("SHOW GLOBAL STATUS LIKE 'Com_update'")
    return int(count or 0)


def test_hosts_with_another_dbdyno_are_refused_before_the_first_trial(tmp_path: Path) -> None:
    """All of them in one message; an early agent tells no version, and is one of them."""
    stage = Stage(tmp_path)
    generators = [
        {"host": f"127.0.0.{number}", "command": f"sh -c 'echo {word}; exec sleep 60' --"}
        for number, word in ((2, "dbdyno 0.0.9"), (3, "ready"), (4, f"dbdyno {__version__}"))
    ]
    with MariaDb() as server:
        load(server)
        stage.write(target=f"{{url: '{server.url()}'}}", factors="clients: [8]")
        stage.file.write_text(stage.file.read_text() + f"generators: {json.dumps(generators)}\n")
        ended = stage.run()
    assert ended.status == 2, ended
    assert (
        f"hosts with generators must have the same dbdyno as this machine, {__version__}, and "
        f"127.0.0.2 has 0.0.9, 127.0.0.3 has an earlier version; install {__version__} there, or "
        "name the Python that has it, with generators: [{python: ...}]"
    ) in " ".join((ended.output + ended.errors).split())
    assert list(stage.result.glob("*")) == []
