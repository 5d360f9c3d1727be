"""What the journal tells of a run: how it stands, where it is, and how its trials ended."""

from __future__ import annotations

import time
from collections import Counter
from enum import StrEnum

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.interruption import was_interruption
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
from dbdyno.time_left import Left, TimeLeft


class Standing(StrEnum):
    """How a run stands."""

    WAITING = "waiting"
    """It has not begun."""
    RUNNING = "running"
    SILENT = "silent"
    """It has not ended, and gives no sign of life."""
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """Somebody stopped it."""
    FAILED = "failed"
    """It ended before its end, for a reason of its own, or no trial of it ended well."""


_OF_COMMAND = {
    TrialStatus.COMPLETED: Standing.COMPLETE,
    TrialStatus.INTERRUPTED: Standing.INTERRUPTED,
    TrialStatus.FAILED: Standing.FAILED,
}
"""How a command without an experiment file stands, whose only trial has ended."""


class RunState:
    """Takes the journal in, event by event. ``plan`` is set whenever it has been read anew."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.standing = Standing.WAITING
        self.started_unix_s: float | None = None
        self.last_unix_s = 0.0
        self.reason: str | None = None
        """Why the run ended early, in its own words."""
        self.boot_id: str | None = None
        self.outcomes: dict[int, TrialStatus] = {}
        self.reasons: dict[int, str | None] = {}
        self.trial: int | None = None
        """The trial at hand, or the last one."""
        self.attempt = 1
        self.phase: str | None = None
        """What is done now; None between trials."""
        self._has_run = False
        """Whether there is a run. What a command without an experiment file stores has none."""
        self._pending = 0
        self._finished: set[int] = set()
        self._now_s = 0.0
        self._time_left = TimeLeft(lambda: self._now_s)

    @property
    def planned(self) -> PlannedTrial | None:
        """The plan of the trial at hand, or of the last one."""
        return next((each for each in self.plan.trials if each.number == self.trial), None)

    @property
    def is_at_trial(self) -> bool:
        """Whether a trial has begun and not ended."""
        is_over = self.standing in (Standing.COMPLETE, Standing.INTERRUPTED, Standing.FAILED)
        return self.trial is not None and self.trial not in self._finished and not is_over

    @property
    def bad(self) -> Counter[TrialStatus]:
        """How many trials ended, and not well, by how they did."""
        bad = Counter(self.outcomes.values())
        del bad[TrialStatus.COMPLETED]
        return bad

    def take(self, event: JournalEvent) -> None:
        """Take an event in."""
        self.last_unix_s = self._now_s = event.unix_s
        match event:
            case RunStarted():
                self._has_run = True
                self._run_started(event)
            case RunCompleted():
                self.standing, self.phase = self._standing_of_all(), None
            case RunEndedEarly():
                is_stopped = was_interruption(event.reason)
                self.standing = Standing.INTERRUPTED if is_stopped else Standing.FAILED
                self.reason, self.phase = event.reason, None
            case PlanGrew():
                self._pending = len(self._finished) + event.trials - self._ended()
            case TrialStarted():
                self.trial, self.attempt, self.phase = event.trial, event.attempt, None
                # One that is run again has no outcome meanwhile.
                self._finished.discard(event.trial)
                self.outcomes.pop(event.trial, None)
                if not self._has_run:
                    self._run_started(RunStarted(unix_s=event.unix_s, pending=1))
                    self._phase_began(PhaseBegan(phase="load"))
            case PhaseBegan():
                self._phase_began(event)
            case TrialFinished():
                self._trial_ended(event.trial, event.status, event.reason)
                if not self._has_run:
                    self.standing, self.reason = _OF_COMMAND[event.status], event.reason
            case TrialRecovered():
                self._trial_ended(event.trial, TrialStatus.INTERRUPTED, None)

    def _standing_of_all(self) -> Standing:
        """Return how a run stands that has come to its end: failed where all of its trials did."""
        statuses = set(self.outcomes.values())
        return Standing.FAILED if statuses == {TrialStatus.FAILED} else Standing.COMPLETE

    def _ended(self) -> int:
        """Return how many trials need not be run any more."""
        return sum(status is not TrialStatus.INTERRUPTED for status in self.outcomes.values())

    def left(self) -> Left | None:
        """Return how long the run will still take; None where it is not at work."""
        if self.standing is not Standing.RUNNING:
            return None
        self._now_s = time.time()
        return self._time_left.left(max(self._pending - len(self._finished), 0))

    def _run_started(self, event: RunStarted) -> None:
        self.standing, self.reason = Standing.RUNNING, None
        if self.started_unix_s is None:
            self.started_unix_s = event.unix_s
        self.boot_id = event.host.get("boot_id")
        self._pending, self._finished = event.pending, set()
        self._time_left = TimeLeft(lambda: self._now_s)
        if self.plan.trials:
            self._time_left.run_started(self.plan, event.pending)

    def _phase_began(self, event: PhaseBegan) -> None:
        self.phase = event.phase
        if event.phase == "loading":
            self._time_left.step_began()
            self._time_left.loading()
        elif event.phase == "load" and self.planned is not None:
            self._time_left.load_began(self.planned)
        else:
            self._time_left.step_began()

    def _trial_ended(self, trial: int, status: TrialStatus, reason: str | None) -> None:
        self.outcomes[trial], self.reasons[trial] = status, reason
        self._time_left.trial_finished(status, self._pending - len(self._finished))
        self._finished.add(trial)
        self.phase = None
