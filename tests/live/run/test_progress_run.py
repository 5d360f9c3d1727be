"""What a run tells while it goes on: of whom CPUs are, to a program and on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from rich.text import Text

from dbdyno.database.session import open_session
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.target import MysqlTarget
from dbdyno.target.opening import open_target
from tests.live.run.launch import Ended
from tests.live.run.stage import LASTING, PACED, Stage

pytestmark = pytest.mark.live

PAIR = (
    "{cluster: {members: {first: {mysql: {}}, second: {mysql: {}, after: first}}, "
    "url: 'mysql://{user}@{first}/{database}'}}"
)
ON_A_TERMINAL = [
    sys.executable,
    "-c",
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
]


def lasting(stage: Stage, **changes: Any) -> Stage:
    """Write one trial in whose window a watcher reads at least once."""
    given: dict[str, Any] = {
        "factors": "clients: [1]",
        "rounds": 1,
        "duration": LASTING,
        "load": PACED,
    }
    return stage.write(**(given | changes))


def events_of(ended: Ended) -> list[dict[str, Any]]:
    assert ended.status == 0, ended
    return [json.loads(line) for line in ended.output.splitlines()]


def test_a_program_is_told_of_each_member_of_a_cluster(stage: Stage) -> None:
    events = events_of(lasting(stage, target=PAIR).run("--json"))
    names = [event["event"] for event in events]
    readings = [event for event in events if event["event"] == "cpu"]
    assert len(readings) >= 2
    assert {event["trial"] for event in readings} == {1}
    keys = {(use["role"], use["member"], use["host"]) for use in readings[0]["cpu"]}
    assert keys == {
        ("host", "", "local"),
        ("server", "first-1", "local"),
        ("server", "second-1", "local"),
        ("generator", "generator", "local"),
    }
    (finished,) = [event for event in events if event["event"] == "trial_finished"]
    assert {(use["role"], use["member"], use["host"]) for use in finished["cpu"]} == keys
    assert names.index("trial_begun") < names.index("trial_started") < names.index("cpu")
    table = pl.read_parquet(stage.result / "trials" / "0001" / "resources.parquet")
    servers = table.filter(pl.col("metric") == "process.cpu_user_s", pl.col("role") == "server")
    assert sorted(servers["member"].unique()) == ["first-1", "second-1"]


def test_each_generator_is_told_of(stage: Stage) -> None:
    lasting(
        stage,
        target="{mysql: {}}",
        load="{clients: 2}",
        factors="threads: {sets: load.workers, levels: [2]}",
    )
    stage.file.write_text(stage.file.read_text() + "generators: [{count: 2}]\n")
    events = events_of(stage.run("--json"))
    told = {use["member"] for event in events if event["event"] == "cpu" for use in event["cpu"]}
    assert told == {"", "server", "generator-1", "generator-2"}


def test_nothing_is_told_where_nothing_is_watched(stage: Stage) -> None:
    lasting(stage)
    stage.file.write_text(stage.file.read_text() + "watch: {host: none}\n")
    events = events_of(stage.run("--json"))
    assert "cpu" not in {event["event"] for event in events}
    (finished,) = [event for event in events if event["event"] == "trial_finished"]
    assert finished["cpu"] == []


def test_a_line_of_a_trial_ends_with_its_cpus(stage: Stage) -> None:
    ended = lasting(stage).run()
    assert ended.status == 0, ended
    (line,) = [line for line in ended.output.splitlines() if line.strip().startswith("1/1")]
    assert " CPUs busy: host " in line
    assert ", generator " in line


@pytest.mark.parametrize("columns", [40, 100])
def test_on_a_terminal(stage: Stage, columns: int) -> None:
    running = lasting(stage).launch(
        environment={
            "COLUMNS": str(columns),
            "TERM": "xterm-256color",
            "NO_COLOR": "1",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        },
        wrapper=ON_A_TERMINAL,
    )
    ended = running.end()
    assert ended.status == 0, ended
    assert "\x1b[38" not in ended.output
    drawn = ended.output.partition("look")[2].partition("1/1")[0]
    lines = [Text.from_ansi(line).plain.rstrip() for line in drawn.splitlines()]
    assert max(len(line) for line in lines) <= columns
    for words in ("0 of 1 trials", "clients=1, round 1 of 1: window, ", "CPUs", "host "):
        assert any(words in line for line in lines), "\n".join([words, *lines])
    assert all(one != "" or other != "" for one, other in pairwise(lines))


SLOW_SET_UP = """\
experiment: slow
question: What is waited for?
workload:
  sql:
    setup: [CREATE TABLE t (id INTEGER PRIMARY KEY), DO SLEEP(6)]
    transactions: {one: SELECT id FROM t}
target: {mysql: {}}
factors: {clients: [1]}
procedure: {warmup: 0.1s, duration: 0.3s, interval: 0.1s, rounds: 1}
"""


def test_what_takes_long_before_a_load_is_said_and_stored(stage: Stage) -> None:
    stage.file.write_text(SLOW_SET_UP)
    ended = stage.run()
    assert ended.status == 0, ended
    said = [
        line for line in ended.errors.splitlines() if "waiting for the tables to be made" in line
    ]
    assert said, ended.errors
    assert re.fullmatch(r"mysql://.*: .* to be made, \d+ s so far; .* after 86,400 s", said[0])
    told = [event["waiting"] for event in ended.events if event["event"] == "heartbeat"]
    assert said[0] in told


def test_a_long_statement_is_said_without_what_it_may_hold(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_target(MysqlTarget(), "slow", stage.directory / "server") as server:
        server.begin(own_setup(MysqlTarget()))
        with open_session(server.url, server.password) as session:
            session.query("SELECT SLEEP(6),\n 'precious'")
    said = capsys.readouterr().err
    assert re.search(r": waiting for SELECT SLEEP\(6\), …, \d+ s so far; .* after 600 s\n", said)
    assert "precious" not in said
