"""Where a trial's window begins on the clock of the host that watches it.

The window's start is told by the generator. Of one that does not tell it, as older ones did not, an
interval's arrival says it a little too late: the one that came soonest after its end comes closest.
"""

from __future__ import annotations

import polars as pl

from dbdyno.protocol.events import Started, TrialEvent, WarmupEnded
from dbdyno.protocol.intervals import Interval
from dbdyno.store.model import ResourcesZero


class TrialClock:
    """Follows the events of a trial."""

    def __init__(self) -> None:
        self._soonest_s: float | None = None
        self._told_s: float | None = None

    def take(self, event: TrialEvent, now_s: float) -> None:
        """Take in what the generator says, and when, on this host's monotonic clock."""
        if isinstance(event, Started | WarmupEnded) and event.window_start is not None:
            self._told_s = event.window_start.monotonic_ns / 1e9
        elif isinstance(event, Interval):
            told_s = now_s - event.end_s
            self._soonest_s = min(told_s, told_s if self._soonest_s is None else self._soonest_s)

    @property
    def zero(self) -> ResourcesZero:
        """From where aligned resources count."""
        if self._told_s is not None:
            return ResourcesZero.WINDOW_START
        if self._soonest_s is None:
            return ResourcesZero.WATCH_START
        return ResourcesZero.FIRST_INTERVAL

    def aligned(self, resources: pl.DataFrame) -> pl.DataFrame:
        """Return what was watched with ``start_s`` on the trial's clock instead of the host's."""
        first_s = pl.col("start_s").min()
        known_s = self._soonest_s if self._told_s is None else self._told_s
        zero_s = first_s if known_s is None else pl.lit(known_s)
        return resources.with_columns(pl.col("start_s") - zero_s)
