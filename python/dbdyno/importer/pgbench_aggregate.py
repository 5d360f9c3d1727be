"""pgbench's log of aggregates (``-l --aggregate-interval``).

A line is ``start count sum sum_of_squares min max`` in microseconds, then four columns of lags, the
number skipped, and since version 15 ``retried retries serialization deadlock``. Up to version 14
the count has those that were skipped in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, per_second, positive, scaled
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    MeasuredFrom,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "pgbench"
LOOKED_FOR = "lines of numbers as pgbench -l writes them"

_WIDTHS = (6, 10, 11, 15)
_SINCE_15 = 15
_LINE = re.compile(r"(\d{9,11})((?: [\d.]{1,30}){5,14})$")
_LINES_LOOKED_AT = 20
_RECOGNISED_SHARE = 0.8


@dataclass(frozen=True)
class _Bucket:
    start: float
    done: float
    sum_us: float
    min_us: float
    max_us: float
    has_lag: bool
    skipped: float | None
    retries: float | None
    failed: float | None


def is_ours(log: Log) -> bool:
    """Tell whether a file looks like a log of aggregates, by its first lines."""
    lines = [line.strip() for line in log.head.split("\n")[:_LINES_LOOKED_AT] if line.strip()]
    fitting = sum(_bucket(line) is not None for line in lines)
    return fitting > 0 and fitting >= _RECOGNISED_SHARE * len(lines)


def read(log: Log) -> list[TrialEvidence]:
    """Return the trial of a file."""
    return read_parts([log])


def read_parts(logs: Sequence[Log]) -> list[TrialEvidence]:
    """Return the one trial that the logs of a run's threads tell together."""
    lines = [line for log in logs for line in log.lines if line.strip()]
    buckets = [bucket for line in lines if (bucket := _bucket(line)) is not None]
    if not buckets:
        return []
    trial = _trial(logs[0], _joined(buckets))
    notes = list(trial.notes)
    if len(buckets) < len(lines):
        figures = (("lines", len(lines) - len(buckets)),)
        notes.append(SourceNote(code=NoteCode.DAMAGED_LINES, figures=figures))
    if len(logs) > 1:
        figures = (("files", len(logs)),)
        notes.append(SourceNote(code=NoteCode.THREAD_LOGS_JOINED, figures=figures))
    return [replace(trial, notes=tuple(notes))]


def _bucket(line: str) -> _Bucket | None:
    found = _LINE.match(line)
    values = [number(each) for each in found[2].split()] if found else []
    width = len(values) + 1
    start = number(found[1]) if found else None
    known = [each for each in values if each is not None]
    if start is None or width not in _WIDTHS or len(known) < len(values):
        return None
    count, sum_us, _, min_us, max_us, *rest = known
    skipped = rest[4] if len(rest) > 4 else None
    is_new = width == _SINCE_15
    return _Bucket(
        start=start,
        done=count if is_new else max(count - (skipped or 0.0), 0.0),
        sum_us=sum_us,
        min_us=min_us,
        max_us=max_us,
        has_lag=any(rest[:4]),
        skipped=skipped,
        retries=rest[6] if is_new else None,
        failed=rest[7] + rest[8] if is_new else None,
    )


def _joined(buckets: Sequence[_Bucket]) -> list[_Bucket]:
    """Return one bucket an instant, in order: each thread has written its own."""
    by_start: dict[float, _Bucket] = {}
    for each in buckets:
        other = by_start.get(each.start)
        by_start[each.start] = each if other is None else _sum(other, each)
    return [by_start[start] for start in sorted(by_start)]


def _sum(one: _Bucket, other: _Bucket) -> _Bucket:
    lows = [each.min_us for each in (one, other) if each.done]
    return _Bucket(
        start=one.start,
        done=one.done + other.done,
        sum_us=one.sum_us + other.sum_us,
        min_us=min(lows, default=0.0),
        max_us=max(one.max_us, other.max_us),
        has_lag=one.has_lag or other.has_lag,
        skipped=_plus(one.skipped, other.skipped),
        retries=_plus(one.retries, other.retries),
        failed=_plus(one.failed, other.failed),
    )


def _plus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _trial(log: Log, buckets: Sequence[_Bucket]) -> TrialEvidence:
    """Count what lies between the first and the last bucket: both are cut by the run's ends."""
    length_s = _length_s(buckets)
    inner = buckets[1:-1] if length_s else []
    measured_s = length_s * len(inner) if length_s and inner else None
    notes = [SourceNote(code=NoteCode.NO_PERCENTILE)]
    if length_s:
        figures = (("interval_s", length_s),)
        notes.append(SourceNote(code=NoteCode.PARTIAL_BUCKETS, figures=figures))
    skipped = sum(each.skipped or 0 for each in inner)
    if skipped:
        notes.append(SourceNote(code=NoteCode.SKIPPED, figures=(("skipped", int(skipped)),)))
    return TrialEvidence(
        source=log.source(TOOL),
        measured_s=measured_s,
        began_unix_s=inner[0].start if inner else None,
        throughput_per_s=per_second(sum(each.done for each in inner), measured_s),
        times=_times(inner or buckets),
        failed=_total(inner, "failed"),
        retries=_total(inner, "retries"),
        intervals=tuple(_intervals(inner, length_s)) if length_s else (),
        notes=tuple(notes),
    )


def _length_s(buckets: Sequence[_Bucket]) -> float | None:
    """Return the interval's length: the shortest step, for pgbench writes empty ones, too."""
    steps = [after.start - before.start for before, after in pairwise(buckets)]
    return min(steps, default=None)


def _total(buckets: Sequence[_Bucket], name: str) -> int | None:
    values = [getattr(each, name) for each in buckets]
    return None if not values or None in values else int(sum(values))


def _times(buckets: Sequence[_Bucket]) -> Times | None:
    done = sum(each.done for each in buckets)
    if not done:
        return None
    is_paced = any(each.has_lag for each in buckets)
    return Times(
        measured_from=MeasuredFrom.SCHEDULED if is_paced else MeasuredFrom.START,
        mean_ms=sum(each.sum_us for each in buckets) / done / 1e3,
        min_ms=min(each.min_us for each in buckets if each.done) / 1e3,
        max_ms=max(each.max_us for each in buckets) / 1e3,
        count=int(done),
    )


def _intervals(buckets: Sequence[_Bucket], length_s: float) -> Iterator[IntervalEvidence]:
    for each in buckets:
        yield IntervalEvidence(
            start_s=each.start - buckets[0].start,
            duration_s=length_s,
            throughput_per_s=each.done / length_s,
            mean_ms=scaled(per_second(each.sum_us, each.done), 1e-3),
            max_ms=scaled(positive(str(each.max_us)), 1e-3),
            failed_per_s=per_second(each.failed, length_s),
        )
