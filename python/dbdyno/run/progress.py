"""What the runner tells while it works: to a terminal, to a log, or to nobody."""

from __future__ import annotations

from typing import Protocol

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.protocol.events import TrialEvent
from dbdyno.store.model import TrialStatus
from dbdyno.watch.cpu_use import CpuReading


class Progress(Protocol):
    """Somebody who wants to know how the run goes on. Nothing is ever asked of it."""

    def run_started(self, plan: Plan, pending: int) -> None:
        """So many of the plan's trials are to be run."""

    def plan_grew(self, plan: Plan) -> None:
        """Take note of a plan with more trials at its end."""

    def expected(self, problem: str) -> None:
        """Tell what will keep some trials from beginning."""

    def warn(self, warning: str) -> None:
        """Tell what is wrong and ends nothing."""

    def preparing(self, what: str) -> None:
        """Say what happens before or after a load: starting, loading, restoring, checking."""

    def loading(self, rows: int, rows_total: int) -> None:
        """Rows so far."""

    def waiting(self, words: str) -> None:
        """Say what has been waited for so long."""

    def trial_begun(self, trial: PlannedTrial, attempt: int) -> None:
        """Say which trial is next: its server and its data are made ready."""

    def trial_started(self, trial: PlannedTrial) -> None:
        """Clients connect."""

    def event(self, trial: PlannedTrial, event: TrialEvent) -> None:
        """One event of the generator."""

    def cpu_used(self, reading: CpuReading) -> None:
        """Say how many CPUs were busy a moment ago, while a trial's load runs.

        This comes from other threads, in the midst of any other call.
        """

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Say how a trial ended, once it is stored."""

    def stopping(self) -> None:
        """Note that the run was asked to end. This comes in the midst of any other call."""
