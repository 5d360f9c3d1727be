"""Runs that are stopped or killed on their way, and the next run of the same command."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from tests.live.run.stage import LASTING, PACED, Running, Stage

KEPT = "what was measured is kept. To go on, call the same with --out"

Send = Callable[[Running, signal.Signals], None]
ALONE = Running.signal
GROUP = Running.signal_group


def launch_longer(stage: Stage, rounds: int) -> Running:
    """Start trials that a test can catch in their midst."""
    return stage.write(load=PACED, factors="clients: [1]", duration=LASTING, rounds=rounds).launch()


def interrupted_in_trial(stage: Stage, running: Running, trial: int) -> None:
    """See a run end that was stopped in the midst of a trial; what it did is kept."""
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == f"stopped; {KEPT} {stage.result}\n"
    statuses = dict.fromkeys(range(1, trial), "completed") | {trial: "interrupted"}
    assert stage.statuses() == statuses
    assert stage.trial(trial)["reason"] == "stopped before its end"
    assert list((stage.result / "work" / "snapshots").iterdir()) != []
    assert (stage.result / "report.html").exists()
    assert f"{trial - 1} of {stage.trials} trials used" in ended.output


def goes_on_from(stage: Stage, trial: int) -> None:
    """Run the same command again: the trials before this one stay, all others run."""
    kept = tuple(f"trials/{number:04d}/" for number in range(1, trial))
    before = {path: hash for path, hash in stage.fingerprints().items() if path.startswith(kept)}
    ended = stage.run()
    assert ended.status == 0, ended
    assert ended.errors == ""
    missing = list(range(trial, stage.trials + 1))
    assert ended.trials("trial_started") == ended.trials("trial_finished") == missing
    assert stage.statuses() == dict.fromkeys(range(1, stage.trials + 1), "completed")
    assert before.items() <= stage.fingerprints().items()
    assert not (stage.result / "work").exists()


@pytest.mark.parametrize(
    ("rounds", "send", "number"),
    [(3, ALONE, signal.SIGINT), (2, GROUP, signal.SIGINT), (2, ALONE, signal.SIGTERM)],
    ids=["to the runner", "to its group, in the last trial", "terminated, in the last trial"],
)
def test_stopped_in_a_trial(stage: Stage, rounds: int, send: Send, number: signal.Signals) -> None:
    running = launch_longer(stage, rounds)
    running.wait_for_load(2)
    send(running, number)
    interrupted_in_trial(stage, running, 2)
    goes_on_from(stage, 2)
    assert stage.trial(2, ".superseded-1")["status"] == "interrupted"


def test_stopped_while_loading(stage: Stage) -> None:
    running = stage.write(table_size=500_000).launch()
    running.wait_for_process("dbdyno.generator")
    running.signal_group(signal.SIGINT)
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == f"stopped; {KEPT} {stage.result}\n"
    assert ended.trials("trial_finished") == []
    assert stage.statuses() == {}
    assert "0 of 4 trials used" in ended.output
    assert (stage.result / "report.html").exists()
    assert not (stage.result / "work").exists()


@pytest.mark.parametrize("start", ["snapshot", "reload", "continue"])
def test_loading_that_was_cut_short_begins_anew(stage: Stage, start: str) -> None:
    stage.write(factors="clients: [1]", rounds=1, table_size=100_000, procedure=f"start: {start}")
    running = stage.launch()
    database = stage.result / "work" / "sqlite" / "data" / "database.sqlite"
    running.wait_for(lambda: database.exists() and database.stat().st_size > 1 << 20)
    running.signal(signal.SIGKILL)
    running.end(leaves=True)
    assert database.exists()
    goes_on_from(stage, 1)
    assert stage.trial(1)["dataset"]["rows"] == 100_000


def test_the_second_time_it_ends_at_once(stage: Stage) -> None:
    running = launch_longer(stage, rounds=2)
    running.wait_for_load(2)
    # A generator that is asked to end does so at once; suspended, it would keep the runner waiting.
    running.processes("dbdyno.generator")[0].suspend()
    # Two signals of one kind that come close to each other are one to the kernel.
    running.signal(signal.SIGTERM)
    running.signal(signal.SIGINT)
    ended = running.end()
    assert ended.status == 1
    assert ended.errors == f"ended at once; {KEPT} {stage.result}\n"
    assert stage.trial(2)["status"] == "interrupted"
    goes_on_from(stage, 2)


def test_killed_in_a_trial(stage: Stage) -> None:
    running = launch_longer(stage, rounds=2)
    running.wait_for_load(2)
    running.signal(signal.SIGKILL)
    running.end(leaves=True)
    assert stage.statuses() == {1: "completed"}
    goes_on_from(stage, 2)
    recovered = stage.trial(2, ".superseded-1")
    assert recovered["status"] == "interrupted"
    assert recovered["reason"] == "the run ended before this trial did"
