"""Whole runs with several generators on this machine, against a real MariaDB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from dbdyno._native import Session
from tests.live.engine.fixed_server import FixedServer, MariaDb
from tests.live.run.stage import LASTING, Stage
from tests.live.run.test_hosts_run import load

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def server() -> Iterator[FixedServer]:
    """A server with the table."""
    with MariaDb() as running:
        load(running)
        yield running


def updates(server: FixedServer) -> int:
    """Return how many updates the server has carried out."""
    session = Session.connect(server.url(), None)
    try:
        ((_, count),) = session.query("SHOW GLOBAL STATUS LIKE 'Com_update'")
    finally:
        session.close()
    return int(count or 0)


def write(stage: Stage, server: FixedServer, generators: str, **changes: object) -> None:
    """Write the experiment, with generators."""
    stage.write(target=f"{{url: '{server.url()}'}}", **changes)  # type: ignore[arg-type]
    stage.file.write_text(stage.file.read_text() + f"generators: {generators}\n")


def test_two_generators_did_what_the_server_has_counted(stage: Stage, server: FixedServer) -> None:
    write(stage, server, "[{share: 1/4}, {share: 3/4}]", factors="clients: [8]", rounds=2)
    before = updates(server)
    ended = stage.run()
    assert ended.status == 0, ended
    told = 0
    for number in (1, 2):
        trial = stage.trial(number)
        told += sum(each["executions"] for each in trial["end"]["statements"] if _updates(each))
        assert trial["window_start"]["monotonic_ns"] > 0
        assert (trial["standings"], trial["connected"]["clients"]) == ([], 8)
    assert told == updates(server) - before > 0
    folder = stage.result / "trials" / "0001"
    by_generator = pl.read_parquet(folder / "generators.parquet")
    intervals = pl.read_parquet(folder / "intervals.parquet")
    assert by_generator["scheduled"].sum() == intervals["scheduled"].sum()
    assert sorted(by_generator["generator"].unique()) == [0, 1]
    lags = by_generator.filter(phase="window")["loop_lag_p99_ms"].drop_nulls()
    assert lags.min() > 0  # type: ignore[operator]
    levels = by_generator.filter(phase="window", index=0).sort("generator")["live_clients"]
    assert levels.to_list() == [2, 6]
    report = (stage.result / "report.html").read_text()
    assert "What each generator did" in report
    assert "headroom" in report
    assert "counters-disagree" not in report


def _updates(statement: dict[str, object]) -> bool:
    return statement["verb"] == "update"


def test_the_number_of_generators_is_a_factor(stage: Stage, server: FixedServer) -> None:
    factors = "n: {sets: generators.count, levels: [1, 2]}"
    write(stage, server, "[{}]", factors=factors, load="{clients: 4}", rounds=1)
    ended = stage.run()
    assert ended.status == 0, ended
    tables = [int(path.parent.name) for path in stage.result.glob("trials/*/generators.parquet")]
    assert [stage.trial(number)["cell"]["n"] for number in tables] == ["2"]


LOST = "generator 2 of 2: the generator was ended by SIGKILL, without saying why"


@pytest.mark.parametrize(("policy", "status"), [("fail", "failed"), ("finish_marked", "completed")])
def test_a_generator_that_is_killed_is_marked_and_what_is_asked_for_follows(
    policy: str, status: str, stage: Stage, server: FixedServer
) -> None:
    write(
        stage,
        server,
        "[{count: 2}]",
        load="{clients: 4, rate: 100, arrivals: constant}",
        factors="load.protocol: {sets: load.protocol, levels: [text]}",
        duration=LASTING,
        rounds=1,
        procedure=f"on_generator_loss: {policy}",
    )
    running = stage.launch()
    running.wait_for_load(1)
    second = max(running.processes("dbdyno.generator"), key=lambda process: process.pid)
    second.kill()
    ended = running.end()
    trial = stage.trial(1)
    assert (trial["status"], ended.errors) == (status, "")
    (lost,) = trial["end"]["lost"]
    assert (lost["generator_index"], lost["reason"]) == (1, LOST)
    assert [(each["standing"], each["reason"]) for each in trial["standings"]] == [("lost", LOST)]
    if policy == "fail":
        assert trial["reason"] == LOST
        return
    report = (stage.result / "report.html").read_text()
    assert "generator-lost" in report
    by_generator = pl.read_parquet(stage.result / "trials" / "0001" / "generators.parquet")
    last = by_generator.filter(phase="window").sort("index").tail(1)
    assert last["generator"].to_list() == [0]


def test_sets_of_generators_are_compared(stage: Stage, server: FixedServer) -> None:
    sets = "{one: [{cpus: 0}], two: [{cpus: 0}, {}]}"
    factors = "generators: [one, two]"
    write(stage, server, sets, factors=factors, load="{clients: 4}", rounds=2)
    ended = stage.run()
    assert ended.status == 0, ended
    for number in range(1, 5):
        trial = stage.trial(number)
        level = trial["cell"]["generators"]
        folder = stage.result / "trials" / f"{number:04d}"
        assert (folder / "generators.parquet").exists() == (level == "two")
        cpus = [part.get("cpus") for part in _asked(folder).get("generators", [])]
        assert cpus == ([[0], None] if level == "two" else [])
    report = (stage.result / "report.html").read_text()
    assert "generators=two" in report
    assert "What each generator did" in report


def _asked(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Return the plan of a trial as it is stored."""
    asked: dict[str, list[dict[str, object]]] = json.loads((folder / "plan.json").read_text())
    return asked
