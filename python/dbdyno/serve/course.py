"""A whole trial in few numbers: the lowest, the mean and the highest of neighbouring intervals.

However long a trial is, there are at most ``BUCKETS_MAX`` of them; a dip is never averaged away.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

from dbdyno.serve.points import Point

BUCKETS_MAX = 400


@dataclass(frozen=True)
class Bucket:
    """Neighbouring intervals. Throughput's mean is over their time; percentiles have no mean."""

    start_s: float
    end_s: float
    measured_s: float
    transactions: float
    lowest_per_s: float
    highest_per_s: float
    lowest_p95_ms: float | None
    highest_p95_ms: float | None
    errors: float
    intervals: int

    def merged(self, other: Bucket) -> Bucket:
        """Return this bucket and a later one together."""
        p95s_ms = [
            value
            for each in (self, other)
            for value in (each.lowest_p95_ms, each.highest_p95_ms)
            if value is not None
        ]
        return Bucket(
            self.start_s,
            other.end_s,
            round(self.measured_s + other.measured_s, 3),
            round(self.transactions + other.transactions, 1),
            min(self.lowest_per_s, other.lowest_per_s),
            max(self.highest_per_s, other.highest_per_s),
            min(p95s_ms, default=None),
            max(p95s_ms, default=None),
            round(self.errors + other.errors, 1),
            self.intervals + other.intervals,
        )

    def row(self) -> tuple[object, ...]:
        """Return its fields in their order, as the page reads them."""
        return astuple(self)


class Course:
    """The buckets of one trial; ``width`` intervals in each but the last."""

    def __init__(self) -> None:
        self.width = 1
        self.buckets: list[Bucket] = []

    def add(self, point: Point) -> None:
        """Take the next interval in."""
        bucket = _bucket_of(point)
        if self.buckets and self.buckets[-1].intervals < self.width:
            self.buckets[-1] = self.buckets[-1].merged(bucket)
            return
        self.buckets.append(bucket)
        if len(self.buckets) > BUCKETS_MAX:
            self._halve()

    def _halve(self) -> None:
        pairs = zip(self.buckets[::2], self.buckets[1::2], strict=False)
        odd = self.buckets[-1:] if len(self.buckets) % 2 else []
        self.buckets = [*(one.merged(other) for one, other in pairs), *odd]
        self.width *= 2


def _bucket_of(point: Point) -> Bucket:
    return Bucket(
        point.start_s,
        round(point.start_s + point.duration_s, 3),
        point.duration_s,
        round(point.throughput_per_s * point.duration_s, 1),
        point.throughput_per_s,
        point.throughput_per_s,
        point.p95_ms,
        point.p95_ms,
        round(point.errors_per_s * point.duration_s, 1),
        1,
    )
