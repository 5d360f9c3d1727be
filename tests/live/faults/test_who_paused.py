"""Who stood still: a server that does is reported as stalled, a generator that does is not used."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Findings, Warning
from dbdyno.analysis.validity.catalogue import Code
from dbdyno.analysis.validity.stalls import STALL_MIN_S
from dbdyno.store.reader import read_result
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.experiments import prepare
from tests.live.faults.servers import hold, on_each
from tests.live.run.stage import Running

pytestmark = pytest.mark.live

HELD_S = 1.5
WINDOW = "5s"
TRIES = 5
"""How often at most a trial is run whose generator the machine itself may keep for a while."""

GAPS = re.compile(r"\d+ gaps? of more than ([\d.]+) s without a completion, the longest ([\d.]+) s")


@dataclass(frozen=True)
class Trial:
    """What was found, and for how long somebody really stood still."""

    found: Findings
    warnings: dict[str, Warning]
    held_s: float

    def gaps_s(self) -> tuple[float, float]:
        """Return what counts as a gap, which depends on the machine, and the longest."""
        evidence = self.warnings[Code.STALLS].evidence
        gaps = GAPS.match(evidence)
        assert gaps is not None, evidence
        return float(gaps[1]), float(gaps[2])


def run_trial(server: FixedServer, directory: Path, hold_it: Callable[[Running], float]) -> Trial:
    """Run a trial in which one of the two stands still; its closed loop goes on afterwards."""
    stage = prepare(directory, server, duration=WINDOW)
    running = stage.launch()
    running.wait_for_load(1)
    held_s = hold_it(running)
    ended = running.end()
    assert ended.status in {0, 1}, ended
    found = analyse(read_result(stage.result))
    return Trial(found, {warning.code: warning for warning in found.warnings}, held_s)


def stop_generator(running: Running) -> float:
    """Stop the process that makes load, as Ctrl-Z or a suspended machine does."""
    (generator,) = running.processes("dbdyno.generator")
    began_s = time.monotonic()
    generator.send_signal(signal.SIGSTOP)
    try:
        time.sleep(HELD_S)
        return time.monotonic() - began_s
    finally:
        generator.send_signal(signal.SIGCONT)


def test_a_server_that_stands_still_is_named(servers: list[FixedServer], tmp_path: Path) -> None:
    def check(server: FixedServer) -> None:
        for number in range(TRIES):
            directory = tmp_path / f"{server.scheme}-{number}"
            trial = run_trial(server, directory, lambda _: hold(server, HELD_S))
            if Code.GENERATOR_STOPPED not in trial.warnings:
                break
        assert Code.GENERATOR_STOPPED not in trial.warnings
        assert trial.found.trials_used == 1
        shortest_s, longest_s = trial.gaps_s()
        assert STALL_MIN_S <= shortest_s < HELD_S
        assert 0.8 * HELD_S < longest_s < trial.held_s + HELD_S / 2

    on_each(servers, check)


def test_a_generator_that_stands_still_is_not_charged_to_the_server(
    servers: list[FixedServer], tmp_path: Path
) -> None:
    def check(server: FixedServer) -> None:
        trial = run_trial(server, tmp_path / server.scheme, stop_generator)
        assert trial.warnings[Code.GENERATOR_STOPPED].trials == (1,)
        assert trial.found.trials_used == 0
        # The server may have been kept by the machine, but not for as long.
        if Code.STALLS in trial.warnings:
            assert trial.gaps_s()[1] < HELD_S / 2

    on_each(servers, check)
