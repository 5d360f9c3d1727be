"""What a run looks at and waits for between trials: its limits of time and disk, and its rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dbdyno.errors import RunError
from dbdyno.experiment.file.limits import show_bytes
from dbdyno.experiment.file.procedure import Procedure
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.run.log import RunLog
from dbdyno.target.local.files import allocated_bytes

STEP_S = 0.2
"""So soon is it noticed that the run is to end."""


class LimitReachedError(RunError):
    """A run has come to a limit that its experiment sets; what was measured is kept."""


class Pacing:
    """Decides before each trial whether it may begin, and when.

    The campaign's limit is of one call: the next one has as much time again. The first trial of a
    call begins in any case, so that every call brings the experiment on.
    """

    def __init__(
        self, procedure: Procedure, directory: Path, log: RunLog, check: Callable[[], None]
    ) -> None:
        """Prepare; ``check`` raises where the run is to end. The time of the call begins here."""
        self._procedure = procedure
        self._directory = directory
        self._log = log
        self._check = check
        self._started_s = time.monotonic()
        self._trial_started_s: float | None = None
        self._longest_trial_s = 0.0

    def before(self, trial: PlannedTrial) -> None:
        """Rest where another trial came before; ``LimitReachedError`` where this one may not begin.

        A limit is looked at before the rest, and a trial is known by the longest one so far.
        """
        if self._trial_started_s is not None:
            taken_s = time.monotonic() - self._trial_started_s
            self._longest_trial_s = max(self._longest_trial_s, taken_s)
            self._require_time(trial)
        self._require_disk(trial)
        if self._trial_started_s is not None:
            self._rest()
        self._trial_started_s = time.monotonic()

    def _require_time(self, trial: PlannedTrial) -> None:
        limit_s = self._procedure.limits.campaign_s
        if limit_s is None:
            return
        elapsed_s = time.monotonic() - self._started_s
        planned_s = trial.generator_plan.warmup_s + trial.generator_plan.duration_s
        needed_s = self._procedure.pause_s + max(self._longest_trial_s, planned_s)
        if elapsed_s + needed_s > limit_s:
            raise LimitReachedError(
                f"stopped before trial {trial.number}, which would end after limits.campaign "
                f"({limit_s:g} s): {elapsed_s:.0f} s are over, and a trial takes about "
                f"{needed_s:.0f} s. What was measured is kept; to go on, for as long again, call "
                f"the same with --out {self._directory}"
            )

    def _require_disk(self, trial: PlannedTrial) -> None:
        limit_bytes = self._procedure.limits.disk_bytes
        if limit_bytes is None:
            return
        taken_bytes = allocated_bytes(self._directory)
        if taken_bytes > limit_bytes:
            raise LimitReachedError(
                f"stopped before trial {trial.number}: {self._directory} takes "
                f"{show_bytes(taken_bytes)}, more than limits.disk ({show_bytes(limit_bytes)}). "
                "What was measured is kept; to go on, raise limits.disk and call the same with "
                f"--out {self._directory}"
            )

    def _rest(self) -> None:
        pause_s = self._procedure.pause_s
        if pause_s:
            self._log.begin_phase("resting", f"resting for {pause_s:g} s")
            rest(pause_s, self._check)


def rest(duration_s: float, check: Callable[[], None]) -> None:
    """Wait so long; ``check`` is called all the time, and raises where the run is to end."""
    end_s = time.monotonic() + duration_s
    while (left_s := end_s - time.monotonic()) > 0:
        check()
        time.sleep(min(STEP_S, left_s))
    check()
