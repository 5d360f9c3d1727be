"""Waits before a trial for the hosts of its generators that are gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from dbdyno.errors import RunError
from dbdyno.interruption import RunInterruptedError
from dbdyno.run.log import RunLog
from dbdyno.run.pacing import rest

TRY_EVERY_S = 2.0

Find = Callable[[str], None]
"""Sees that a host can be reached; ``RunError`` where it cannot be now."""


class HostWait:
    """Lets trials wait for hosts; with a limit of 0 hosts are not even looked at."""

    def __init__(
        self, limit_s: float, find: Find | None, log: RunLog, check: Callable[[], None]
    ) -> None:
        """Prepare; ``check`` raises where the run is to end, and ``find`` is None without hosts."""
        self._limit_s = limit_s
        self._find = find
        self._log = log
        self._check = check

    def wait(self, hosts: Iterable[str]) -> None:
        """Return when all hosts are there; ``RunError`` where one does not come back in time."""
        if self._find is None or not self._limit_s:
            return
        deadline_s = time.monotonic() + self._limit_s
        for host in dict.fromkeys(hosts):
            self._wait_for(host, self._find, deadline_s)

    def _wait_for(self, host: str, find: Find, deadline_s: float) -> None:
        is_told = False
        while True:
            try:
                find(host)
            except RunInterruptedError:
                raise
            except RunError as error:
                if time.monotonic() > deadline_s:
                    raise RunError(f"waited {self._limit_s:g} s for a host: {error}") from error
                if not is_told:
                    words = f"waiting for a host, {self._limit_s:g} s at the most ({error})"
                    self._log.begin_phase("waiting_for_host", words)
                    is_told = True
            else:
                return
            rest(min(TRY_EVERY_S, max(0.0, deadline_s - time.monotonic())), self._check)
