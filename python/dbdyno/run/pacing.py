"""What a run does between two trials: it rests."""

from __future__ import annotations

import time
from collections.abc import Callable

from dbdyno.experiment.file.procedure import Procedure
from dbdyno.run.log import RunLog

STEP_S = 0.2
"""So soon is it noticed that the run is to end."""


class Pacing:
    """Waits between trials, as the procedure asks for."""

    def __init__(self, procedure: Procedure, log: RunLog, check: Callable[[], None]) -> None:
        """Prepare; ``check`` raises where the run is to end."""
        self._procedure = procedure
        self._log = log
        self._check = check

    def rest(self) -> None:
        """Wait as long as the procedure has trials wait for each other."""
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
