"""The blocks of figures that sysbench prints at a checkpoint and at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.importer.numbers import number, per_second, positive, share_of, whole
from dbdyno.trial_evidence import IntervalEvidence, MeasuredFrom, Times


@dataclass
class Summary:
    """One block. What it does not tell is None, and so is a time that is printed as 0.00."""

    is_checkpoint: bool = False
    is_database: bool = False
    printed_rate: float | None = None
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
    is_percentile_off: bool = False

    @property
    def count(self) -> int | None:
        """How many transactions, or events of a test without a database, it counts."""
        return self.transactions if self.transactions is not None else self.events

    def measured_s(self, since_s: float | None) -> float | None:
        """Return the time that is counted: all of it, or what came after a checkpoint.

        sysbench prints the time since the beginning even where its counts begin later.
        """
        if since_s is None or self.total_s is None:
            return self.total_s
        return round(self.total_s - since_s, 4) if self.total_s > since_s else None

    @property
    def rate_per_s(self) -> float | None:
        """Throughput as it is printed; computed of a test without a database."""
        if self.printed_rate is not None:
            return self.printed_rate
        return per_second(self.events, self.total_s)

    def times(self, measured_from: MeasuredFrom) -> Times | None:
        """Return the latencies; None of a block that ends before them or counts nothing."""
        if self.max_ms is None or not self.count:
            return None
        quantiles = {}
        if self.percentile and self.percentile_ms:
            quantiles[self.percentile] = self.percentile_ms
        return Times(
            measured_from=measured_from,
            quantiles_ms=quantiles,
            mean_ms=self.mean_ms,
            min_ms=self.min_ms,
            max_ms=self.max_ms,
            count=self.count,
        )


Parse = Callable[[str], Any]
_RATE = r"\s+\((\S+) per sec\.\)"
_LINES: tuple[tuple[re.Pattern[str], Mapping[str, tuple[int, Parse]]], ...] = (
    (
        re.compile(rf"\s+transactions:\s+(\d+){_RATE}"),
        {"transactions": (1, whole), "printed_rate": (2, number)},
    ),
    (re.compile(r"\s+ignored errors:\s+(\d+)"), {"ignored_errors": (1, whole)}),
    (re.compile(r"\s+reconnects:\s+(\d+)"), {"reconnects": (1, whole)}),
    (re.compile(r"\s+(?:total time|time elapsed):\s+(\S+)s$"), {"total_s": (1, positive)}),
    (re.compile(r"\s+total number of events:\s+(\d+)"), {"events": (1, whole)}),
    (re.compile(r"\s+events/s \(eps\):\s+(\S+)$"), {"printed_rate": (1, number)}),
    (re.compile(r"\s+min:\s+(\S+)$"), {"min_ms": (1, positive)}),
    (re.compile(r"\s+avg:\s+(\S+)$"), {"mean_ms": (1, positive)}),
    (re.compile(r"\s+max:\s+(\S+)$"), {"max_ms": (1, positive)}),
    (
        re.compile(r"\s+(\d+)(?:th|st|nd|rd) percentile:\s+(\S+)$"),
        {"percentile": (1, share_of), "percentile_ms": (2, positive)},
    ),
)
_BEGINNINGS = ("SQL statistics:", "General statistics:", "Throughput:", "CPU speed:")


def read_summaries(lines: Iterable[str]) -> list[Summary]:
    """Return the blocks of one run, in order. A block that is cut before its time is none."""
    found: list[Summary] = []
    current: Summary | None = None
    is_checkpoint = False
    for line in lines:
        is_checkpoint |= line.endswith("Checkpoint report:")
        is_new = line == "SQL statistics:" or current is None or current.events is not None
        if line in _BEGINNINGS and is_new:
            current = Summary(is_checkpoint=is_checkpoint, is_database=line == "SQL statistics:")
            is_checkpoint = False
            found.append(current)
        elif current is not None:
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


def so_far(intervals: Sequence[IntervalEvidence]) -> Summary:
    """Return what intervals tell of a run that has no summary: the time and the throughput."""
    known = [each for each in intervals if each.throughput_per_s is not None]
    length_s = sum(each.duration_s for each in known)
    events = sum(each.duration_s * (each.throughput_per_s or 0.0) for each in known)
    if not length_s:
        return Summary()
    return Summary(is_database=True, total_s=round(length_s, 6), printed_rate=events / length_s)
