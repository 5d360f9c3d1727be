"""The times that a generator's interval events carry, and the figures that are taken of them.

Whoever shows a time takes it from here: the stored result and its report, what is shown while a run
goes on, and the output of every command. So no two of them can differ.

A histogram belongs to the interval of its event, but for ``late`` ones: the times of a transaction
belong to the interval in which it was scheduled; where that was over when the transaction ended, a
later event brings them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dbdyno._native import Histogram
from dbdyno.protocol.intervals import (
    FAILED_RESPONSE,
    Interval,
    LateTimes,
    Phase,
    SentHistogram,
    TransactionTimes,
)


@dataclass(frozen=True)
class IntervalKey:
    """What tells an interval of a trial from all others."""

    phase: str
    index: int


@dataclass(frozen=True)
class Times:
    """One histogram of an event: of which kind of transaction, and of what."""

    transaction: str
    measure: str
    sent: SentHistogram

    def decode(self) -> Histogram:
        """Return the histogram; ValueError where the text is none."""
        return decode_histogram(self.sent)


def decode_histogram(sent: SentHistogram) -> Histogram:
    """Return a histogram that was sent; ValueError where the text is none."""
    return Histogram.decode(sent.text, sent.overflow)


def key_of(part: Interval | LateTimes) -> IntervalKey:
    """Return which interval an event, or a part of one, is of."""
    return IntervalKey(part.phase, part.index)


def own_times(interval: Interval) -> Iterator[Times]:
    """Yield the times that belong to the event's own interval."""
    return _times_in(interval.transactions)


def late_times(interval: Interval) -> Iterator[tuple[IntervalKey, Times]]:
    """Yield the times that belong to earlier intervals, with the interval that they belong to."""
    for late in interval.late:
        for times in _times_in(late.transactions):
            yield key_of(late), times


def ended_times(interval: Interval) -> Iterator[Times]:
    """Yield the times of all transactions that ended in an interval, whenever they were due."""
    yield from own_times(interval)
    yield from (times for _, times in late_times(interval))


def counted_times(interval: Interval) -> Iterator[Times]:
    """Yield those of an event's times that the figures of the window are made of.

    That is what was scheduled in the window, though it may have ended in the drain, so that a stall
    at the end does not vanish.
    """
    if interval.phase != Phase.WARMUP:
        yield from own_times(interval)
    yield from (times for key, times in late_times(interval) if key.phase != Phase.WARMUP)


@dataclass
class ResponseTimes:
    """The response times of some transactions: those that did their work, and those that failed.

    ``measure`` says which times the former are: until the last answer arrived, or until the client
    could go on (``turnaround``).
    """

    done: Histogram = field(default_factory=Histogram)
    failed: Histogram = field(default_factory=Histogram)
    measure: str = "response"

    def add(self, times: Times) -> None:
        """Merge in what was sent, if it is of these times."""
        if times.measure == self.measure:
            self.done.merge(times.decode())
        elif times.measure == FAILED_RESPONSE:
            self.failed.merge(times.decode())

    def merge(self, other: ResponseTimes) -> None:
        """Merge in those of other transactions."""
        self.done.merge(other.done)
        self.failed.merge(other.failed)

    def asked(self) -> Histogram:
        """Return the times of all that were asked for, whether they were done or failed."""
        return merge_all((self.done, self.failed))


def merge_all(histograms: Iterable[Histogram]) -> Histogram:
    """Return a new histogram of everything that is in ``histograms``."""
    merged = Histogram()
    for histogram in histograms:
        merged.merge(histogram)
    return merged


def quantile_ms(histogram: Histogram, quantile: float) -> float | None:
    """Return a quantile in milliseconds; the largest value is the quantile 1.

    None where nothing was recorded; infinite where it lies beyond the histogram's range.
    """
    if not histogram.count:
        return None
    value_ns = histogram.quantile_ns(quantile)
    return math.inf if value_ns is None else value_ns / 1e6


def asked_document(times: ResponseTimes, percentiles: Iterable[float]) -> dict[str, object] | None:
    """Return for JSON the times of all that were asked for; None where none of them failed.

    Where nothing failed, the times of what was done are those of all.
    """
    if not times.failed.count:
        return None
    asked = times.asked()
    return {
        "max": finite(quantile_ms(asked, 1.0)),
        "percentiles": {f"{p:g}": finite(quantile_ms(asked, p / 100)) for p in percentiles},
    }


def finite(value: float | None) -> float | None:
    """Return a figure for JSON and tables, which know no infinity: None stands for that, too."""
    return None if value is None or math.isinf(value) else value


def _times_in(transactions: Mapping[str, TransactionTimes]) -> Iterator[Times]:
    for transaction, times in transactions.items():
        for measure, sent in times.histograms():
            yield Times(transaction, measure, sent)
