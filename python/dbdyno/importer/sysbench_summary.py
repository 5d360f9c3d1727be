"""The blocks of figures that sysbench prints at a checkpoint and at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.importer.contradictions import checked_by_sum, checked_rate, within_histogram
from dbdyno.importer.numbers import number, per_second, positive, scaled, share_of, whole
from dbdyno.trial_evidence import MeasuredFrom, SourceNote, Times

HISTOGRAM_END_MS = 1e5
"""A percentile that sysbench prints as 100 s may be any longer time."""


@dataclass
class Summary:
    """One block. What it does not tell is None, and so is a time that is printed as 0.00."""

    is_checkpoint: bool = False
    is_database: bool = False
    printed_rate: float | None = None
    reads: int | None = None
    writes: int | None = None
    others: int | None = None
    transactions: int | None = None
    ignored_errors: int | None = None
    reconnects: int | None = None
    total_s: float | None = None
    events: int | None = None
    min_ms: float | None = None
    mean_ms: float | None = None
    max_ms: float | None = None
    percentile: float | None = None
    percentile_ms: float | None = None
    sum_ms: float | None = None
    is_percentile_off: bool = False

    @property
    def count(self) -> int | None:
        """How many transactions, or events of a test without a database, it counts."""
        return self.transactions if self.transactions is not None else self.events

    @property
    def statements(self) -> dict[str, float]:
        """How many of each kind a transaction has."""
        counts = {"read": self.reads, "write": self.writes, "other": self.others}
        return {
            name: count / self.transactions
            for name, count in counts.items()
            if count is not None and self.transactions
        }

    def measured_s(self, since_s: float | None) -> float | None:
        """Return the time that is counted: all of it, or what came after a checkpoint.

        sysbench prints the time since the beginning even where its counts begin later.
        """
        if since_s is None or self.total_s is None:
            return self.total_s
        return round(self.total_s - since_s, 4) if self.total_s > since_s else None

    def rate(self, since_s: float | None) -> tuple[float | None, tuple[SourceNote, ...]]:
        """Return throughput as it is printed, or else by count; none where the two differ."""
        measured_s = self.measured_s(since_s)
        if self.printed_rate is None:
            return per_second(self.events, self.total_s), ()
        return checked_rate(self.printed_rate, self.count, measured_s)

    def times(self, measured_from: MeasuredFrom) -> tuple[Times | None, tuple[SourceNote, ...]]:
        """Return the latencies; None of a block that ends before them or counts nothing."""
        if self.max_ms is None or not self.count:
            return None, ()
        quantiles = {}
        if self.percentile and self.percentile_ms:
            quantiles[self.percentile] = self.percentile_ms
        printed = Times(
            measured_from=measured_from,
            quantiles_ms=quantiles,
            mean_ms=self.mean_ms,
            min_ms=self.min_ms,
            max_ms=self.max_ms,
            count=self.count,
        )
        summed, sum_notes = checked_by_sum(printed, self.sum_ms)
        times, end_notes = within_histogram(summed, HISTOGRAM_END_MS)
        return times, (*sum_notes, *end_notes)


def _milliseconds(text: str) -> float | None:
    """Return a time as versions print it: 1.0 without a unit, 0.5 with ms, the oldest with s."""
    if text.endswith("s") and not text.endswith("ms"):
        value = scaled(positive(text[:-1]), 1e3)
        return None if value is None else round(value, 6)
    return positive(text.removesuffix("ms"))


Parse = Callable[[str], Any]
_RATE = r"\s*\((\S+) per sec\.\)"
_END = r"(?=\s|$)"
"""People write what a figure means behind it."""
_LINES: tuple[tuple[re.Pattern[str], Mapping[str, tuple[int, Parse]]], ...] = (
    (
        re.compile(rf"transactions:\s+(\d+){_RATE}"),
        {"transactions": (1, whole), "printed_rate": (2, number)},
    ),
    (re.compile(r"read:\s+(\d+)$"), {"reads": (1, whole)}),
    (re.compile(r"write:\s+(\d+)$"), {"writes": (1, whole)}),
    (re.compile(r"other:\s+(\d+)$"), {"others": (1, whole)}),
    (re.compile(r"(?:ignored errors|deadlocks):\s+(\d+)"), {"ignored_errors": (1, whole)}),
    (re.compile(r"reconnects:\s+(\d+)"), {"reconnects": (1, whole)}),
    (re.compile(rf"(?:total time|time elapsed):\s+(\S+)s{_END}"), {"total_s": (1, positive)}),
    (re.compile(r"total number of events:\s+(\d+)"), {"events": (1, whole)}),
    (re.compile(rf"events/s \(eps\):\s+(\S+){_END}"), {"printed_rate": (1, number)}),
    (re.compile(rf"events per second:\s+(\S+){_END}"), {"printed_rate": (1, number)}),
    (re.compile(r"Total operations: \d+ \( *(\S+) per second\)"), {"printed_rate": (1, number)}),
    (re.compile(rf"min:\s+(\S+){_END}"), {"min_ms": (1, _milliseconds)}),
    (re.compile(rf"avg:\s+(\S+){_END}"), {"mean_ms": (1, _milliseconds)}),
    (re.compile(rf"max:\s+(\S+){_END}"), {"max_ms": (1, _milliseconds)}),
    (re.compile(rf"sum:\s+(\S+){_END}"), {"sum_ms": (1, _milliseconds)}),
    (
        re.compile(rf"(?:approx\.\s+)?(\d+)(?:th|st|nd|rd)? percentile:\s+(\S+){_END}"),
        {"percentile": (1, share_of), "percentile_ms": (2, _milliseconds)},
    ),
)
DATABASE_BEGINNINGS = ("SQL statistics:", "OLTP test statistics:")
BEGINNINGS = (
    *DATABASE_BEGINNINGS,
    *("General statistics:", "Test execution summary:", "Throughput:"),
    *("CPU speed:", "Total operations:"),
)


def read_summaries(lines: Iterable[str]) -> list[Summary]:
    """Return the blocks of one run, in order. A block that is cut before its time is none."""
    found: list[Summary] = []
    current: Summary | None = None
    is_checkpoint = False
    for line in lines:
        is_checkpoint |= line.endswith("Checkpoint report:")
        is_database = line.startswith(DATABASE_BEGINNINGS)
        is_new = is_database or current is None or current.events is not None
        if line.startswith(BEGINNINGS) and is_new:
            current = Summary(is_checkpoint=is_checkpoint, is_database=is_database)
            is_checkpoint = False
            found.append(current)
        if current is not None:
            _take(line, current)
    return [each for each in found if each.total_s is not None and each.events is not None]


def _take(line: str, summary: Summary) -> None:
    if "percentile stats:" in line and "disabled" in line:
        summary.is_percentile_off = True
    for pattern, fields in _LINES:
        if found := pattern.match(line):
            for name, (group, parse) in fields.items():
                # The first counts: what comes later is of something else that was mixed in.
                if getattr(summary, name) is None:
                    setattr(summary, name, parse(found[group]))
