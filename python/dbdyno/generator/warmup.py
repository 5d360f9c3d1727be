"""Ends a warm-up as soon as throughput is steady: hears the generators, and tells them.

The plan's warm-up is the bound. What moves is the number of the interval with which the window
begins, so that generators whose clocks differ all begin it with the same interval.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from dbdyno.generator.steadiness import is_steady, judge
from dbdyno.protocol.events import (
    Started,
    ThroughputChange,
    TrialEvent,
    WarmupEnded,
    WindowKept,
    WindowMoved,
)
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.protocol.trial_plan import TrialPlan

WHOLE_SHARE_MIN = 0.95
"""The first interval of a warm-up may be shorter than the others: it is not judged."""


class SteadyWarmup:
    """Follows one trial's events."""

    def __init__(
        self,
        plan: TrialPlan,
        begin_window_at: Callable[[int], None],
        ahead_s: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; generators must be told ``ahead_s`` before the window begins."""
        assert plan.warmup_least_s is not None, "this warm-up may end before its time"
        self._plan = plan
        self._least_s = plan.warmup_least_s
        self._begin_window_at = begin_window_at
        self._ahead_s = ahead_s
        self._ahead_factor = 1
        self._clock = clock
        self._planned_start_s = math.inf
        self._throughput: list[float] = []
        self._change: ThroughputChange | None = None
        self._is_asking = self._has_ended = False

    def follow(self, events: Iterator[TrialEvent]) -> Iterator[TrialEvent]:
        """Yield what is said, and how the warm-up ended in place of the generators' words on it."""
        for event in events:
            match event:
                case WindowMoved():
                    yield self._moved(event)
                    continue
                case WindowKept():
                    # It took longer than expected until they heard it.
                    self._ahead_factor *= 2
                    self._is_asking = False
                case Started():
                    self._planned_start_s = event.window_start.monotonic_ns / 1e9
                case Interval(phase=Phase.WARMUP):
                    self._take(event)
                case Interval() if not self._has_ended:
                    yield self._ended(0)
            yield event

    def _take(self, interval: Interval) -> None:
        if self._has_ended or interval.duration_s < WHOLE_SHARE_MIN * self._plan.interval_s:
            return
        kinds = interval.transactions.values()
        finished = sum(kind.committed + kind.rolled_back for kind in kinds)
        self._throughput.append(finished / interval.duration_s)
        if self._is_asking:
            return
        self._change = judge(self._throughput)
        if self._change is not None and is_steady(self._change):
            self._end_soon()

    def _end_soon(self) -> None:
        """Have the window begin with the next interval of which all can be told in time."""
        interval_s = self._plan.interval_s
        soonest_s = self._clock() + self._ahead_factor * self._ahead_s() - self._planned_start_s
        least_s = self._least_s - self._plan.warmup_s
        index = math.ceil(round(max(soonest_s, least_s) / interval_s, 6))
        if index < 0:
            self._is_asking = True
            self._begin_window_at(index)

    def _moved(self, moved: WindowMoved) -> WarmupEnded:
        return self._ended(-moved.index, moved)

    def _ended(self, early_intervals: int, moved: WindowMoved | None = None) -> WarmupEnded:
        self._has_ended = True
        return WarmupEnded(
            ended="steady" if self._change is not None and is_steady(self._change) else "bound",
            duration_s=self._plan.warmup_s - early_intervals * self._plan.interval_s,
            change=self._change,
            early_intervals=early_intervals,
            early_s=early_intervals * self._plan.interval_s,
            window_start=None if moved is None else moved.window_start,
        )
