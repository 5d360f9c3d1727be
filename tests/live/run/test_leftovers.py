"""Processes that a killed run has left, and the next run of the same command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from dbdyno.processes import ProcessMark, mark
from tests.live.run.stage import Stage


@pytest.fixture
def forgotten() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process that nobody ends."""
    process = subprocess.Popen(["sleep", "300"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def note(stage: Stage, process: ProcessMark) -> None:
    """Write into the journal what a run writes that starts a server."""
    event = {
        "event": "server_started",
        "target": "sqlite",
        "url": "sqlite:///x",
        "processes": [asdict(process)],
        "unix_s": 1.0,
    }
    with (stage.result / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps(event) + "\n")


def test_what_an_earlier_run_has_left_is_ended(
    stage: Stage, forgotten: subprocess.Popen[bytes]
) -> None:
    assert stage.run().status == 0
    process = mark(forgotten.pid)
    assert process is not None
    note(stage, process)
    ended = stage.run()
    assert ended.status == 0
    assert forgotten.wait(10) == -9
    (told,) = [event for event in ended.events if event["event"] == "leftover_ended"]
    assert told["process"] == asdict(process)


def test_a_process_that_only_has_its_number_is_left_alone(
    stage: Stage, forgotten: subprocess.Popen[bytes]
) -> None:
    assert stage.run().status == 0
    process = mark(forgotten.pid)
    assert process is not None
    note(stage, ProcessMark(process.process_id, process.start_ticks - 1, process.boot_id))
    assert stage.run().status == 0
    assert forgotten.poll() is None
