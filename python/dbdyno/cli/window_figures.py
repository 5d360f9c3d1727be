"""Throughput and response time of the trial at hand, for showing it while it runs.

What counts is computed from what was stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno._native import Histogram
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.times import ResponseTimes, Times, counted_times, ended_times, quantile_ms


@dataclass(frozen=True)
class Figures:
    """What is shown of an interval or of a window; None where there is nothing.

    The percentile is infinite where it lies beyond the histogram's range.
    """

    transactions_per_s: float | None
    response_p95_ms: float | None


class WindowFigures:
    """Adds up the window of one trial."""

    def __init__(self) -> None:
        self._ended = 0
        self._duration_s = 0.0
        self._response = Histogram()

    def add(self, interval: Interval) -> Figures:
        """Take an interval in; return its own figures."""
        ended = sum(each.committed + each.rolled_back for each in interval.transactions.values())
        now = _response(ended_times(interval))
        self._response.merge(_response(counted_times(interval)))
        if interval.phase == Phase.WINDOW:
            self._ended += ended
            self._duration_s += interval.duration_s
        return _figures(ended, interval.duration_s, now)

    def window(self) -> Figures:
        """Return the figures of the window so far."""
        return _figures(self._ended, self._duration_s, self._response)


def _figures(ended: int, duration_s: float, response: Histogram) -> Figures:
    per_s = ended / duration_s if duration_s > 0 else None
    return Figures(per_s, quantile_ms(response, 0.95))


def _response(times: Iterable[Times]) -> Histogram:
    """Return the response times among some times."""
    found = ResponseTimes()
    for each in times:
        found.add(each)
    return found.done
