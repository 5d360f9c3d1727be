"""YCSB's status lines (``-s``): what was done since the line before, and since the beginning.

Both count failed operations, too. Later versions print how many of each kind failed since the line
before, older ones only that some did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbdyno.importer.intervals import SoFar, by_their_ends, so_far
from dbdyno.importer.numbers import added, number, per_second, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import IntervalEvidence, SourceNote

_STATUS = re.compile(
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} )?(\d+) sec: (\d+) operations;(?: ([\d.,]+) current)?"
)
_FAILED = re.compile(r"\[[\w-]{1,40}-FAILED\b(?:: Count=(\d+))?")


@dataclass(frozen=True)
class Status:
    """One line: seconds and operations since the beginning, ``failed`` since the line before."""

    end_s: float
    operations: int | None
    rate_per_s: float | None
    failed: int | None
    """None where some failed and the line does not tell how many."""


def status_of(line: str) -> Status | None:
    """Return what a line tells; None where it is no status."""
    found = _STATUS.match(line)
    if found is None:
        return None
    failed = [whole(each) for each in _FAILED.findall(line)]
    # Java writes the point as the machine's language has it, and no thousands.
    rate = number(found[3].replace(",", ".")) if found[3] else None
    end_s = number(found[1])
    return Status(
        end_s=-1.0 if end_s is None else end_s,
        operations=whole(found[2]),
        rate_per_s=rate,
        failed=None if None in failed else added(failed) or 0,
    )


def is_of_another_run(status: Status, before: Sequence[Status]) -> bool:
    """Tell whether a run has begun again: time and operations are less than before."""
    if not before:
        return False
    last = before[-1]
    return status.end_s < last.end_s and (status.operations or 0) < (last.operations or 0)


def intervals_of(statuses: Sequence[Status]) -> tuple[tuple[IntervalEvidence, ...], int]:
    """Return the intervals between lines, without what failed, and how many were left out."""
    intervals, left_out = by_their_ends(
        # How many failed since the line before becomes a rate with the interval's length.
        IntervalEvidence(
            start_s=each.end_s,
            duration_s=0.0,
            throughput_per_s=each.rate_per_s,
            failed_per_s=each.failed,
        )
        for each in statuses
    )
    return tuple(map(_without_failed, intervals)), left_out


def _without_failed(interval: IntervalEvidence) -> IntervalEvidence:
    failed_per_s = per_second(interval.failed_per_s, interval.duration_s)
    rate = interval.throughput_per_s
    if failed_per_s and rate is not None:
        rate = max(rate - failed_per_s, 0.0)
    return replace(interval, throughput_per_s=rate, failed_per_s=failed_per_s)


def done_so_far(statuses: Sequence[Status], intervals: Sequence[IntervalEvidence]) -> SoFar:
    """Return what lines tell of a run without a summary.

    Operations since the beginning are exact, also where lines are missing; they have those that
    failed in them, so that intervals count where some did.
    """
    cut = so_far(intervals)
    known = [each for each in statuses if cut.last_s and each.end_s <= cut.last_s]
    if not known:
        return cut
    last = max(known, key=lambda each: each.end_s)
    printed = per_second(last.operations, last.end_s)
    if any(each.failed is None for each in known):
        note = SourceNote(code=NoteCode.FAILED_COUNTED)
        return replace(cut, rate_per_s=printed, length_s=last.end_s, notes=(*cut.notes, note))
    failed = sum({each.end_s: each.failed or 0 for each in known}.values())
    if failed:
        figures = (("failed", failed), ("printed_per_s", printed))
        note = SourceNote(code=NoteCode.FAILED_NOT_COUNTED, figures=figures)
        return replace(cut, notes=(*cut.notes, note))
    return replace(cut, rate_per_s=printed, length_s=last.end_s)
