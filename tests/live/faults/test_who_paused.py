"""Who stood still: a server that does is reported as stalled, a generator that does is not used."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.validity.codes import Code
from dbdyno.store.reader import read_result
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.experiments import prepare
from tests.live.faults.servers import hold, on_each
from tests.live.run.stage import Running
from tests.unit.analysis import told

pytestmark = pytest.mark.live

HELD_S = 1.5
WINDOW = "5s"
TRIES = 5
"""How often at most a trial is run of which the machine itself may keep one of the two."""

ONE_GAP = re.compile(r"1 gap of more than 0\.2 s without a completion, the longest ([\d.]+) s")
"""On a machine that lets few transactions end, it takes longer until a pause counts as a gap."""


def findings_of(server: FixedServer, directory: Path, *, hold_generator: bool) -> Findings:
    """Run a trial in which one of the two stands still; its closed loop goes on afterwards."""
    stage = prepare(directory, server, duration=WINDOW)
    running = stage.launch()
    running.wait_for_load(1)
    if hold_generator:
        stop_generator(running)
    else:
        hold(server, HELD_S)
    ended = running.end()
    assert ended.status in {0, 1}, ended
    return analyse(read_result(stage.result))


def stop_generator(running: Running) -> None:
    """Stop the process that makes load, as Ctrl-Z or a suspended machine does."""
    (generator,) = running.processes("dbdyno.generator")
    generator.send_signal(signal.SIGSTOP)
    try:
        time.sleep(HELD_S)
    finally:
        generator.send_signal(signal.SIGCONT)


def evidence_of(found: Findings, code: Code) -> str:
    """Return what a warning says; nothing where it was not given."""
    return next((told.evidence_of(each) for each in found.warnings if each.code is code), "")


def test_a_server_that_stands_still_is_named(servers: list[FixedServer], tmp_path: Path) -> None:
    def check(server: FixedServer) -> None:
        for number in range(TRIES):
            directory = tmp_path / f"{server.scheme}-{number}"
            found = findings_of(server, directory, hold_generator=False)
            stopped = evidence_of(found, Code.GENERATOR_STOPPED)
            gap = ONE_GAP.match(evidence_of(found, Code.STALLS))
            if gap and not stopped:
                break
        assert not stopped
        assert found.trials_used == 1
        assert gap, evidence_of(found, Code.STALLS)
        assert 0.8 * HELD_S < float(gap[1]) < 2 * HELD_S

    on_each(servers, check)


def test_a_generator_that_stands_still_is_not_charged_to_the_server(
    servers: list[FixedServer], tmp_path: Path
) -> None:
    def check(server: FixedServer) -> None:
        for number in range(TRIES):
            directory = tmp_path / f"{server.scheme}-{number}"
            found = findings_of(server, directory, hold_generator=True)
            codes = {warning.code: warning for warning in found.warnings}
            assert codes[Code.GENERATOR_STOPPED].trials == (1,)
            assert found.trials_used == 0
            if Code.STALLS not in codes:
                break
        assert Code.STALLS not in codes

    on_each(servers, check)
