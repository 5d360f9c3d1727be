"""Whole runs on several hosts by their URL: what is stored and what the report says."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from tests.live.engine.fixed_server import FixedServer, MariaDb, hosts_url
from tests.live.engine.test_hosts import carry_out
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live


def load(server: FixedServer) -> None:
    """Load what the experiment of ``Stage`` would load."""
    workload = {"sysbench": {"script": "oltp_read_write", "tables": 1, "table_size": 1000}}
    plan = {"url": server.url(), "action": "load", "connections": 2, "connect_s": 30.0}
    assert carry_out(plan | {"workload": workload})[-1]["event"] == "dataset"


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[FixedServer, FixedServer]]:
    """Return two servers that differ in one setting, each with the table."""
    with MariaDb() as first, MariaDb("--max-connections=99") as second:
        load(first)
        load(second)
        yield first, second


@pytest.mark.usefixtures("settles_soon")
def test_hosts_are_stored_and_shown(stage: Stage, pair: tuple[FixedServer, FixedServer]) -> None:
    stage.write(target=f"{{url: '{hosts_url(*pair)}'}}", factors="clients: [2, 6]", rounds=1)
    ended = stage.run()
    assert ended.status == 0, ended
    trial = stage.trial(1)
    names = [server.host for server in pair]
    assert [host["host"] for host in trial["end"]["hosts"]] == names
    assert [host["host"] for host in trial["server"]["hosts"]] == names
    assert trial["server"]["host_differences"]["max_connections"] == dict(
        zip(names, ("151", "99"), strict=True)
    )
    assert trial["connected"]["session"]["isolation"] == "repeatable_read"
    hosts = pl.read_parquet(stage.result / "trials" / "0001" / "hosts.parquet")
    assert sorted(hosts["host"].unique()) == sorted(names)
    total = sum(host["transactions"] for host in trial["end"]["hosts"])
    assert hosts["transactions"].sum() == total > 0
    report = (stage.result / "report.html").read_text()
    assert "What each host did" in report
    assert "hosts-unlike" in report
    assert "max_connections: " in report
    assert "round trips per transaction" in report
    assert all(f"<code>{name}</code>" in report for name in names)


def test_a_host_that_is_down_at_the_start_is_named(
    stage: Stage, pair: tuple[FixedServer, FixedServer]
) -> None:
    first, second = pair
    second.kill()
    try:
        ended = stage.write(target=f"{{url: '{hosts_url(first, second)}'}}").run()
    finally:
        second.start()
    assert ended.status == 1
    assert f"cannot connect to mysql://{second.host}/test" in ended.errors


def test_tables_must_be_at_every_host(stage: Stage, pair: tuple[FixedServer, FixedServer]) -> None:
    first, second = pair
    second.query("RENAME TABLE sbtest1 TO hidden")
    try:
        ended = stage.write(target=f"{{url: '{hosts_url(first, second)}'}}").run()
    finally:
        second.query("RENAME TABLE hidden TO sbtest1")
    assert ended.status == 1
    assert "hosts that share clients must serve the same data" in ended.output + ended.errors
