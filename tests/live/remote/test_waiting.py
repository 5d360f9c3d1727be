"""Trials that wait for a generator's host that is gone, and what comes of it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb
from tests.live.remote.namespaces import Namespace
from tests.live.remote.test_remote_run import PASSWORD, loaded
from tests.live.run.launch import read_journal
from tests.live.run.stage import LASTING, PACED, Running, Stage

pytestmark = pytest.mark.live


@dataclass
class Campaign:
    """A run with a generator on a host that a gate leads to; its first trial is under way."""

    stage: Stage
    there: Namespace
    running: Running
    closed: Path

    def kill_agent(self) -> None:
        """End the agent, and let no other one in."""
        self.closed.touch()
        for agent in self.there.processes("dbdyno.agent"):
            agent.kill()

    def wait_until_waiting(self, times: int = 1) -> None:
        """Wait until the run has said so many times that it waits for the host."""
        self.running.wait_for(lambda: self.phases().count("waiting_for_host") == times)

    def phases(self) -> list[str]:
        return [str(line.get("phase")) for line in read_journal(self.stage.result)]


@contextmanager
def campaign(directory: Path, wait: str, rounds: int = 2) -> Iterator[Campaign]:
    """Begin a campaign of some trials with a generator here and one there."""
    stage, closed, gate = Stage(directory), directory / "closed", directory / "gate"
    gate.write_text(f'#!/bin/sh\ntest -e {closed} && {{ echo closed >&2; exit 1; }}\nexec "$@"\n')
    gate.chmod(0o700)
    with Namespace() as there, MariaDb("--bind-address=0.0.0.0") as server:
        stage.write(
            target=loaded(server, there.near),
            factors="clients: [8]",
            duration=LASTING,
            load=PACED,
            rounds=rounds,
            procedure=f"wait_for_hosts: {wait}",
        )
        host = (
            f"{{host: {there.address}, command: {gate} {there.command}, python: {sys.executable}}}"
        )
        stage.file.write_text(f"{stage.file.read_text()}generators: [{{}}, {host}]\n")
        running = stage.launch(environment={"BENCH": PASSWORD})
        running.wait_for_load(1)
        yield Campaign(stage, there, running, closed)
        assert there.processes("") == []


def test_a_host_that_lets_nobody_in_or_has_vanished_is_waited_for(tmp_path: Path) -> None:
    """Nobody is told that it has vanished: its agent seems to be there."""
    with campaign(tmp_path, "120s", rounds=3) as begun:
        begun.kill_agent()
        begun.wait_until_waiting()
        begun.closed.unlink()
        begun.running.wait_for_load(2)
        begun.there.cut()
        begun.wait_until_waiting(times=2)
        begun.there.plug()
        begun.running.end()
    assert begun.stage.statuses() == {1: "failed", 2: "failed", 3: "completed"}
    assert begun.phases().count("waiting_for_host") == 2


def test_a_host_that_does_not_come_back_in_time_is_a_trial_that_could_not_begin(
    tmp_path: Path,
) -> None:
    with campaign(tmp_path, "1s") as begun:
        begun.kill_agent()
        begun.running.end()
        address = begun.there.address
    assert begun.stage.statuses() == {1: "failed", 2: "interrupted"}
    assert begun.stage.trial(2)["reason"] == (
        f"it could not begin: waited 1 s for a host: host {address}: there is no agent: closed"
    )


def test_the_wait_for_a_host_can_be_interrupted(tmp_path: Path) -> None:
    with campaign(tmp_path, "10m") as begun:
        begun.kill_agent()
        begun.wait_until_waiting()
        begun.running.signal(signal.SIGINT)
        ended = begun.running.end()
    assert begun.stage.statuses() == {1: "failed"}
    assert "stopped; what was measured is kept" in " ".join((ended.output + ended.errors).split())
