"""What a run does: into its journal, and to whoever watches it."""

from __future__ import annotations

import time

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.events import TrialEvent
from dbdyno.run.progress import Progress
from dbdyno.store.journal import (
    Heartbeat,
    Journal,
    JournalEvent,
    PhaseBegan,
    PhaseName,
    TrialStarted,
)
from dbdyno.store.model import TrialStatus
from dbdyno.watch.cpu_use import CpuReading

HEARTBEAT_S = 30.0
"""After so long without any other line the journal says that the run is still at work."""


class RunLog:
    """Writes events into the journal as they happen, and passes on what a progress shows."""

    def __init__(self, journal: Journal, progress: Progress) -> None:
        self._journal = journal
        self._progress = progress
        self._written_s = time.monotonic()

    def write(self, event: JournalEvent) -> None:
        """Write an event into the journal."""
        self._journal.write(event)
        self._written_s = time.monotonic()

    def begin_phase(self, phase: PhaseName, words: str, target: str | None = None) -> None:
        """Say what happens from now on, before or after a trial's load."""
        self.write(PhaseBegan(phase=phase, target=target))
        self._progress.preparing(words)

    def warn(self, warning: str) -> None:
        """Say what is wrong and ends nothing."""
        self._progress.warn(warning)

    def plan_grew(self, plan: Plan) -> None:
        """Say that there are more trials now."""
        self._progress.plan_grew(plan)

    def trial_begun(self, trial: PlannedTrial, attempt: int) -> None:
        """Say which trial is next, and for which time it is tried."""
        self.write(TrialStarted(trial=trial.number, attempt=attempt))
        self._progress.trial_begun(trial, attempt)

    def trial_started(self, trial: PlannedTrial) -> None:
        """Say that a trial's load begins."""
        self.write(PhaseBegan(phase="load", target=trial.target))
        self._progress.trial_started(trial)

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Say how a trial ended, once it is stored."""
        self._progress.trial_finished(trial, status, reason)

    def loading(self, rows: int, rows_total: int) -> None:
        """Say how far a load is."""
        self._progress.loading(rows, rows_total)
        self._beat(None)

    def waiting(self, words: str) -> None:
        """Say what has been waited for so long."""
        self.write(Heartbeat(waiting=words))
        self._progress.waiting(words)

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """Pass an event of the generator on."""
        self._progress.event(trial, event)
        self._beat(trial.number)

    def cpu_used(self, reading: CpuReading) -> None:
        """Pass on how many CPUs were busy; this comes from other threads."""
        self._progress.cpu_used(reading)

    def _beat(self, trial: int | None) -> None:
        if time.monotonic() - self._written_s >= HEARTBEAT_S:
            self.write(Heartbeat(trial=trial))
