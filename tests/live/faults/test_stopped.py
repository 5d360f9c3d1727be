"""A server that stands still for seconds and then goes on, as one does whose disk is busy.

An open loop charges the stall to everything that was due meanwhile; nothing is an error that the
limits allow. Beside it a trial whose statements may take a second only gives the same stall up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbdyno.store.model import StoredTrial, TrialStatus
from dbdyno.store.reader import read_result
from tests.live.engine.conftest import intervals, total
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.experiments import identity_of, prepare
from tests.live.faults.servers import hold, on_each
from tests.live.faults.trials import LIMIT_S, Trial, assert_that_all_is_accounted_for, counted

pytestmark = pytest.mark.live

HELD_S = 3.0
WINDOW_S = 8.0
"""Long enough for a busy machine to begin the stall and to end it within."""
RATE_PER_S = 20
"""Little enough for a busy machine to keep up with, stall and all."""
NANOSECONDS = 1e9


def test_a_server_that_stands_still(servers: list[FixedServer], tmp_path: Path) -> None:
    on_each(servers, lambda server: stand_still(server, tmp_path / server.scheme))


def stand_still(server: FixedServer, directory: Path) -> None:
    """Hold a server while both trials run, and look at what they saw."""
    drains = {"drain_s": LIMIT_S / 2, "interrupted_drain_s": LIMIT_S / 2}
    limits = {"connect_s": 20.0, "statement_s": 1.0, **drains}
    arrivals = {"constant": {"rate_per_s": float(RATE_PER_S)}}
    impatient = Trial(server.url(), limits=limits, arrivals=arrivals)
    impatient.wait_until_it_commits()
    load = f"{{arrivals: constant, rate: {RATE_PER_S}, clients: 8}}"
    stage = prepare(directory, server, load=load, duration=f"{WINDOW_S}s")
    running = stage.launch()
    running.wait_for_load(1)
    held_s = hold(server, HELD_S)
    impatient.wait_until_it_reconnected()
    impatient.wait_until_it_commits()
    assert_that_it_gave_up(impatient.stop())
    ended = running.end()
    assert ended.status == 0, ended
    (trial,) = read_result(stage.result).trials
    assert_that_all_was_charged(trial, held_s)


def assert_that_it_gave_up(events: list[dict[str, Any]]) -> None:
    """Each of the four clients lost a statement, and all came back."""
    assert_that_all_is_accounted_for(events)
    classes = counted(events)
    assert set(classes) <= {"timeout", "deadlock"}
    assert classes["timeout"] >= total(events, "failed") >= 4
    assert sum(event["reconnects"] for event in intervals(events)) >= 4
    samples = {error["sample"] for event in intervals(events) for error in event["errors"]}
    assert any("1 s" in sample for sample in samples), samples


def assert_that_all_was_charged(trial: StoredTrial, held_s: float) -> None:
    """Every transaction that was due is there, and those of the stall waited for its end."""
    assert trial.status is TrialStatus.COMPLETED, trial.reason
    assert {error.error_class for error in trial.errors} <= {"deadlock"}
    sums = identity_of(trial)
    assert sums["scheduled"] == sums["committed"]
    assert sums["scheduled"] == pytest.approx(RATE_PER_S * (WINDOW_S + 0.1), abs=2)
    response = trial.histograms["oltp_read_write", "response"]
    assert response.max_ns > 0.95 * held_s * NANOSECONDS
    charged = sum(count for value_ns, count in response.recorded() if value_ns > NANOSECONDS)
    assert charged > 0.9 * RATE_PER_S * (held_s - 1.0)
    service = trial.histograms["oltp_read_write", "service"]
    assert sum(count for value_ns, count in service.recorded() if value_ns > NANOSECONDS) <= 8
