"""What the journal tells of a run."""

from __future__ import annotations

import pytest

from dbdyno.serve.run_state import RunState, Standing
from dbdyno.store.journal import (
    JournalEvent,
    PhaseBegan,
    PlanGrew,
    RunCompleted,
    RunEndedEarly,
    RunStarted,
    TrialFinished,
    TrialRecovered,
    TrialStarted,
)
from dbdyno.store.model import TrialStatus
from tests.unit.serve.test_precision import plan

STARTED = RunStarted(unix_s=100.0, pending=12)
LOAD = PhaseBegan(unix_s=105.0, phase="load")


def state_of(*events: JournalEvent) -> RunState:
    state = RunState(plan())
    for event in events:
        state.take(event)
    return state


def finished(trial: int, status: TrialStatus = TrialStatus.COMPLETED) -> TrialFinished:
    return TrialFinished(unix_s=120.0, trial=trial, status=status, reason="why")


def test_a_run_begins_and_ends() -> None:
    assert state_of().standing is Standing.WAITING
    running = state_of(STARTED, TrialStarted(trial=1), LOAD)
    assert running.standing is Standing.RUNNING
    assert running.is_at_trial
    assert running.phase == "load"
    over = state_of(STARTED, TrialStarted(trial=1), LOAD, finished(1), RunCompleted())
    assert over.standing is Standing.COMPLETE
    assert not over.is_at_trial
    assert over.left() is None


@pytest.mark.parametrize(
    ("reason", "standing"),
    [
        ("stopped; what was measured is kept", Standing.INTERRUPTED),
        ("ended at once; what was measured is kept", Standing.INTERRUPTED),
        ("no space left on the disk", Standing.FAILED),
    ],
)
def test_who_ended_it_is_told(reason: str, standing: Standing) -> None:
    assert state_of(STARTED, RunEndedEarly(reason=reason)).standing is standing


def test_a_trial_that_runs_again_has_no_outcome_meanwhile() -> None:
    state = state_of(STARTED, TrialStarted(trial=1), finished(1, TrialStatus.FAILED))
    assert (len(state.outcomes), state.bad.total()) == (1, 1)
    state.take(TrialStarted(trial=1, attempt=2))
    assert (len(state.outcomes), state.bad.total(), state.attempt) == (0, 0, 2)
    state.take(finished(1))
    assert (len(state.outcomes), state.bad.total()) == (1, 0)


def test_what_a_crash_left_is_bad_until_it_is_run_again() -> None:
    state = state_of(STARTED, TrialStarted(trial=1), LOAD, TrialRecovered(trial=1))
    assert state.bad.total() == 1
    assert not state.is_at_trial


def test_the_time_left_follows_what_was_seen() -> None:
    state = state_of(STARTED, TrialStarted(unix_s=100.0, trial=1), finished(1))
    left = state.left()
    # 20 s a trial, 11 to go; but the last one ended long ago by the clock of this machine.
    assert left is not None
    assert left.is_least


def test_a_search_has_more_to_do() -> None:
    state = state_of(STARTED, TrialStarted(trial=1), finished(1), PlanGrew(trials=20))
    assert state._pending == 20


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        (TrialStatus.COMPLETED, Standing.COMPLETE),
        (TrialStatus.INTERRUPTED, Standing.INTERRUPTED),
        (TrialStatus.FAILED, Standing.FAILED),
    ],
)
def test_a_command_without_an_experiment_has_one_trial_and_no_run(
    status: TrialStatus, standing: Standing
) -> None:
    state = state_of(TrialStarted(unix_s=50.0, trial=1))
    assert state.standing is Standing.RUNNING
    assert state.phase == "load"
    assert state.started_unix_s == 50.0
    state.take(finished(1, status))
    assert state.standing is standing
