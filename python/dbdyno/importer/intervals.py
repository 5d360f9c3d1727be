"""From lines that say when an interval ended to intervals that say when it began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from dbdyno.importer.numbers import per_second
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import IntervalEvidence, SourceNote

ENDS_MAX_S = 1e8
"""Three years: a time beyond it is damage."""


_INSTANT_S = 1e9
"""Later than it is an instant in seconds since 1970, and no time of a run."""
_SELDOM = 0.1
"""A slow load has intervals without transactions all the time: there, one says nothing."""
_WHOLE_WITHIN = 0.05
"""Of a step: lines that are missing leave a gap of whole steps. A late line does not."""


def by_their_ends(
    printed: Iterable[IntervalEvidence], begin_s: float = 0.0, step_s: float | None = None
) -> tuple[tuple[IntervalEvidence, ...], int]:
    """Return intervals whose ``start_s`` held their end, and how many were left out.

    Each begins where the one before it has ended, or a step before its end where lines between
    the two are missing: people cut logs. ``begin_s`` is when what is measured began, by the tool's
    clock, which is 0 at the first interval's beginning. ``step_s`` is the usual length; without
    it, what most lines tell. One whose end is not after the end before it tells no length.
    """
    kept: list[IntervalEvidence] = []
    left_out = 0
    for each in printed:
        if (kept[-1].start_s if kept else 0.0) < each.start_s <= ENDS_MAX_S:
            kept.append(each)
        else:
            left_out += 1
    ends = [0.0, *(each.start_s for each in kept)]
    step_s = step_s or _usual_step_s(ends)
    found = []
    for each, (before_s, end_s) in zip(kept, pairwise(ends), strict=True):
        length_s = _length_s(end_s - before_s, step_s)
        start_s = round(end_s - length_s - begin_s, 6)
        told = {**vars(each), "start_s": start_s, "duration_s": round(length_s, 6)}
        found.append(IntervalEvidence(**told))
    return tuple(found), left_out


def _usual_step_s(ends: Sequence[float]) -> float | None:
    """Return the length that at least half of the intervals have, the first one aside."""
    steps = Counter(round(end - before, 6) for before, end in pairwise(ends[1:]))
    step, count = max(steps.items(), key=lambda item: item[1], default=(None, 0))
    return step if 2 * count >= steps.total() else None


def _length_s(gap_s: float, step_s: float | None) -> float:
    """Return how long an interval was: a step, where whole steps before it are missing."""
    if step_s is None or gap_s < 2 * step_s * (1 - _WHOLE_WITHIN):
        return gap_s
    is_whole = abs(gap_s - round(gap_s / step_s) * step_s) <= _WHOLE_WITHIN * step_s
    return step_s if is_whole else gap_s


def since_begin(
    printed: Sequence[IntervalEvidence], step_s: float | None
) -> Sequence[IntervalEvidence]:
    """Return intervals by the run's own clock, where ``start_s`` held instants of their ends.

    The first interval is taken to be as long as the second.
    """
    if len(printed) < 2 or printed[0].start_s < _INSTANT_S:
        return printed
    begin_s = printed[0].start_s - (step_s or printed[1].start_s - printed[0].start_s)
    return [replace(each, start_s=round(each.start_s - begin_s, 3)) for each in printed]


def damaged(left_out: int) -> Iterator[SourceNote]:
    """Say how many intervals were left out, if any."""
    if left_out:
        yield SourceNote(code=NoteCode.INTERVALS_LEFT_OUT, figures=(("intervals", left_out),))


def truncated(intervals: Sequence[IntervalEvidence]) -> SourceNote:
    """Say that a log ends before the tool's summary, and until when its intervals go."""
    if not intervals:
        return SourceNote(code=NoteCode.NOTHING_MEASURED)
    until_s = intervals[-1].start_s + intervals[-1].duration_s
    return SourceNote(code=NoteCode.TRUNCATED, figures=(("until_s", until_s),))


@dataclass(frozen=True)
class SoFar:
    """What intervals tell of a run whose summary is not there."""

    rate_per_s: float | None = None
    length_s: float | None = None
    last_s: float | None = None
    """Where the last of them ends that is counted."""
    notes: tuple[SourceNote, ...] = ()


def so_far(intervals: Sequence[IntervalEvidence]) -> SoFar:
    """Return the throughput of the intervals before the end of the load, and their length."""
    known = [each for each in intervals if each.throughput_per_s is not None]
    running = known[: len(known) - idle_at_end(known)]
    length_s = sum(each.duration_s for each in running)
    done = sum(each.duration_s * (each.throughput_per_s or 0.0) for each in running)
    if not length_s:
        return SoFar()
    last_s = running[-1].start_s + running[-1].duration_s
    notes = idle_end(known, NoteCode.IDLE_END_LEFT_OUT)
    return SoFar(per_second(done, length_s), round(length_s, 6), last_s, tuple(notes))


def idle_end(intervals: Sequence[IntervalEvidence], code: NoteCode) -> Iterator[SourceNote]:
    """Say how many intervals at the end are without load, if any, and when they begin."""
    if idle := idle_at_end(intervals):
        figures = (("intervals", idle), ("from_s", intervals[-idle].start_s))
        yield SourceNote(code=code, figures=figures)


def idle_at_end(intervals: Sequence[IntervalEvidence]) -> int:
    """Return how many intervals at the end are not of the load any more.

    Nothing was done in them, or hardly anything and by fewer clients than in most: the last
    clients wait for the server after the time of the run is over.
    """
    rates = [each.throughput_per_s or 0.0 for each in intervals]
    clients = Counter(each.clients for each in intervals if each.clients)
    usual = max(clients, key=lambda number: clients[number], default=0)
    zeros = next((n for n, rate in enumerate(reversed(rates)) if rate), len(rates))
    if len(rates) == zeros or rates.count(0.0) - zeros > _SELDOM * (len(rates) - zeros):
        return 0
    much = median(rates[: len(rates) - zeros]) / 2
    idle = (
        not rate or (rate < much and (each.clients or usual) < usual)
        for each, rate in zip(reversed(intervals), reversed(rates), strict=True)
    )
    return next(n for n, is_idle in enumerate(idle) if not is_idle)
