"""What the runner tells while it works: to a terminal, to a log, or to nobody."""

from __future__ import annotations

from typing import Any, Protocol

from dbdyno.experiment.plan import Plan, PlannedTrial
from dbdyno.store.model import TrialStatus


class Progress(Protocol):
    """Somebody who wants to know how the run goes on. Nothing is ever asked of it."""

    def run_started(self, plan: Plan, pending: int) -> None:
        """So many of the plan's trials are to be run."""

    def preparing(self, what: str) -> None:
        """Say what happens before a trial: starting, loading, restoring."""

    def loading(self, rows: int, rows_total: int) -> None:
        """Rows so far."""

    def trial_started(self, trial: PlannedTrial) -> None:
        """Clients connect."""

    def event(self, trial: PlannedTrial, event: dict[str, Any]) -> None:
        """One event of the generator."""

    def trial_finished(self, trial: PlannedTrial, status: TrialStatus, reason: str | None) -> None:
        """Say how a trial ended, once it is stored."""

    def message(self, text: str) -> None:
        """Something that the user should read."""
