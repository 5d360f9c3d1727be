"""Throughput and response time of the trial at hand, for showing it while it runs.

What counts is computed from what was stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno._native import Histogram
from dbdyno.analysis.clients import SHARE_MIN, share_of_interval
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.times import ResponseTimes, Times, counted_times, ended_times, quantile_ms


@dataclass(frozen=True)
class Figures:
    """What is shown of an interval or of a window; None where there is nothing.

    The percentile is infinite where it lies beyond the histogram's range. ``share_in_effect`` is
    that of the clients' time in which no answer lay unread; None where it is not known.
    """

    transactions_per_s: float | None
    response_p95_ms: float | None
    share_in_effect: float | None = None

    @property
    def has_fewer_clients(self) -> bool:
        """Whether the server had notably fewer clients than were asked for."""
        return self.share_in_effect is not None and self.share_in_effect < SHARE_MIN


class WindowFigures:
    """Adds up the window of one trial."""

    def __init__(self, asking_clients: int | None = None) -> None:
        """Begin; the number of clients is None where they wait on purpose."""
        self._asking_clients = asking_clients
        self._unread_s = 0.0
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
            self._unread_s += interval.unread_s or 0.0
        return self._figures(ended, interval.duration_s, now, interval.unread_s)

    def window(self) -> Figures:
        """Return the figures of the window so far."""
        return self._figures(self._ended, self._duration_s, self._response, self._unread_s)

    def _figures(
        self, ended: int, duration_s: float, response: Histogram, unread_s: float | None
    ) -> Figures:
        if duration_s <= 0:
            return Figures(None, quantile_ms(response, 0.95))
        share = share_of_interval(unread_s, self._asking_clients, duration_s)
        return Figures(ended / duration_s, quantile_ms(response, 0.95), share)


def _response(times: Iterable[Times]) -> Histogram:
    """Return the response times among some times."""
    found = ResponseTimes()
    for each in times:
        found.add(each)
    return found.done
